/** What a tool call is, whatever producer logged it: its kind, its canonical text and how a reader is shown it. */
import { counted } from '../../model/counted.ts'
import { fieldOf, listField, parsedValue, stableJson, textField } from './json-records.ts'
import type { StepKind } from './run.ts'
import { isEditor, isLook, setsShellAlone } from './shell-command.ts'
import { codeBlock, codeLine, oneLine, shortened, withCode } from './shown-text.ts'

export interface Call {
  readonly kind: StepKind
  /** Whether `command` is a shell command line. */
  readonly shell: boolean
  readonly command: string
  readonly shown: string
  /** See `Step.setting`. */
  readonly setting?: string
}

const SHELL_TOOL =
  /^(?:(?:local_|run_|execute_|exec_)?(?:bash|shell|sh|zsh|terminal|powershell|pwsh|cmd|command|exec|execute)(?:_command|_tool|_exec|_cmd|_call)?|run_(?:shell_command|terminal_cmd|terminal_command|in_terminal)|execute|run)$/
const EDIT_TOOL =
  /edit|write|replace|patch|insert|(?:create|save|delete|move|update|modify|append|rename|remove)_(?:to_)?file|apply_diff/
const LOOK_TOOL =
  /^(?:(?:read|view|open|cat)(?:_(?:many_)?(?:files?|url|image|notebook))?|(?:ls|list|glob|grep|find|search|get|fetch|web)(?:_\w+)?|scroll(?:_\w+)?|goto|bash_?output|codebase_search|notebook_?read)$/
const NOTE_TOOL = /^(?:todo_?(?:write|read)|update_plan|think|exit_?plan_?mode|finish|submit|ask_?user\w*)$/

// What other agents do: it can have changed anything.
const AGENT_TOOL = /^(?:task|agent|skill)$/
const ORDER_UNITS_MAX = 300

// Digits beyond a double's: two different numbers would parse into one.
const LONG_NUMBER = /\d{16}/

/**
 * @param name       the tool
 * @param arguments_ its arguments: a value, or their JSON as text (OpenAI), maybe cut off
 */
export function describeCall(name: string, arguments_: unknown): Call {
  const raw = typeof arguments_ === 'string' ? arguments_ : null
  const value = raw === null ? arguments_ : (parsedValue(raw)[0] ?? raw)
  const tool = toolWord(name)
  const line = shellLine(tool, value)
  if (line !== null)
    return isLook(line)
      ? { kind: 'look', shell: true, command: line, shown: codeLine(line) }
      : { kind: 'command', shell: true, command: line, shown: shownCommand(line) }
  const exact = raw !== null && (LONG_NUMBER.test(raw) || typeof value === 'string')
  const text = exact ? raw : value === undefined || value === null ? '' : stableJson(value)
  const command = `${name} ${text}`.trim()
  if (NOTE_TOOL.test(tool)) return { kind: 'note', shell: false, command, shown: codeLine(command) }
  const action = textField(value, 'command') ?? ''
  if (LOOK_TOOL.test(tool) || action === 'view') {
    return { kind: 'look', shell: false, command, shown: shownLook(tool, value, command) }
  }
  if (EDIT_TOOL.test(tool)) {
    return { kind: 'edit', shell: false, command, shown: shownEdit(name, action, value) }
  }
  const shown = AGENT_TOOL.test(tool) ? shownOrder(name, value, command) : codeLine(command)
  return { kind: 'call', shell: false, command, shown }
}

/** Of a command that has a shell of its own: to set that one up touches nothing else. */
export function inOwnShell(call: Call): Call {
  return call.shell && setsShellAlone(call.command) ? { ...call, kind: 'note' } : call
}

/** `Task: Rewrite parser`: what another agent was told to do; what it did stands elsewhere or nowhere. */
function shownOrder(name: string, value: unknown, command: string): string {
  const order = textField(value, 'prompt', 'description', 'task', 'skill', 'command', 'name')
  return order === null || order.trim() === ''
    ? codeLine(command)
    : `${name}: ${shortened(oneLine(order), ORDER_UNITS_MAX)}`
}

/** `mcp__db__run_query` → `run_query`, `functions.Bash` → `bash`, `ReadFile` → `read_file`. */
function toolWord(name: string): string {
  const last = name.split(/__|[./:]/).at(-1) ?? name
  return last
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
}

