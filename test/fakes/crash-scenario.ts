/** One import that the suites on real disks break: three pieces, creates and updates. */
import { createHash } from 'node:crypto'
import { PLANNED_TEXTS, type PlannedWrite } from './planned-agent.ts'

const LINES = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')

/** Lines of 4 tokens by the tokenizer of the fakes and of 5 by the built-in one, of which segments of 100 take 23 and 19. */
export const LOG = LINES.map((name) => `line ${name} went wrong\n`).join('')
export const SEGMENTS = 3
export const REQUEST = 'run-1'
export const TRAJECTORY = 'session/trajectories/run.log'

export function planned(action: PlannedWrite['action'], name: string, text: string): PlannedWrite {
  return { action, name, key: `${action}-${name}-${text.length}`, text }
}

export const PLAN: readonly (readonly PlannedWrite[])[] = [
  [planned('created', 'alpha', 'First way.'), planned('created', 'beta', 'Second way.')],
  [planned('updated', 'alpha', 'Better first way.'), planned('created', 'gamma', 'Third way.')],
  [planned('updated', 'beta', 'Better second way.')],
]

/** Content of each experience at the end. */
export const FINAL: Readonly<Record<string, string>> = {
  alpha: 'Better first way.',
  beta: 'Better second way.',
  gamma: 'Third way.',
}

export function bytesOf(content: string): Uint8Array<ArrayBuffer> {
  const experience = { ...PLANNED_TEXTS, content, sources: [TRAJECTORY] }
  return new TextEncoder().encode(`${JSON.stringify(experience, null, 2)}\n`)
}

export function versionOf(content: string): string {
  return createHash('sha256').update(bytesOf(content)).digest('hex')
}

/** The versions that the plan gives an experience, in order. */
export function plannedVersions(path: string): readonly string[] {
  const writes = PLAN.flat().filter(({ name }) => path === `procedures/${name}.json`)
  return writes.map(({ text }) => versionOf(text))
}
