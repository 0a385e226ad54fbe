/** Experiences for programs that do not know this one: as skills of agents, and as JSON lines. */
import type { CurrentExperience, ExperienceLibrary } from '../../experiences/library.ts'
import type { Running } from '../../importer/running.ts'
import type { Digest, Files } from '../../ports.ts'
import type { Layout } from '../../workspace/layout.ts'
import type { Machine } from '../machine.ts'
import type { ExportFormat } from './export-format.ts'
import { exportFolder, type PlacedFile, placeFiles } from './placed-files.ts'
import { skillNames } from './skill-names.ts'
import { isExportedSkill, skillText } from './skill-text.ts'

const SKILL_FILE = 'SKILL.md'
/** What is larger is no skill that was exported. */
const SKILL_BYTES_MAX = 16 * 2 ** 20
const LINES_FILE = 'experiences.jsonl'
const SUM_FILE = `${LINES_FILE}.sha256`
const SUM = /^([0-9a-f]{64}) {2}experiences\.jsonl\n$/

const encoder = new TextEncoder()

interface ExportSetup {
  readonly machine: Machine
  readonly layout: Layout
  /** Asked only once the folder proved to be one that may be written to. */
  readonly library: () => Promise<ExperienceLibrary>
  readonly run: Pick<Running, 'yieldToSignals' | 'signal'>
}

/** Writes them all, or refuses before anything is written. Throws what `exportFolder` and `placeFiles` throw. */
export async function exported({ machine, layout, library, run }: ExportSetup, format: ExportFormat, dir: string) {
  const { files, openDigest } = machine
  const folder = exportFolder(machine, layout, dir)
  const [{ experiences, leftOut, invalid }, digest] = [(await library()).experiences(), await openDigest()]
  const placed = format === 'skills' ? skillFiles(experiences, digest) : lineFiles(experiences, digest, files, folder)
  await placeFiles({ machine, layout, folder, run }, placed)
  return {
    format,
    dir: folder,
    experiences: experiences.length,
    files: placed.map(({ path }) => path).sort(),
    stale: format === 'skills' ? otherSkills(files, folder, placed, digest) : [],
    pending: [...leftOut],
    invalid: [...invalid],
  }
}

/** A folder for each, with one file. */
function skillFiles(experiences: readonly CurrentExperience[], digest: Digest): readonly PlacedFile[] {
  const names = skillNames(
    experiences.map(({ path }) => nameOf(path)),
    digest,
  )
  return experiences.map((current) => {
    const name = names.get(nameOf(current.path)) ?? ''
    return {
      path: `${name}/${SKILL_FILE}`,
      data: encoder.encode(skillText(name, current, digest)),
      isOwn: (found) => isExportedSkill(found, digest),
    }
  })
}

/** Exported skills in a folder that are none of these: of experiences that are gone, or of another workspace. */
function otherSkills(files: Files, folder: string, placed: readonly PlacedFile[], digest: Digest): string[] {
  const known = new Set(placed.map(({ path }) => path))
  return (files.list(folder) ?? []).flatMap(({ name, kind }) => {
    const path = `${name}/${SKILL_FILE}`
    if (kind !== 'folder' || known.has(path)) return []
    const found = files.stat(`${folder}/${path}`)
    if (found?.kind !== 'file' || found.bytes > SKILL_BYTES_MAX) return []
    const bytes = files.read(`${folder}/${path}`)
    return bytes !== null && isExportedSkill(bytes, digest) ? [path] : []
  })
}

/**
 * One line each, and beside them their sum, which `sha256sum -c` takes: it tells whether the lines were changed since, for
 * which they have no room themselves.
 */
function lineFiles(
  experiences: readonly CurrentExperience[],
  digest: Digest,
  files: Files,
  folder: string,
): readonly PlacedFile[] {
  const lines = experiences.map(({ path, version, experience }) => {
    const { description, 'when-to-use': whenToUse, content, sources } = experience
    return `${JSON.stringify({ path, version, description, 'when-to-use': whenToUse, content, sources })}\n`
  })
  const data = encoder.encode(lines.join(''))
  const sumThere = () => SUM.exec(textOf(files.read(`${folder}/${SUM_FILE}`)))?.[1]
  return [
    { path: LINES_FILE, data, isOwn: (found) => digest.sha256(found) === sumThere() },
    {
      path: SUM_FILE,
      data: encoder.encode(`${digest.sha256(data)}  ${LINES_FILE}\n`),
      isOwn: (found) => SUM.test(textOf(found)),
    },
  ]
}

function textOf(bytes: Uint8Array | null): string {
  return new TextDecoder().decode(bytes ?? new Uint8Array())
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.json$/, '')
}
