/** `KEY=value` lines, as `--env-file` reads them. */
import { MemoryError } from '../model/memory-error.ts'

const LINE = /^\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*?)\s*$/

/** Blank lines and `#` comments are skipped; quotes around a value are taken off. Throws `invalid_config` with the line. */
export function parseEnvironment(text: string, path: string): ReadonlyMap<string, string> {
  const variables = new Map<string, string>()
  for (const [lineIndex, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue
    const [, name, value] = LINE.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw new MemoryError('invalid_config', `${path}, line ${lineIndex + 1}: not of the form KEY=value`)
    variables.set(name, unquoted(value))
  }
  return variables
}

/** What the runtime itself reads, of the environment that the process began with. */
const OF_THE_PROCESS = /^(?:(?:https?|all|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(?:FILE|DIR))$/i

/** Those that come too late from a file. @returns their names */
export function lateVariables(variables: ReadonlyMap<string, string>): readonly string[] {
  return [...variables.keys()].filter((name) => OF_THE_PROCESS.test(name)).sort()
}

/** A comment may follow: behind the closing quote, or behind a blank. */
function unquoted(value: string): string {
  const quoted = /^(["'])(.*?)\1\s*(?:#.*)?$/.exec(value)?.[2]
  return quoted ?? value.replace(/\s+#.*$/, '')
}
