/** Reads shell command lines just far enough: their parts, their programs, whether they only look, test or build. */

import { commandElsewhere, isInquiry } from './inquiry.ts'
import { whatIsRead } from './reading-commands.ts'

export interface CommandShape {
  /** The simple commands between `&&`, `||`, `;`, `|`, `&` and line ends, outside quotes. */
  readonly segments: readonly string[]
  /** What stands in front of each segment; empty before the first. */
  readonly leads: readonly string[]
  /** All of them, one at the end included. */
  readonly operators: readonly string[]
  /** Whether output goes into a file. */
  readonly writes: boolean
}

// Where output goes that no file keeps.
const NO_FILE = /^>(?:&\s?(?:\d+|-)|>?\s?(?:\/dev\/[^\s;|&<>()]+|\$null\b|nul\b))/i

/** Stops at a here-document: what follows is data. */
export function commandShape(command: string): CommandShape {
  const segments: string[] = []
  const operators: string[] = []
  let writes = false
  let hereDocument = false
  let start = 0
  let quote = ''
  const cut = (end: number, operator: string, units = operator.length): void => {
    segments.push(command.slice(start, end).trim())
    operators.push(operator)
    start = end + units
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
      const spared = NO_FILE.exec(command.slice(index, index + 60))?.[0]
      writes ||= spared === undefined
      index += spared === undefined ? Number(/[>|&]/.test(command.charAt(index + 1))) : spared.length - 1
    } else if (command.startsWith('&&', index) || command.startsWith('||', index)) {
      cut(index, command.slice(index, index + 2))
      index++
    } else if (command.startsWith('|&', index)) {
      cut(index, '|', 2)
      index++
    } else if (character === '|' || character === ';' || character === '\n') cut(index, character)
    else if (character === '&' && startsBackground(command, start, index)) cut(index, character)
  }
  segments.push(command.slice(start).trim())
  const filled = segments.flatMap((segment, at) => (segment === '' ? [] : [{ segment, lead: operators[at - 1] ?? '' }]))
  return {
    segments: filled.map(({ segment }) => segment),
    leads: filled.map(({ lead }, at) => (at === 0 ? '' : lead)),
    operators,
    writes,
  }
}

/** Whether an `&` sends what stands before it to the background: not in `<&3` or `&> log`, nor where PowerShell calls by it. */
function startsBackground(command: string, start: number, index: number): boolean {
  if (command[index + 1] === '>' || command[index - 1] === '<') return false
  return command.slice(start, index).trim() !== ''
}

const WRAPPERS = [
  /^[({] ?|^(?:do|then|else|if|elif|while|until|!) /,
  /^xargs(?: -\S+(?: \d+)?)* /,
  /^(?:sudo(?: -[A-Za-z]+)*|time|command(?! -[vV])|exec|nohup|env) /,
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
  return word
    .replace(/[)}]+$/, '')
    .replace(/^.*[\\/]/, '')
    .replace(/\.exe$/i, '')
}

const LOOKING_PROGRAMS = new Set(
  '[ [[ test sleep wait set : cat head tail less more bat ls ll dir tree find fd grep egrep fgrep rg ag ack wc pwd which whereis type file stat du df env printenv date whoami hostname uname id ps pgrep pidof lsof top history man diff cmp nl sort uniq cut jq true cd echo printf clear xxd hexdump Get-Content Get-ChildItem Select-String'.split(
    ' ',
  ),
)
const LOOKING_COMMANDS =
  /^(?:sed (?!.*(?:-i|--in-place)).*|awk (?!.*-i).*|git (?:--no-pager )?(?:reflog|branch(?: -[avr]+)?$|remote -v|stash list|config --(?:get|list))(?: .*)?|docker-compose (?:ps|logs|config)(?: .*)?|journalctl(?: .*)?|gh (?:run|pr|issue|workflow|release|repo) (?:view|list|status|diff|checks|watch)(?: .*)?|glab ci (?:view|trace|status|list)(?: .*)?|(?:npm|pnpm|yarn) (?:explain|outdated)(?: .*)?|command -[vV] .*|\S+ (?:--version|-V|--help)|(?:node|python3?|java) -{1,2}[vV](?:ersion)?)$/s

/** Whether every part of the command only reads: it can be no fix and no check. */
export function isLook(command: string): boolean {
  const { segments, writes } = commandShape(command)
  return !writes && segments.length > 0 && segments.every(isLookingSegment)
}

function isLookingSegment(segment: string): boolean {
  if (
    /^(?:for \w+ in .*|while (?:IFS=\S* )?read(?: -\w+)*(?: \w+)*|do|done(?: ?< ?\S+)?|then|else|fi|exit(?: \d+)?)[)}]*$/s.test(
      segment,
    )
  )
    return true
  const bare = unwrapped(segment)
  const program = programOf(segment)
  if (program === 'sort' && /\s(?:-\w*o|--output)/.test(bare)) return false
  if (program === 'find' && /-(?:delete|exec)\b/.test(bare)) return false
  return LOOKING_PROGRAMS.has(program) || whatIsRead(bare) !== null || LOOKING_COMMANDS.test(bare)
}

/** Whether every part asks a service, which may refuse: its answer is then a failure of the command's own. */
export function isQuery(command: string): boolean {
  return commandShape(command).segments.every((segment) => whatIsRead(unwrapped(segment)) === 'service')
}

