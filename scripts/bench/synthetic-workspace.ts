/** Workspaces of synthetic experiences on disk, written once and used again by later runs. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { experienceBytes } from '../../src/model/experience.ts'
import { type SyntheticExperience, syntheticExperience, syntheticExperiences } from './synthetic-experiences.ts'

export const EXPERIENCE_SEED = 1

const SOURCE = 'session/trajectories/synthetic.log'
// An index whose files are this old need not look at them again for fear of a coarse clock.
const SETTLED_MS = 2_500

export interface SyntheticWorkspace {
  readonly root: string
  /** The folder of the experience files. */
  readonly procedures: string
  readonly count: number
  /** Bytes of the experience files. */
  readonly fileBytes: number
  /** Bytes of `when-to-use` and `content` in UTF-8. */
  readonly textBytes: number
}

/** @param purpose workspaces that a benchmark changes have a purpose of their own */
export function syntheticWorkspace(data: string, count: number, purpose = 'search'): SyntheticWorkspace {
  const root = join(data, `${purpose}-${count}`)
  const marker = `${root}.json`
  const generator = generatorHash()
  if (existsSync(marker)) {
    const known = JSON.parse(readFileSync(marker, 'utf8')) as SyntheticWorkspace & { readonly generator: string }
    const isWhole = existsSync(known.procedures) && readdirSync(known.procedures).length === count
    if (known.generator === generator && isWhole) return known
  }
  console.error(`writing ${count} experiences to ${root} …`)
  rmSync(root, { recursive: true, force: true })
  rmSync(marker, { force: true })
  const written = writeWorkspace(root, count)
  settle()
  writeFileSync(marker, `${JSON.stringify({ ...written, generator })}\n`)
  return written
}

function writeWorkspace(root: string, count: number): SyntheticWorkspace {
  const procedures = join(root, 'procedures')
  mkdirSync(procedures, { recursive: true })
  mkdirSync(join(root, 'session', 'trajectories'), { recursive: true })
  writeFileSync(join(root, SOURCE), 'synthetic\n')
  let fileBytes = 0
  let textBytes = 0
  for (const experience of syntheticExperiences(count, EXPERIENCE_SEED)) {
    fileBytes += writeExperience(procedures, experience)
    textBytes += Buffer.byteLength(experience['when-to-use']) + Buffer.byteLength(experience.content)
  }
  return { root, procedures, count, fileBytes, textBytes }
}

/** Writes over the file of that name. @returns its bytes */
export function writeExperience(procedures: string, { name, ...texts }: SyntheticExperience): number {
  const bytes = experienceBytes({ ...texts, sources: [SOURCE] })
  writeFileSync(join(procedures, `${name}.json`), bytes)
  return bytes.length
}

/** Waits until what was written is on the disk and old enough for an index to trust the times of files. */
export function settle(): void {
  spawnSync('sync')
  Bun.sleepSync(SETTLED_MS)
}

/** Other texts under the same names are another corpus. */
function generatorHash(): string {
  const hash = createHash('sha256').update(SOURCE)
  for (const index of [0, 1, 99, 9_999, 99_999])
    hash.update(JSON.stringify(syntheticExperience(index, EXPERIENCE_SEED)))
  return hash.digest('hex').slice(0, 16)
}
