/** How pieces of a log are shown to a reader: short, with every cut told, without names of people, in the order in which they are written. */
import { counted } from '../../model/counted.ts'

// Characters without a shape that make what follows them read from the other side: what is shown would not be what is there.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

function unturned(text: string): string {
  return text.replace(TURNING, '')
}

/**
 * Homes of people become `~`, their mail addresses `…`.
 * @param folder of the run, when it is known: homes that it does not lie in are other people's, `/home/…`
 */
export function withoutNames(text: string, folder: string | null = null): string {
  return unturned(text)
    .replace(/(\/home|\/Users)\/[^/\s"'`:;,)]+/g, (home, all: string) =>
      folder === null || `${folder}/`.startsWith(`${home}/`) ? '~' : `${all}/…`,
    )
    .replace(/\b[A-Za-z]:\\{1,2}Users\\{1,2}[^\\\s"'`:;,)]+/g, '~')
    .replace(/(?<![\w.+-])(?!git@)[\w.+-]{1,64}@[A-Za-z][\w-]{0,60}(?:\.[\w-]{1,60}){0,4}\.[A-Za-z]{2,10}\b(?!:)/g, '…')
}

/** @returns `text` cut to about `unitsMax` at a word's end, the cut shown by `…`; never inside a surrogate pair. */
export function shortened(text: string, unitsMax: number): string {
  const whole = unturned(text)
  if (whole.length <= unitsMax) return whole
  const head = whole.slice(0, unitsMax)
  const space = head.lastIndexOf(' ')
  const kept = space > unitsMax / 2 ? head.slice(0, space) : head.replace(/[\ud800-\udbff]$/, '')
  return `${kept.trimEnd()} …`
}

/**
 * `text` cut to `unitsMax`, saying how many characters more there are.
 * @param missing characters that `text` lacks already at its end
 */
export function truncated(text: string, unitsMax: number, missing = 0): string {
  if (text.length <= unitsMax && missing === 0) return text
  const head = text.slice(0, unitsMax).replace(/[\ud800-\udbff]$/, '')
  return `${head}… (${text.length - head.length + missing} more characters)`
}

/** All white space as single blanks. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Text as code in Markdown. */
export function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

const BLOCK_LINES_MAX = 6
const LINE_UNITS_MAX = 300
const BLOCK_INDENT = '    '

/** Code of any length on one line: its first line, and how many follow. */
export function codeLine(text: string): string {
  const [first = '', ...others] = filledLines(text)
  const shown = asCode(truncated(first.trim().replaceAll('\t', ' '), LINE_UNITS_MAX))
  return others.length === 0 ? shown : `${shown} (and ${counted(others.length, 'more line')})`
}

/** `lead` and code: on its line when it is one, else as a block below it. */
export function withCode(lead: string, text: string): string {
  return filledLines(text).length < 2 ? `${lead} ${codeLine(text)}` : lead + codeBlock(text)
}

/** Code as lines of their own, each after a line end; their indent is kept. */
export function codeBlock(text: string): string {
  const lines = filledLines(text)
  const shown = (lines.length > BLOCK_LINES_MAX ? lines.slice(0, BLOCK_LINES_MAX - 1) : lines).map((line) =>
    truncated(line.trimEnd(), LINE_UNITS_MAX),
  )
  const more = lines.length - shown.length
  if (more > 0) shown.push(`… (${counted(more, 'more line')})`)
  return shown.map((line) => `\n${BLOCK_INDENT}${line}`).join('')
}

function filledLines(text: string): readonly string[] {
  return text.split('\n').filter((line) => line.trim() !== '')
}
