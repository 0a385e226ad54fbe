/** Extraction from evidence alone: no model, no network, the same result on every machine and day. */
import { sameTexts } from '../experiences/experience-writer.ts'
import { readExperience } from '../model/experience.ts'
import { acceptedTokens } from '../model/token-limits.ts'
import { inWorkspace } from '../workspace/layout.ts'
import type { Extraction } from './llm-extraction.ts'
import { extractOffline } from './offline/extract-offline.ts'
import { segmentsDone } from './processing-log.ts'
import { nextSegment } from './segmenter.ts'

/** @returns what was found, in a sentence. */
export function extractFromEvidence(extraction: Extraction): string {
  const { intake, shown, tokenizer, setting } = extraction
  cutAll(extraction)
  const { limits } = setting
  const found = extractOffline(
    { text: shown.segment(0, shown.length), format: intake.format },
    {
      count: (text) => tokenizer.count(text),
      description: acceptedTokens(limits.description),
      when_to_use: acceptedTokens(limits.when_to_use),
      content: acceptedTokens(limits.content),
    },
  )
  for (const [index, candidate] of found.experiences.entries()) keep(extraction, index, candidate)
  return found.reason
}

/** The evidence is read as a whole; the segments are cut all the same, so that both extractors answer alike. */
function cutAll({ intake, processing, tokenizer, setting }: Extraction): void {
  for (;;) {
    const { segment } = processing.state
    const next = nextSegment(intake.text, segment, setting.limits.segment, tokenizer)
    if (next === null) break
    const text = new TextEncoder().encode(intake.text.slice(next.start, next.end))
    processing.append({ kind: 'segment', ...next, sha256: setting.ports.digest.sha256(text) })
    processing.append({ kind: 'checkpoint', index: next.index })
  }
  if (processing.state.total === null) processing.append({ kind: 'end', segments: segmentsDone(processing.state) })
}

type Candidate = ReturnType<typeof extractOffline>['experiences'][number]

/** Under its own name; beside another text of that name under the next number; with its source added to an equal one. */
function keep(extraction: Extraction, index: number, candidate: Candidate): void {
  const { setting, writer, trajectory } = extraction
  const { filename, ...texts } = candidate
  const key = `offline/${index}`
  const earlier = writer.operations.find(({ intent }) => intent.key === key)
  if (earlier !== undefined && earlier.outcome !== 'open') return
  for (let number = 1; ; number++) {
    const name = number === 1 ? filename : `${filename}-${number}`
    const path = `${setting.layout.procedures}/${name}.json`
    const bytes = setting.ports.files.read(inWorkspace(setting.layout, path))
    if (bytes === null) {
      writer.create(key, name, texts, trajectory)
      return
    }
    if (holdsTexts(bytes, texts)) {
      writer.update(key, path, setting.ports.digest.sha256(bytes), {}, trajectory)
      return
    }
  }
}

function holdsTexts(bytes: Uint8Array, texts: Omit<Candidate, 'filename'>): boolean {
  try {
    return sameTexts(readExperience(bytes), texts)
  } catch {
    // A file that is no experience is somebody's work in progress: it only keeps its name.
    return false
  }
}
