/** Reads shell command lines just far enough: their parts, whether they only look, whether their exit code is theirs. */

export interface CommandShape {
  /** The simple commands between `&&`, `||`, `;`, `|` and line ends, outside quotes. */
  readonly segments: readonly string[]
  readonly operators: readonly string[]
  /** Whether output goes into a file. */
  readonly writes: boolean
}

/** Stops at a here-document: what follows is data. */
export function commandShape(command: string): CommandShape {
  const segments: string[] = []
  const operators: string[] = []
  let writes = false
  let hereDocument = false
  let start = 0
  let quote = ''
  const cut = (end: number, operator: string): void => {
    segments.push(command.slice(start, end).trim())
    operators.push(operator)
    start = end + operator.length
  }
  for (let index = 0; index < command.length; index++) {
    const character = command.charAt(index)
    if (character === '\\' && quote !== "'") index++
    else if (quote !== '') quote = character === quote ? '' : quote
    else if (character === '"' || character === "'" || character === '`') quote = character
    else if (command.startsWith('<<', index)) {
      hereDocument = command[index + 2] !== '<'
      index += 2
    } else if (character === '\n' && hereDocument) break
    else if (character === '>') {
      const target = /^>{1,2}\s?(&\d|\/dev\/\S+)?/.exec(command.slice(index, index + 40))
      writes ||= target?.[1] === undefined
      index += (target?.[0].length ?? 1) - 1
    } else if (command.startsWith('&&', index) || command.startsWith('||', index)) {
      cut(index, command.slice(index, index + 2))
      index++
    } else if (character === '|' || character === ';' || character === '\n') cut(index, character)
  }
  segments.push(command.slice(start).trim())
  return { segments: segments.filter((segment) => segment !== ''), operators, writes }
}

/**
 * Whether the exit code of the whole says nothing about its parts: the end of a pipe, of a list or of an `|| true` is
 * another program's success.
 */
export function masksExitCode(command: string): boolean {
  const { operators } = commandShape(command)
  if (command.includes('set -e') || command.includes('set -o pipefail')) return operators.includes('||')
  return operators.some((operator) => operator !== '&&')
}

/** What makes a command line succeed in any case stands at its end and is short. */
const TAIL_UNITS = 200

/** Whether the exit code is 0 whatever happens: `pytest || true`, `pytest; true`, `pytest || echo failed`. */
export function isAlwaysZero(command: string): boolean {
  const tail = command.slice(-TAIL_UNITS)
  const end = tail.replace(/\s*;\s*echo [^;&|]*\$\?[^;&|]*$/, '').replace(/[\s;)}]+$/, '')
  const bare = command.slice(0, command.length - tail.length) + end
  const { segments, operators } = commandShape(bare)
  const operator = operators.at(-1)
  const last = (segments.at(-1) ?? '').slice(0, TAIL_UNITS).replace(/\s*\d?>.*$/, '')
  if (operators.length === 0 || segments.length < 2) return false
  if (/^(?:(?:\/bin\/)?true|:|exit 0)$/.test(last)) return operator !== '&&' && operator !== '|'
  return operator === '||' && /^(?:echo|printf)\b/.test(last)
}

const WRAPPERS = [
  /^(?:sudo(?: -[A-Za-z]+)*|time|command|exec|nohup|env) /,
  /^timeout (?:-\S+ )*[\d.]+[smhd]? /,
  /^[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*) /,
  /^(?:npx(?: --?\S+)*|bunx|pnpm exec|pnpm dlx|yarn exec|poetry run|uv run|pipenv run|bundle exec|hatch run) /,
  /^python[\d.]* -m /,
] as const

/** `sudo X=1 npx jest a` → `jest a`. */
export function unwrapped(segment: string): string {
  let text = segment
  for (let round = 0; round < 6; round++) {
    const shorter = WRAPPERS.reduce((rest, wrapper) => rest.replace(wrapper, ''), text)
    if (shorter === text) break
    text = shorter
  }
  return text
}

/** The program a simple command starts, without its folder and `.exe`. */
export function programOf(segment: string): string {
  const word = /^\S+/.exec(unwrapped(segment))?.[0] ?? ''
  return word.replace(/^.*[\\/]/, '').replace(/\.exe$/i, '')
}

const LOOKING_PROGRAMS = new Set(
  '[ [[ test sleep wait set : cat head tail less more bat ls ll dir tree find fd grep egrep fgrep rg ag ack wc pwd which whereis type file stat du df env printenv date whoami hostname uname id ps top history man diff cmp nl sort uniq cut jq true cd echo printf clear xxd hexdump Get-Content Get-ChildItem Select-String'.split(
    ' ',
  ),
)
const LOOKING_COMMANDS =
  /^(?:sed (?!.*(?:-i|--in-place)).*|awk (?!.*-i).*|git (?:--no-pager )?(?:status|log|diff|show|blame|grep|ls-files|rev-parse|reflog|describe|shortlog|branch(?: -[avr]+)?$|remote -v|stash list|config --(?:get|list))(?: .*)?|docker (?:ps|images|logs|inspect)(?: .*)?|kubectl (?:get|describe|logs)(?: .*)?|(?:npm|pnpm|yarn) (?:ls|list|view|info|why|explain|outdated)(?: .*)?|pip3? (?:list|show|freeze|index)(?: .*)?|\S+ (?:--version|-V|--help)|(?:node|python3?|java) -{1,2}[vV](?:ersion)?)$/s

/** Whether every part of the command only reads: it can be no fix and no check. */
export function isLook(command: string): boolean {
  const { segments, writes } = commandShape(command)
  return !writes && segments.length > 0 && segments.every(isLookingSegment)
}

function isLookingSegment(segment: string): boolean {
  const bare = unwrapped(segment)
  const program = programOf(segment)
  if (program === 'find' && /-(?:delete|exec)\b/.test(bare)) return false
  return LOOKING_PROGRAMS.has(program) || LOOKING_COMMANDS.test(bare)
}

/** Whether every part asks a service, which may refuse: its answer is then a failure of the command's own. */
export function isQuery(command: string): boolean {
  return commandShape(command).segments.every((segment) =>
    /^(?:kubectl (?:get|describe)|docker (?:ps|images|inspect))\b/.test(unwrapped(segment)),
  )
}

// `make` is none of them: it says itself that it failed.
const BUILD =
  /^(?:\S*\/)?(?:mvnw?|webpack|rollup|esbuild)\b|^\S+ (?:run )?(?:\S+:)?(?:build|compile|bundle|typecheck)(?:$|[\s:])/

/** Whether it builds, and does nothing else that could print. */
export function isBuild(command: string): boolean {
  const { segments } = commandShape(command)
  const isBuilding = (segment: string): boolean => BUILD.test(unwrapped(segment))
  return segments.some(isBuilding) && segments.every((segment) => isBuilding(segment) || isLookingSegment(segment))
}

const EDITORS = new Set('vi vim nvim nano pico emacs micro hx joe code subl gedit notepad'.split(' '))

/** Whether a person edited by hand: what was changed the log cannot show. */
export function isEditor(command: string): boolean {
  const { segments } = commandShape(command)
  return segments.length === 1 && EDITORS.has(programOf(segments[0] ?? ''))
}
