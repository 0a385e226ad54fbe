/** Result codes of SQLite, as Bun, Node and Deno tell them. */

// https://sqlite.org/rescode.html
export const SQLITE = {
  error: 1,
  busy: 5,
  locked: 6,
  readOnly: 8,
  io: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const

// Deno's errors carry no code, only SQLite's own sentence for it, and sometimes the path behind it.
const CODE_OF_SENTENCE: Readonly<Record<string, number>> = {
  'database is locked': SQLITE.busy,
  'database table is locked': SQLITE.locked,
  'attempt to write a readonly database': SQLITE.readOnly,
  'disk I/O error': SQLITE.io,
  'database disk image is malformed': SQLITE.corrupt,
  'database or disk is full': SQLITE.full,
  'unable to open database file': SQLITE.cannotOpen,
  'file is not a database': SQLITE.notADatabase,
}

/** The primary result code, or null when the error is not SQLite's. */
export function primaryCode(error: unknown): number | null {
  if (!(error instanceof Error)) return null
  if ('errcode' in error && typeof error.errcode === 'number') return error.errcode & 0xff
  if (!('code' in error) || error.code !== 'ERR_SQLITE_ERROR') return null
  const found = Object.entries(CODE_OF_SENTENCE).find(([sentence]) => error.message.startsWith(sentence))
  return found?.[1] ?? SQLITE.error
}
