/** What later searches and recalls take where they are not told otherwise: view, number of results, session. */
import { nearest } from '../../app/nearest.ts'
import type { Operation } from '../../app/operation.ts'
import { VIEW_NAMES } from '../../model/experience.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { shortened } from '../../model/shortened.ts'
import { SEARCH_LIMIT_MAX } from '../../search/search-request.ts'
import { shownSafely } from '../terminal-text.ts'

/** Fields of operations. */
export const SETTING_NAMES = ['index', 'limit', 'session'] as const
export type SettingName = (typeof SETTING_NAMES)[number]

/** What sets one back. */
export const DEFAULT_WORD = 'default'
const SHOWN_UNITS_MAX = 16

type Values = Partial<Record<SettingName, string | number>>

export class ReplSettings {
  readonly #values: Values = {}

  get values(): Readonly<Values> {
    return this.#values
  }

  /**
   * @param word `DEFAULT_WORD` sets it back
   * @param sessions asked for only where one is chosen
   * Throws `invalid_argument`, and `not_found` for a session there is not.
   */
  async choose(name: SettingName, word: string, sessions: () => Promise<readonly string[]>): Promise<void> {
    if (word === DEFAULT_WORD) delete this.#values[name]
    else this.#values[name] = name === 'session' ? await knownSession(word, sessions) : checked(name, word)
  }

  /** The input with what is set and was not given. What changes anything is told everything by whoever asks for it. */
  completed({ writes, input: schema }: Operation, input: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const fields = writes ? {} : schema().entries
    const set = Object.entries(this.#values).filter(([name]) => name in fields)
    return { ...Object.fromEntries(set), ...input }
  }

  /** In front of what is typed; short, for terminals are narrow. */
  get prompt(): string {
    const { index, limit, session } = this.#values
    const parts = [
      ...(index === undefined ? [] : [index === VIEW_NAMES[0] ? 'situations' : 'contents']),
      ...(limit === undefined ? [] : [`limit ${limit}`]),
      ...(session === undefined ? [] : [shortened(shownSafely(String(session)), SHOWN_UNITS_MAX)]),
    ]
    return parts.length === 0 ? 'knowhow> ' : `knowhow (${parts.join(', ')})> `
  }

  /** One setting in a line. */
  told(name: SettingName): string {
    const value = this.#values[name]
    return `${name}: ${value === undefined ? DEFAULT_MEANINGS[name] : `${value} (/${name} ${DEFAULT_WORD} sets it back)`}`
  }
}

const DEFAULT_MEANINGS: Readonly<Record<SettingName, string>> = {
  index: `default, which is ${VIEW_NAMES[0]}; another: ${VIEW_NAMES.slice(1).join(', ')}`,
  limit: `default, which is search.limit of the settings; another: 1 to ${SEARCH_LIMIT_MAX}`,
  session: 'none; one shows what is its own, see /sessions',
}

export function isSettingName(word: string): word is SettingName {
  return SETTING_NAMES.some((name) => name === word)
}

function checked(name: 'index' | 'limit', word: string): string | number {
  if (name === 'index') {
    if (VIEW_NAMES.some((view) => view === word)) return word
    throw fault(name, `must be ${VIEW_NAMES.join(' or ')}`, word)
  }
  const limit = /^\d+$/.test(word) ? Number(word) : 0
  if (limit >= 1 && limit <= SEARCH_LIMIT_MAX) return limit
  throw fault(name, `must be a whole number from 1 to ${SEARCH_LIMIT_MAX}`, word)
}

async function knownSession(word: string, sessions: () => Promise<readonly string[]>): Promise<string> {
  const known = await sessions()
  if (known.includes(word)) return word
  const near = nearest(word, known)
  const advice = near === null ? 'see /sessions, or begin one by /session start --id ID' : `did you mean ${near}?`
  throw new MemoryError('not_found', `there is no session ${JSON.stringify(word)}; ${advice}`)
}

function fault(name: SettingName, rule: string, word: string): MemoryError {
  return new MemoryError('invalid_argument', `${name}: ${rule}, or ${DEFAULT_WORD} (given: ${JSON.stringify(word)})`, {
    field: name,
  })
}
