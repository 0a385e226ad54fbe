/** What can be told from argv alone, before any operation is known. */

/** Whether an argv that could not be read asked for JSON: its error must still be told in it. */
export function wantsJson(argv: readonly string[]): boolean {
  return beforeDoubleDash(argv).some((word) => word === '--json' || word.startsWith('--json='))
}

/** `knowhow --version` and its like. Behind other words it may be the value of a flag. */
export function beginsWithVersion([first = '']: readonly string[]): boolean {
  return ['--version', '-v', 'version'].includes(first)
}

export function versionText(version: string, json: boolean): string {
  return json ? `${JSON.stringify({ version })}\n` : `knowhow ${version}\n`
}

export function beforeDoubleDash(words: readonly string[]): readonly string[] {
  const end = words.indexOf('--')
  return end === -1 ? words : words.slice(0, end)
}
