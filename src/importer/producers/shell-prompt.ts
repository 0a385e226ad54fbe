/** Shell prompts: where a line stops being output and starts being a command. */

/** Each is tried on a line without control sequences; group 1 is the command. */
const PROMPTS: readonly RegExp[] = [
  // user@host:~/x$ cmd, (venv) [user@host x]# cmd, user@host ~ % cmd
  /^(?:\([\w.-]+\) )?\[?[\w.-]+@[\w.-]+[: ][^$#%\n]{0,200}?\]? ?[$#%] (\S.*)$/,
  /^PS(?: [A-Za-z]:\\[^>\n]{0,200}| \/[^>\n]{0,200}| ~[^>\n]{0,200})?> ?(\S.*)$/,
  /^[A-Za-z]:\\[^>\n]{0,200}>(\S.*)$/,
  /^(?:\([\w.-]+\) )?(?:[\w.~/-]{1,60} )?[❯➜] +(\S.*)$/,
  /^(?:\([\w.-]+\) )?(?:[~/][\w.~/-]{0,80} ?|bash-[\d.]+|sh-[\d.]+)?\$ ([A-Za-z_./~"'({[!#].*)$/,
]

// `# cmd` may be a comment or a heading, `> cmd` a quotation, so they are prompts only in a log that has no other,
// and only before a program people know.
const WEAK_PROMPT =
  /^[#>%] ((?:sudo |[A-Z_]+=\S+ )*(?:apt|apt-get|apk|dnf|yum|systemctl|service|docker|docker-compose|podman|kubectl|helm|terraform|make|cmake|ninja|gcc|cargo|rustc|go|npm|npx|pnpm|yarn|bun|deno|node|python3?|pip3?|pytest|uv|poetry|ruby|bundle|rake|mvn|gradle|\.\/\S+|git|ls|cd|cat|cp|mv|rm|mkdir|chmod|chown|sed|grep|find|curl|wget|psql|mysql|redis-cli|ssh|scp|rsync|tar|echo|export|vi|vim|nano|dotnet|tsc|jest|vitest|mount|ip|ping)(?: .*)?)$/

const LEADING_TIME = /^\[?(?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?\]? /

export type PromptReader = (line: string) => string | null

/** @returns how this log writes its prompts, or null when fewer than two lines have one. */
export function promptReader(lines: readonly string[], options: { readonly weak: boolean }): PromptReader | null {
  for (const patterns of options.weak ? [PROMPTS, [WEAK_PROMPT]] : [PROMPTS]) {
    const read: PromptReader = (line) => promptCommand(line, patterns)
    let count = 0
    for (const line of lines) {
      if (read(line) !== null) count++
      if (count === 2) return read
    }
  }
  return null
}

const PROMPT_LINE_UNITS_MAX = 20_000

function promptCommand(line: string, patterns: readonly RegExp[]): string | null {
  if (line.length > PROMPT_LINE_UNITS_MAX) return null
  const bare = line.replace(LEADING_TIME, '')
  for (const pattern of patterns) {
    const command = pattern.exec(bare)?.[1]
    if (command !== undefined) return command.trim()
  }
  return null
}