const CHECKS =
  /^(?:pytest|py\.test|unittest|rspec|(?:\S*\/)?phpunit|phpstan(?: analy[sz]e)?|phpcs|mocha|jest|vitest|ava|ctest|prove|bats|mypy|pyright|basedpyright|flake8|pylint|pycodestyle|pydocstyle|bandit|vulture|eslint|oxlint|standard|stylelint|shellcheck|hadolint|yamllint|actionlint|markdownlint\S*|ansible-lint|tflint|swiftlint(?: lint)?|rubocop(?!.* -[aA](?:\s|$))|golangci-lint|staticcheck|buf lint|ruff check|biome (?:check|lint|ci)|deno (?:lint|check)|svelte-check|cypress run|playwright test|go (?:test|vet)|cargo (?:test|nextest run|check|clippy)|(?:tsc|vue-tsc)(?=.*--noEmit\b)|(?:black|isort|prettier|ruff format|cargo fmt|dprint|gofumpt)(?=.* (?:--check\S*|-c)(?:\s|$)))(?=$|\s)/
// Scripts of a project by names that say what they do, unless they go on with a repair. Other runners build before they test.
const SCRIPT_RUNNER = String.raw`(?:npm|pnpm|yarn|bun|deno)(?: (?:-s|--silent|(?:--workspace|--prefix)[= ]\S+|-C \S+))*(?: run(?:-script)?| task)?(?: -s| --silent)?`
const TASK_RUNNER = 'g?make|just|rake|composer(?: run)?|nox -s|invoke|poe'
const CHECKING_SCRIPT = new RegExp(
  String.raw`^(?:${SCRIPT_RUNNER} (?:tests?|t|verify|check|e2e|spec|coverage)|(?:${SCRIPT_RUNNER}|${TASK_RUNNER}) (?:lint|typecheck|type-check|check-types|types?:check|(?:format|fmt)[:-]check))(?:[:-](?!\S*(?:fix|write|update|format|gen|install|build))[\w:-]+)*(?=$|\s)`,
)
const REPAIRS = /\s(?:-u|-w|--(?:fix|write|update|snapshot-update|bless|apply|auto-?correct)\S*)(?:\s|$)/

/** Whether every part of the command only tests, asks or looks: what passes afterwards it cannot have mended. */
export function isCheck(command: string, levels = NESTED_MAX): boolean {
  const { segments, writes } = commandShape(command)
  const isHarmless = (segment: string): boolean => isLookingSegment(segment) || isTest(segment, levels)
  return !writes && segments.length > 0 && segments.every(isHarmless)
}

const NESTED_MAX = 3

function isTest(segment: string, levels: number): boolean {
  const bare = unwrapped(segment)
  const elsewhere = commandElsewhere(bare)
  if (elsewhere !== null) return levels > 0 && isCheck(elsewhere, levels - 1)
  return (
    (([CHECKS, CHECKING_SCRIPT].some((checks) => checks.test(bare)) || isInquiry(bare)) && !REPAIRS.test(bare)) ||
    isPrint(bare)
  )
}

// Group 2 is the program in quotes.
const ONE_LINER = /^(?:python[\d.]*|node) (?:-c|-e|-p|--eval|--print) (["'])(.+)\1$/s
const PRINTING =
  /^(?:(?:import|from) [\w., *]+|(?:const|let|var) [\w{}, ]+ = require\([^()]*\)|(?:print|console\.log)\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))$/
const ACTING =
  /`|\$\(|\b(?:open|system|popen|run|call|eval|exec|setup|(?:check|write|remove|delete|unlink|rm|mk|make|create|save|dump|download|install|update|drop|migrate|commit|send|upload|set|add|append|insert|execute|copy|move|rename)\w*)\s*\(/i

/** Whether a one-line program only imports and prints. */
function isPrint(segment: string): boolean {
  const code = ONE_LINER.exec(segment)?.[2]
  if (code === undefined || code.length > ONE_LINER_UNITS_MAX || ACTING.test(code)) return false
  return code.split(/[;\n]/).every((statement) => /^\s*$/.test(statement) || PRINTING.test(statement.trim()))
}

const ONE_LINER_UNITS_MAX = 2_000

// What sets up the shell that runs it, and no more.
const SETTING =
  /^(?:(?:export |declare -x |local )?[A-Za-z_]\w*=(?:"[^"`(]*"|'[^']*'|[^\s"'`(]*)|export [A-Za-z_]\w*|unset .*|(?:un)?alias .*|set [-+].*|shopt .*|umask .*|ulimit .*|(?:source|\.) \S*activate|conda activate \S+|nvm use .*|pushd .*|popd)$/

/** Whether nothing of a command lasts longer than its shell. */
export function setsShellAlone(command: string): boolean {
  const { segments, writes } = commandShape(command)
  return (
    !writes &&
    segments.some((segment) => SETTING.test(segment)) &&
    segments.every((segment) => SETTING.test(segment) || isLookingSegment(segment))
  )
}

// `make` is none of them: it says itself that it failed.
const BUILD =
  /^(?:\S*\/)?(?:mvnw?|webpack|rollup|esbuild)\b|^\S+ (?:run )?(?:\S+:)?(?:build|compile|bundle|typecheck)(?:$|[\s:])/

/** Whether a part of the command is there to run tests, whatever it builds for them. */
export function asksForTests(command: string): boolean {
  return commandShape(command).segments.some((segment) =>
    /(?:^|[\s:])\w*(?:[tT]est|check|verify)(?:$|[\s:])/.test(segment),
  )
}

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
