/**
 * Writes src/adapters/assets/character-classes.txt from what this runtime knows of Unicode. Run it when Bun changes:
 * `node scripts/run.mjs bun scripts/character-classes.ts`.
 */
import { writeFileSync } from 'node:fs'
import { constants, zstdCompressSync } from 'node:zlib'
import { BLOCK, BLOCK_COUNT, CHARACTER_CLASS } from '../src/adapters/character-classes.ts'

export const ASSET = new URL('../src/adapters/assets/character-classes.txt', import.meta.url)
const LINE_CHARACTERS = 120

const HEAD = `# Classes of all Unicode characters, made by scripts/character-classes.ts with Unicode ${process.versions.unicode}; do not edit.
# Layout: src/adapters/character-classes.ts. Below: zstd in base64.
`

const KINDS: readonly (readonly [pattern: RegExp, bit: number])[] = [
  [/\p{L}/u, CHARACTER_CLASS.letter],
  [/\p{N}/u, CHARACTER_CLASS.number],
  [/\p{White_Space}/u, CHARACTER_CLASS.space],
  [/\p{M}/u, CHARACTER_CLASS.mark],
  [/[\p{Lu}\p{Lt}]/u, CHARACTER_CLASS.upper],
  [/\p{Ll}/u, CHARACTER_CLASS.lower],
  [/[\r\n]/u, CHARACTER_CLASS.lineEnd],
]

export function classOf(codePoint: number): number {
  const character = String.fromCodePoint(codePoint)
  let bits = isUnsettled(codePoint) ? CHARACTER_CLASS.unsettled : 0
  for (const [pattern, bit] of KINDS) if (pattern.test(character)) bits |= bit
  return bits
}

/** What comes behind the first character of a decomposition composes with what is before it; marks change places. */
const composing = new Set<number>()
for (let codePoint = 0; codePoint < 0x110000; codePoint += 1)
  for (const part of Array.from(String.fromCodePoint(codePoint).normalize('NFD')).slice(1))
    composing.add(part.codePointAt(0) ?? 0)

function isUnsettled(codePoint: number): boolean {
  const character = String.fromCodePoint(codePoint)
  return character.normalize('NFC') !== character || composing.has(codePoint) || /\p{M}/u.test(character)
}

/** The two tables one behind the other. */
function packedClasses(): Uint8Array {
  const blockOf = new Uint8Array(BLOCK_COUNT)
  const numbers = new Map<string, number>()
  const blocks: Uint8Array[] = []
  for (const block of blockOf.keys()) {
    const classes = Uint8Array.from({ length: BLOCK }, (_, at) => classOf(block * BLOCK + at))
    const key = classes.join()
    const known = numbers.get(key) ?? blocks.length
    if (known === blocks.length) blocks.push(classes)
    numbers.set(key, known)
    blockOf[block] = known
  }
  if (blocks.length > 256) throw new Error(`${blocks.length} different blocks`)
  return Buffer.concat([blockOf, ...blocks])
}

export function assetText(): string {
  const level = { params: { [constants.ZSTD_c_compressionLevel]: 22 } }
  const packed = zstdCompressSync(packedClasses(), level)
  const lines = packed.toString('base64').match(new RegExp(`.{1,${LINE_CHARACTERS}}`, 'g')) ?? []
  return `${HEAD}${lines.join('\n')}\n`
}

if (import.meta.main) {
  const text = assetText()
  writeFileSync(ASSET, text)
  console.log(`${text.length} characters written`)
}