function shellLine(tool: string, value: unknown): string | null {
  if (!SHELL_TOOL.test(tool)) return null
  // What starts like JSON and is none was cut off.
  if (typeof value === 'string') return /^\s*[{[]/.test(value) ? null : value.trim() || null
  for (const name of ['command', 'cmd', 'script', 'commands', 'input', 'code']) {
    const field = fieldOf(value, name)
    if (typeof field === 'string' && field.trim() !== '') return field.trim()
    if (Array.isArray(field) && field.length > 0 && field.every((word) => typeof word === 'string')) {
      return argumentLine(field)
    }
  }
  return null
}

/** `["bash", "-lc", "make test"]` is `make test`; other lists are words. */
function argumentLine(words: readonly string[]): string {
  const script = words[2]
  if (words.length === 3 && script !== undefined && /^-\w*c$/.test(words[1] ?? '')) return script.trim()
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`)).join(' ')
}

function pathOf(value: unknown): string {
  return textField(value, 'file_path', 'path', 'filePath', 'filename', 'file_name', 'file', 'notebook_path') ?? ''
}

function shownLook(tool: string, value: unknown, command: string): string {
  const path = oneLine(pathOf(value))
  const pattern = textField(value, 'pattern', 'query', 'regex', 'search')
  if (pattern !== null) return `search for ${codeLine(pattern)}${path === '' ? '' : ` in ${path}`}`
  return path === '' ? codeLine(command) : `${tool.startsWith('l') ? 'list' : 'read'} ${path}`
}

function shownEdit(name: string, action: string, value: unknown): string {
  const path = oneLine(pathOf(value))
  const patch = typeof value === 'string' ? value : textField(value, 'patch', 'input', 'diff')
  if (patch !== null && path === '') return shownPatch(name, patch)
  const where = path === '' ? name : path
  const edits = listField(value, 'edits')
  const changes = (edits.length > 0 ? edits : [value]).map(shownChange).filter((change) => change !== null)
  if (changes.length > 0) {
    const more = changes.length - CHANGES_SHOWN_MAX
    const shown = changes.slice(0, CHANGES_SHOWN_MAX)
    if (more > 0) shown.push(`and ${counted(more, 'more change')}`)
    return `edit ${where}: ${shown.join(shown.some((change) => change.includes('\n')) ? '\n' : '; ')}`
  }
  const content = textField(value, 'content', 'contents', 'file_text', 'text', 'new_source', 'code')
  if (content !== null) return withCode(`write ${where}:`, content)
  return path === '' ? `${name} ${codeLine(stableJson(value))}` : `${action === '' ? name : action} ${path}`
}

const CHANGES_SHOWN_MAX = 4

/** An editor's command is all that a log shows of an edit by hand. */
function shownCommand(line: string): string {
  if (isEditor(line)) return `${codeLine(line)} (an edit by hand; what was changed is not in the log)`
  return line.includes('\n') ? withCode('run:', line) : codeLine(line)
}

/** A patch is shown by the files it names and its changed lines. */
function shownPatch(name: string, patch: string): string {
  const files = [...patch.matchAll(/^(?:\*\*\* (?:Add|Update|Delete) File: |\+\+\+ (?:b\/)?)(\S.*)$/gm)].map(
    (match) => match[1],
  )
  const changes = patch.split('\n').filter((line) => /^[+-](?![+-]{2})/.test(line))
  const where = files.length === 0 ? name : [...new Set(files)].slice(0, CHANGES_SHOWN_MAX).join(', ')
  return withCode(`patch ${where}:`, changes.length > 0 ? changes.join('\n') : patch)
}

/** What really differs between the old and the new text, whole lines. Null when the value holds no such pair. */
function shownChange(value: unknown): string | null {
  const before = textField(value, 'old_string', 'old_str', 'oldText', 'old_text', 'search') ?? ''
  const after = textField(value, 'new_string', 'new_str', 'newText', 'new_text', 'replace', 'insert_text')
  if (after === null) return null
  const [gone, fresh] = differing(before.split('\n'), after.split('\n'))
  if (gone.trim() === '') return fresh.trim() === '' ? 'white space only' : withCode('insert', fresh)
  if (fresh.trim() === '') return withCode('remove', gone)
  return [gone, fresh].some((text) => text.trim().includes('\n'))
    ? `replace${codeBlock(gone)}\nwith${codeBlock(fresh)}`
    : `replace ${codeLine(gone)} with ${codeLine(fresh)}`
}

/** Both texts without the lines that they begin and end with alike. */
function differing(before: readonly string[], after: readonly string[]): readonly [gone: string, fresh: string] {
  const start = sharedStart(before, after)
  const gone = before.slice(start)
  const fresh = after.slice(start)
  const end = sharedStart(gone.toReversed(), fresh.toReversed())
  return [gone.slice(0, gone.length - end).join('\n'), fresh.slice(0, fresh.length - end).join('\n')]
}

function sharedStart(one: readonly string[], other: readonly string[]): number {
  const end = one.findIndex((line, index) => line !== other[index])
  return end < 0 ? one.length : end
}
