/** How models write a call of a tool as text where their server knows no calls. Reads one call at one place. */

import { isRecord } from '../model/json-values.ts'
import { execAt, matchedAt } from '../model/match-at.ts'

export interface FoundCall {
  readonly name: string
  /** Behind it. */
  readonly end: number
}

const NAMESPACE = '(?:(?:to=)?(?:functions?|tools?|default_api)[.:/])?'
/** Fences, marks, tokens of templates and tags around several calls: they say nothing. */
const LEADING =
  /(?:\s|`{3}[\w-]*\n|[`*>]|<[|｜][^|｜<>\n]{1,60}[|｜]>|\[(?:TOOL_CALLS?|ARGS|TOOL_REQUEST)\]|<(?:tools|tool_calls|function_calls|antml:function_calls)>)+/y
const TRAILING =
  /(?:\s|[`*;.,\])>]|<[|｜][^|｜<>\n]{1,60}[|｜]>|\[[A-Z_/]{1,30}\]|<\/[\w:.-]{1,64}>|print\(\w{1,40}\))+/y
const LABEL =
  /(?:(?:function|tool|call|(?:tool|function)[ _-]?(?:call|name|use)|action|assistant|json|xml)(?:\s*[:：]\s*|(?=<[|｜]))|(?:commentary|analysis|await|return)\s+|print\(|[a-z_]\w{0,30} ?= ?(?=[a-z_.]{2,80}\())+/iy
const CALL_TAG = /<((?:antml:)?invoke|tool_call|tool_use|tool|function_call|function|action|call)\b[^<>\n]{0,200}>/y
/** Between the name of a tool and the JSON of its arguments. */
const BEFORE_ARGUMENTS =
  /(?::\d{1,3}(?=\s*\{)|[ \t:]|`{3}[\w-]*|\n\s{0,8}|<[|｜][^|｜<>\n]{1,60}[|｜]>|json\b|\[ARGS\]|\[CALL_ID\]\w{1,40}|(?:action[ _]input|tool[ _]input|arguments?|args|input|parameters)\s*[:=])+/iy
const INPUT_LINE = /[ \t]*\n\s{0,8}(?:action[ _]input|tool[ _]input|arguments?|args|input|parameters)\s*:[^\n]*/iy
const LINE_END = /[`*)\]]*[ \t]*(?:\n|$)/y

const NAME_KEYS = ['name', 'tool', 'tool_name', 'function', 'function_name', 'recipient_name', 'action']
const ARGUMENT_KEYS = ['arguments', 'parameters', 'args', 'input', 'action_input', 'tool_input', 'kwargs']
const CALL_KEYS: ReadonlySet<string> = new Set([...NAME_KEYS, ...ARGUMENT_KEYS, 'id', 'type', 'index', 'call_id'])
const WRAPPER_KEYS = ['tool_calls', 'tool_call', 'function_call', 'function', 'tool_uses', 'calls']
const JSON_NAME = new RegExp(`"(?:${NAME_KEYS.join('|')})"\\s*:\\s*"([\\w.:/ ]{1,80})"`)
const JSON_KEY = /^\{\s*"([\w.]{1,80})"\s*:\s*\{/
/** Of JSON that cannot be parsed, where its name has to stand. UTF-16 units. */
const NAME_WITHIN_UNITS = 400

/** As in `<tool_calls><tool_call><function=…>`. */
const OPEN_TAGS_MAX = 3

/** @returns undefined for what is no JSON */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Most messages are none.
    return undefined
  }
}

export class CallNotations {
  readonly names: readonly string[]
  readonly #name: RegExp
  readonly #ownTag: RegExp
  readonly #anyName: RegExp
  readonly #namespace = new RegExp(`^${NAMESPACE}`)

  constructor(names: readonly string[]) {
    this.names = names
    const anyName = names.map((name) => RegExp.escape(name)).join('|')
    this.#name = new RegExp(
      `\\[?["'\`*]{0,3}${NAMESPACE}(${anyName})(?:\\.(?:call|invoke|run)(?=\\())?(?![\\w-])["'\`*]{0,3}`,
      'y',
    )
    this.#ownTag = new RegExp(`<${NAMESPACE}(${anyName})(?:\\s[^<>]{0,200})?>`, 'y')
    this.#anyName = new RegExp(`(?<![\\w-])(?:${anyName})(?![\\w-])`)
  }

  /** The tool of that name, with or without its namespace and the number of the call. */
  named(value: unknown): string | null {
    if (typeof value !== 'string') return null
    const name = value
      .trim()
      .replace(this.#namespace, '')
      .replace(/:\d{1,3}$/, '')
    return this.names.includes(name) ? name : null
  }

  /** @param tags that stand around the place and have no end */
  callAt(text: string, start: number, tags = 0): FoundCall | null {
    const label = behind(LEADING, text, start)
    const unlabelled = behind(LABEL, text, label)
    const at = behind(LEADING, text, unlabelled)
    return this.#jsonCall(text, at) ?? this.#taggedCall(text, at, tags) ?? this.#namedCall(text, at, unlabelled > label)
  }

  #jsonCall(text: string, at: number): FoundCall | null {
    if (text[at] !== '{' && text[at] !== '[') return null
    const end = closeOf(text, at)
    const part = text.slice(at, end)
    const value = parsedJson(part)
    const name = value === undefined ? this.#nameInBrokenJson(part) : this.#nameInJson(value)
    return name === null ? null : { name, end }
  }

  #nameInJson(value: unknown): string | null {
    if (Array.isArray(value)) return firstName(value, (each) => this.#nameInJson(each))
    if (!isRecord(value)) return null
    const keys = Object.keys(value)
    // A tool first of all: its arguments may stand beside it instead of in a field.
    const leads = NAME_KEYS.includes(keys[0] ?? '') && String(value[keys[0] ?? '']).includes('_')
    const isCall = leads || keys.some((key) => ARGUMENT_KEYS.includes(key)) || keys.every((key) => CALL_KEYS.has(key))
    const named = isCall ? firstName(NAME_KEYS, (key) => this.named(value[key])) : null
    const wrapped = named ?? firstName(WRAPPER_KEYS, (key) => this.#nameInJson(value[key]))
    return wrapped ?? (keys.length === 1 ? this.named(keys[0]) : null)
  }

  /** Of JSON that does not close, or has a slip in it. */
  #nameInBrokenJson(part: string): string | null {
    const start = part.slice(0, NAME_WITHIN_UNITS)
    const hasArguments = ARGUMENT_KEYS.some((key) => start.includes(`"${key}"`))
    const named = hasArguments ? this.named(JSON_NAME.exec(start)?.[1]) : null
    return named ?? this.named(JSON_KEY.exec(start)?.[1])
  }

  /** `<tool_call>…</tool_call>`, `<invoke name="…">`, `<function=…>`, and the tool's own name as a tag. */
  #taggedCall(text: string, at: number, tags: number): FoundCall | null {
    const opening = execAt(this.#ownTag, text, at) ?? execAt(CALL_TAG, text, at)
    if (opening === null) return null
    const [tag, kind = ''] = opening
    if (tag.endsWith('/>')) return this.#nameIn(tag, at + tag.length)
    const closing = text.indexOf(`</${kind}`, at)
    if (closing !== -1) {
      const tagEnd = text.indexOf('>', closing)
      const inside = text.slice(at, Math.min(closing, at + NAME_WITHIN_UNITS))
      return this.#nameIn(inside, tagEnd === -1 ? text.length : tagEnd + 1)
    }
    // Without its end a tag may be one that a sentence speaks of, so a whole call has to follow.
    const inner = tags < OPEN_TAGS_MAX ? this.callAt(text, at + tag.length, tags + 1) : null
    return inner ?? this.#attributeCall(text, tag, at + tag.length)
  }

  /** `<function=note>{…}`, whose end is left out. */
  #attributeCall(text: string, tag: string, at: number): FoundCall | null {
    const braces = behind(LEADING, text, at)
    return text[braces] === '{' || text[braces] === '<' ? this.#nameIn(tag, text.length) : null
  }

  /** The first there is: arguments, which come behind it, may name other tools. */
  nameWithin(part: string): string | null {
    return this.#anyName.exec(part)?.[0] ?? null
  }

  #nameIn(part: string, end: number): FoundCall | null {
    const name = this.nameWithin(part)
    return name === null ? null : { name, end }
  }

  /** `note(…)`, `note {…}`, and, behind `Action:` or `Tool:`, the name alone. */
  #namedCall(text: string, at: number, isLabelled: boolean): FoundCall | null {
    const [found, name] = execAt(this.#name, text, at) ?? []
    if (found === undefined || name === undefined) return null
    const nameEnd = at + found.length
    if (text[nameEnd] === '(') return { name, end: closeOf(text, nameEnd) }
    const braces = behind(BEFORE_ARGUMENTS, text, nameEnd)
    if (text[braces] === '{') return { name, end: closeOf(text, braces) }
    if (!isLabelled || execAt(LINE_END, text, nameEnd) === null) return null
    return { name, end: behind(INPUT_LINE, text, nameEnd) }
  }

  behindTrailing(text: string, at: number): number {
    return behind(TRAILING, text, at)
  }
}

function firstName<T>(values: readonly T[], nameOf: (value: T) => string | null): string | null {
  for (const value of values) {
    const name = nameOf(value)
    if (name !== null) return name
  }
  return null
}

function behind(pattern: RegExp, text: string, at: number): number {
  return at + matchedAt(pattern, text, at).length
}

const CLOSING: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' }

/** Behind the bracket that closes the one there; the end of the text when none does. Brackets in strings do not count. */
function closeOf(text: string, start: number): number {
  const open: string[] = []
  let quote = ''
  for (let at = start; at < text.length; at += 1) {
    const unit = text[at] ?? ''
    if (quote !== '') {
      if (unit === '\\') at += 1
      else if (unit === quote) quote = ''
    } else if (unit === '"' || (unit === "'" && /[=(,[{:\s]/.test(text[at - 1] ?? ''))) quote = unit
    else if (unit in CLOSING) open.push(CLOSING[unit] ?? '')
    else if (unit === open.at(-1) && open.pop() !== undefined && open.length === 0) return at + 1
  }
  return text.length
}
