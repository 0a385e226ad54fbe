/** How pieces of a log are shown to a reader: on one line, with every cut told, without names of people. */

/** Homes of people become `~`, their mail addresses `…`. */
export function withoutNames(text: string): string {
  return text
    .replace(/(?:\/home|\/Users)\/[^/\s"'`:;,)]+/g, '~')
    .replace(/\b[A-Za-z]:\\{1,2}Users\\{1,2}[^\\\s"'`:;,)]+/g, '~')
    .replace(/(?<![\w.+-])(?!git@)[\w.+-]{1,64}@[A-Za-z][\w-]{0,60}(?:\.[\w-]{1,60}){0,4}\.[A-Za-z]{2,10}\b(?!:)/g, '…')
}

/** @returns `text` cut to about `unitsMax` at a word's end, the cut shown by `…`; never inside a surrogate pair. */
export function shortened(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text
  const head = text.slice(0, unitsMax)
  const space = head.lastIndexOf(' ')
  const whole = space > unitsMax / 2 ? head.slice(0, space) : head.replace(/[\ud800-\udbff]$/, '')
  return `${whole.trimEnd()} …`
}

/** `text` cut to `unitsMax`, saying how many characters more there are. */
export function measured(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text
  const head = text.slice(0, unitsMax).replace(/[\ud800-\udbff]$/, '')
  return `${head}… (${text.length - head.length} more characters)`
}

/** All white space as single blanks. */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ')
}

/** Text as code in Markdown. */
export function asCode(text: string): string {
  return text.includes('`') ? `\`\` ${text} \`\`` : `\`${text}\``
}

export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/** Lines of one piece that are shown joined; a longer piece shows its first line and how many follow. */
const LINES_JOINED_MAX = 5
const LINE_UNITS_MAX = 300

/** Code of any length on one line; its blanks are its meaning and stay, but for the indent all lines share. */
export function codeLine(text: string): string {
  const filled = text.split('\n').filter((line) => line.trim() !== '')
  if (filled.length === 0) return asCode('')
  const lines = filled.length > LINES_JOINED_MAX ? filled.slice(0, 1) : filled
  const indents = lines.slice(lines.length > 1 && !/^\s/.test(lines[0] ?? '') ? 1 : 0).map((line) => line.search(/\S/))
  const indent = indents.reduce((least, next) => Math.min(least, next), Number.POSITIVE_INFINITY)
  const whole = lines.map((line, index) =>
    index === 0 ? line.trim() : line.slice(Math.min(indent, line.search(/\S/))).trimEnd(),
  )
  const joined = whole.join(' ⏎ ').replaceAll('\t', ' ')
  const isWhole = lines.length === filled.length && (lines.length === 1 || joined.length <= LINE_UNITS_MAX)
  if (isWhole) return asCode(measured(joined, LINE_UNITS_MAX))
  return `${asCode(measured(whole[0] ?? '', LINE_UNITS_MAX))} (and ${counted(filled.length - 1, 'more line')})`
}
