/** Extraction from evidence alone: no model, no network, the same result on every machine and day. */
import { sameTexts } from '../../experiences/experience-writer.ts'
import { EXPERIENCE_NAME_BYTES_MAX, type ExperienceTexts, readExperience } from '../../model/experience.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { acceptedTokens } from '../../model/token-limits.ts'
import { inWorkspace } from '../../workspace/layout.ts'
import {
  currentSegment,
  type ExtractionTask,
  finishSegment,
  requireNonePending,
  tellWaiting,
} from '../extraction-task.ts'
import { segmentsDone } from '../processing-log.ts'
import { throwIfInterrupted } from '../running.ts'
import { earlierImports } from './earlier-imports.ts'
import { type NamedExperience, tellsSame } from './experience-text.ts'
import { extractOffline } from './extract-offline.ts'

/** @returns what was found, in a sentence. */
export async function extractFromEvidence(task: ExtractionTask): Promise<string> {
  const { intake, redactor, shown, tokenizer, around, trajectory } = task
  await cutAll(task)
  if (intake.text !== '') tellWaiting(task, segmentsDone(task.processing.state) - 1, intake.text.length, 'evidence')
  const { limits } = around
  const earlier = earlierImports(task)
  const found = extractOffline(
    { text: shown.whole(), format: intake.format, path: trajectory, earlier: earlier.logs },
    {
      count: (text) => tokenizer.count(text),
      description: acceptedTokens(limits.description),
      when_to_use: acceptedTokens(limits.when_to_use),
      content: acceptedTokens(limits.content),
    },
    redactor === null ? undefined : (text) => redactor.mask(text),
  )
  earlier.record()
  for (const [index, candidate] of found.experiences.entries()) {
    await throwIfInterrupted(around)
    await writeCandidate(task, index, wellFormed(candidate))
  }
  requireNonePending(task, () => true)
  return found.reason
}

/** The evidence is read as a whole; the segments are cut all the same, so that both extractors answer alike. */
async function cutAll(task: ExtractionTask): Promise<void> {
  const { processing, around } = task
  for (;;) {
    await throwIfInterrupted(around)
    const segment = currentSegment(task)
    if (segment === null) break
    finishSegment(task, segment)
  }
  if (processing.state.total === null) processing.append({ kind: 'end', segments: segmentsDone(processing.state) })
}

/** Programs cut their output anywhere, so a log may hold half of a surrogate pair, which no experience may. */
function wellFormed(candidate: NamedExperience): NamedExperience {
  return {
    ...candidate,
    description: candidate.description.toWellFormed(),
    'when-to-use': candidate['when-to-use'].toWellFormed(),
    content: candidate.content.toWellFormed(),
  }
}

/** With its source added to one that tells the same, whatever number its name has; else under the first free name. */
async function writeCandidate(
  task: ExtractionTask,
  index: number,
  { filename, earlierLogPaths, ...texts }: NamedExperience,
): Promise<void> {
  const { around, writer, trajectory } = task
  const { files, digest } = around.ports
  const key = `offline/${index}`
  const sources = [trajectory, ...earlierLogPaths] as const
  const earlier = writer.operations.find(({ intent }) => intent.key === key)
  // What no view takes stays so until its file is corrected by hand or the embedder is another.
  if (earlier !== undefined && earlier.outcome !== 'open') return
  const taken = new Set<string>()
  for (const { name } of files.list(inWorkspace(around.layout, around.layout.procedures)) ?? []) {
    if (!isNumbered(name, filename)) continue
    taken.add(name)
    const path = `${around.layout.procedures}/${name}`
    const bytes = files.read(inWorkspace(around.layout, path))
    if (bytes === null || !holdsTexts(bytes, texts)) continue
    await writer.update(key, path, digest.sha256(bytes), {}, sources)
    return
  }
  let name = filename
  for (let number = 2; taken.has(`${name}.json`); number++) name = numberedStem(filename, number)
  await writer.create(key, name, texts, sources)
}

function numberedStem(stem: string, number: number): string {
  const suffix = `-${number}`
  return stem.slice(0, EXPERIENCE_NAME_BYTES_MAX - suffix.length).replace(/-+$/, '') + suffix
}

/** Whether a file is `stem.json`, or `stem-2.json` and so on. */
function isNumbered(fileName: string, stem: string): boolean {
  return fileName.startsWith(stem) && /^(?:-\d+)?\.json$/.test(fileName.slice(stem.length))
}

function holdsTexts(bytes: Uint8Array, texts: ExperienceTexts): boolean {
  try {
    const stored = readExperience(bytes)
    return tellsSame(stored.content, texts.content) && sameTexts({ ...stored, content: texts.content }, texts)
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    // A file that is no experience is somebody's work in progress: it only keeps its name.
    return false
  }
}
