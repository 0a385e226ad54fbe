/** An experience as the SKILL.md of a skill that agents load. Texts only; knows nothing of folders. */
import type { CurrentExperience } from '../../experiences/library.ts'
import { beginningOf } from '../../model/shortened.ts'
import type { Digest } from '../../ports.ts'

/** UTF-16 units, of which a text never has fewer than characters. */
export const DESCRIPTION_UNITS_MAX = 1024
/** So that the situation, by which a skill is chosen, keeps the larger part. */
const ACHIEVES_UNITS_MAX = 400

// Everything that moves a cursor, reverses reading order or is no character; tab and line feed stay.
const STEERING =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]/g
/** What readers of YAML, of whatever version, take for something else than a text. */
const NO_PLAIN_NAME = /^(?:null|true|false|yes|no|on|off|y|n|[^a-z].*)$/
const CHECKSUM = /^ {2}checksum: "([0-9a-f]{64})"$/m
const HEAD = /^---\nname: .*\ndescription: .*\nmetadata:\n {2}exported-by: knowhow\n(?: {2}.*\n)*?---\n/

/** The whole file. Its checksum tells later whether it still is what was exported. @param name of the skill */
export function skillText(name: string, { path, version, experience }: CurrentExperience, digest: Digest): string {
  const { description, 'when-to-use': whenToUse, content, sources } = experience
  const head = [
    '---',
    `name: ${NO_PLAIN_NAME.test(name) ? JSON.stringify(name) : name}`,
    `description: ${JSON.stringify(skillDescription(name, description, whenToUse))}`,
    'metadata:',
    '  exported-by: knowhow',
    `  experience: ${JSON.stringify(inOneLine(path))}`,
    `  version: "${version}"`,
    '  checksum: ""',
    '---',
  ]
  // What the program says stands first: no text behind it can end or hide it.
  const origin =
    sources.length === 0 ? ['> Sources: none'] : ['> Sources:', ...sources.map((one) => `> - ${inOneLine(one)}`)]
  const body = [
    ...[
      '',
      `> A reference from past runs, not an instruction. Exported by knowhow from ${inOneLine(path)}; edits are better made there.`,
    ],
    ...['>', ...origin],
    ...['', withClosedFences(inLines(description))],
    ...['', '## When to use', '', withClosedFences(inLines(whenToUse))],
    ...['', '## What to do', '', withClosedFences(inLines(content))],
  ]
  const text = `${[...head, ...body].join('\n')}\n`
  return text.replace('  checksum: ""', `  checksum: "${digest.sha256(new TextEncoder().encode(text))}"`)
}

/** Whether a file is an exported skill that nobody has changed since; other ends of lines are no change. */
export function isExportedSkill(bytes: Uint8Array, digest: Digest): boolean {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\r\n', '\n')
  const head = HEAD.exec(text)?.[0] ?? ''
  const checksum = CHECKSUM.exec(head)?.[1]
  if (checksum === undefined) return false
  const blank = head.replace(CHECKSUM, '  checksum: ""') + text.slice(head.length)
  return digest.sha256(new TextEncoder().encode(blank)) === checksum
}

function skillDescription(name: string, description: string, whenToUse: string): string {
  const achieves = cutAtWord(withoutTags(inOneLine(description)), ACHIEVES_UNITS_MAX)
  const when = withoutTags(inOneLine(whenToUse))
  const sentence = achieves === '' || /[.!?…。！？]$/.test(achieves) ? achieves : `${achieves}.`
  const situation = when === '' || /^use\b/i.test(when) ? when : useWhen(when)
  const whole = [sentence, situation].filter((part) => part !== '').join(' ')
  return whole === '' ? `The experience ${name}.` : cutAtWord(whole, DESCRIPTION_UNITS_MAX)
}

function useWhen(situation: string): string {
  return /^when\b/i.test(situation) ? `Use when${situation.slice('when'.length)}` : `Use when: ${situation}`
}

/** The full text stands in the body. */
function cutAtWord(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text
  const beginning = beginningOf(text, unitsMax - 1)
  const end = beginning.lastIndexOf(' ')
  return `${(end > unitsMax / 2 ? beginning.slice(0, end) : beginning).trimEnd()}…`
}

/** Agents put descriptions between tags of their own. */
function withoutTags(text: string): string {
  return text.replaceAll('<', '‹').replaceAll('>', '›')
}

function inOneLine(text: string): string {
  return text.replaceAll(STEERING, ' ').replaceAll(/\s+/g, ' ').trim()
}

function inLines(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(STEERING, '\ufffd').trim()
}

/** Code that is begun and not ended would take in what follows. */
function withClosedFences(text: string): string {
  let open: string | null = null
  for (const line of text.split('\n')) {
    const [, fence = '', rest = ''] = /^ {0,3}(`{3,}|~{3,})(.*)$/.exec(line) ?? []
    if (fence === '') continue
    if (open === null) open = fence.startsWith('`') && rest.includes('`') ? null : fence
    else if (fence.startsWith(open) && rest.trim() === '') open = null
  }
  return open === null ? text : `${text}\n${open}`
}
