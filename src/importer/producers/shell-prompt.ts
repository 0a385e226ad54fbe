/** Shell prompts: where a line stops being output and starts being a command. */

/** Each is tried on a line without control sequences; the last group is the command, `place` where it runs. */
const PROMPTS: readonly RegExp[] = [
  // user@host:~/x$ cmd, (venv) [user@host x]# cmd, user@host ~ % cmd
  /^(?:\([\w.-]+\) )?\[?(?<place>[\w.-]+@[\w.-]+[: ][^$#%\n]{0,200}?)\]? ?[$#%] (\S.*)$/,
  /^PS(?<place> [A-Za-z]:\\[^>\n]{0,200}| \/[^>\n]{0,200}| ~[^>\n]{0,200})?> ?(\S.*)$/,
  /^(?<place>[A-Za-z]:\\[^>\n]{0,200})>(\S.*)$/,
  // oh-my-zsh: ➜  shop git:(main) ✗ cmd; two blanks, a folder, then the command. Bare: ➜ cmd
  /^(?:\([\w.-]+\) )?➜ {2}(?<place>\S+) +(?:git:\([^)\n]{1,100}\) +)?(?:[✗✔] +)?((?!git:\(|[✗✔])\S.*)$/,
  /^(?:\([\w.-]+\) )?➜ (\S.*)$/,
  // starship, pure, powerlevel10k: ❯ cmd, shop ❯ cmd, ~/shop main !1 ❯ cmd
  /^(?:\([\w.-]+\) )?(?:(?<place>[\w.-]{1,60}|[~/][^\s❯]{0,80}) (?:[^\s❯]{1,40} ){0,6})?❯ +(\S.*)$/,
  /^(?:\([\w.-]+\) )?(?:(?<place>[~/][\w.~/-]{0,80}) ?|bash-[\d.]+|sh-[\d.]+)?\$ ([A-Za-z_./~"'({[!#].*)$/,
]

// `# cmd` may be a comment or a heading, `> cmd` a quotation, so they are prompts only in a log that has no other,
// and only before a program people know.
const WEAK_PROMPT =
  /^[#>%+] ((?:sudo |[A-Z_]+=\S+ )*(?:apt|apt-get|apk|dnf|yum|systemctl|service|docker|docker-compose|podman|kubectl|helm|terraform|make|cmake|ninja|gcc|cargo|rustc|go|npm|npx|pnpm|yarn|bun|deno|node|python3?|pip3?|pytest|uv|poetry|ruby|bundle|rake|mvn|gradle|\.\/\S+|git|ls|cd|cat|cp|mv|rm|mkdir|chmod|chown|sed|grep|find|curl|wget|psql|mysql|redis-cli|ssh|scp|rsync|tar|echo|export|vi|vim|nano|dotnet|tsc|jest|vitest|mount|ip|ping)(?: .*)?)$/

// `+ cmd` is a trace of `set -x` where people know the program; then so are the others, but never in a diff.
const TRACE = /^\+ ([A-Za-z_./~"'({[!].*)$/
const DIFF = /^(?:@@ -\d|\+\+\+ |diff --git )/

/** What waits at the end of a session, or after an empty line was entered. */
const BARE_PROMPT =
  /^(?:\([\w.-]+\) )?(?:\[?[\w.-]+@[\w.-]+[: ][^$#%\n]{0,200}\]?[$#%]|\$|➜(?: {2}\S+(?: git:\([^)\n]{1,100}\))?(?: [✗✔])?)?|(?:[~/][^\s❯]{0,80} (?:[^\s❯]{1,40} ){0,6})?❯)\s*$/

const LEADING_TIME = /^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? /

export interface Prompted {
  readonly command: string
  /** Host and folder as the prompt shows them; null when it does not. */
  readonly place: string | null
}

export type PromptReader = (line: string) => Prompted | null

/** @returns how this log writes its prompts, or null when fewer than two lines have one. */
export function promptReader(lines: readonly string[], options: { readonly weak: boolean }): PromptReader | null {
  const strong: PromptReader = (line) => promptCommand(line, PROMPTS)
  if (isSeenTwice(lines, strong)) return strong
  const weak: PromptReader = (line) => promptCommand(line, [WEAK_PROMPT])
  if (!options.weak || !isSeenTwice(lines, weak)) return null
  const isTrace = isSeenTwice(lines, (line) => (TRACE.test(line.replace(LEADING_TIME, '')) ? weak(line) : null))
  if (!isTrace) return (line) => (line.startsWith('+') ? null : weak(line))
  return lines.some((line) => DIFF.test(line)) ? null : (line) => promptCommand(line, [TRACE])
}

function isSeenTwice(lines: readonly string[], read: PromptReader): boolean {
  const first = lines.findIndex((line) => read(line) !== null)
  return first >= 0 && lines.some((line, index) => index > first && read(line) !== null)
}

/** A prompt without a command. */
export function isBarePrompt(line: string): boolean {
  return BARE_PROMPT.test(line.slice(0, 300))
}

const PROMPT_LINE_UNITS_MAX = 20_000

function promptCommand(line: string, patterns: readonly RegExp[]): Prompted | null {
  if (line.length > PROMPT_LINE_UNITS_MAX) return null
  const bare = line.replace(LEADING_TIME, '')
  for (const pattern of patterns) {
    const match = pattern.exec(bare)
    const command = match?.at(-1)
    if (match === null || command === undefined) continue
    // Behind the folder some prompts show the branch, which a fix may well change.
    const { place = '' } = match.groups ?? {}
    return { command: command.trim(), place: place.replace(/ ?[([{].*$/, '').trim() || null }
  }
  return null
}
