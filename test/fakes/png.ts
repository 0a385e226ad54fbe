/** Pictures as a browser takes them: PNG of 8 bits a channel, not interlaced. Knows no other kind. */
import { inflateSync } from 'node:zlib'

/** Red, green and blue, each 0…255. */
export type Colour = readonly [number, number, number]

/** In pixels of the picture. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const SIGNATURE_BYTES = 8
/** Length, name and checksum of a chunk. */
const CHUNK_BYTES = 12
/** By colour type. */
const CHANNELS: Readonly<Record<number, number>> = { 2: 3, 6: 4 }

export class Picture {
  readonly width: number
  readonly height: number
  readonly #channels: number
  /** Row-major, `#channels` bytes a pixel. */
  readonly #bytes: Uint8Array

  constructor(png: Uint8Array) {
    const view = new DataView(png.buffer, png.byteOffset, png.byteLength)
    const data: Uint8Array[] = []
    let header = view
    for (let at = SIGNATURE_BYTES; at < png.length; at += CHUNK_BYTES + view.getUint32(at)) {
      const [name, bytes] = [view.getUint32(at + 4), png.subarray(at + 8, at + 8 + view.getUint32(at))]
      if (name === codeOf('IHDR')) header = new DataView(bytes.buffer, bytes.byteOffset)
      if (name === codeOf('IDAT')) data.push(bytes)
    }
    const [depth, type, interlaced] = [header.getUint8(8), header.getUint8(9), header.getUint8(12)]
    const channels = CHANNELS[type]
    if (depth !== 8 || interlaced !== 0 || channels === undefined) throw new Error(`no PNG of ${depth} bits, ${type}`)
    this.width = header.getUint32(0)
    this.height = header.getUint32(4)
    this.#channels = channels
    this.#bytes = withoutFilters(inflateSync(Buffer.concat(data)), this.width * channels, channels)
  }

  at(x: number, y: number): Colour {
    const start = (y * this.width + x) * this.#channels
    const [red = 0, green = 0, blue = 0] = this.#bytes.subarray(start, start + 3)
    return [red, green, blue]
  }

  /** Of the pixels that lie in the box as a whole, row by row. */
  colours({ x, y, width, height }: Box): readonly Colour[] {
    const [right, bottom] = [Math.min(this.width, Math.floor(x + width)), Math.min(this.height, Math.floor(y + height))]
    const found: Colour[] = []
    for (let row = Math.max(0, Math.ceil(y)); row < bottom; row += 1)
      for (let column = Math.max(0, Math.ceil(x)); column < right; column += 1) found.push(this.at(column, row))
    return found
  }
}

function codeOf(name: string): number {
  return new DataView(new TextEncoder().encode(name).buffer).getUint32(0)
}

/** @param lines each a filter's number and `length` bytes. @param step bytes of a pixel */
function withoutFilters(lines: Uint8Array, length: number, step: number): Uint8Array {
  const count = lines.length / (length + 1)
  const bytes = new Uint8Array(count * length)
  for (let line = 0; line < count; line += 1) {
    const filter = lines[line * (length + 1)] ?? 0
    for (let at = 0; at < length; at += 1) {
      const place = line * length + at
      const left = at < step ? 0 : (bytes[place - step] ?? 0)
      const above = line === 0 ? 0 : (bytes[place - length] ?? 0)
      const aslant = at < step || line === 0 ? 0 : (bytes[place - length - step] ?? 0)
      bytes[place] = (lines[line * (length + 1) + 1 + at] ?? 0) + guess(filter, left, above, aslant)
    }
  }
  return bytes
}

/** See section 9 of the PNG specification. */
function guess(filter: number, left: number, above: number, aslant: number): number {
  switch (filter) {
    case 1:
      return left
    case 2:
      return above
    case 3:
      return (left + above) >> 1
    case 4:
      return nearestOf(left + above - aslant, [left, above, aslant])
    default:
      return 0
  }
}

function nearestOf(wanted: number, candidates: readonly number[]): number {
  return candidates.reduce((best, one) => (Math.abs(wanted - one) < Math.abs(wanted - best) ? one : best))
}

/** 1…21, as WCAG counts it. */
export function contrast(one: Colour, other: Colour): number {
  const [less = 0, more = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (more + 0.05) / (less + 0.05)
}

function luminance(colour: Colour): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The colour that most pixels have, and which share of them. */
export function ground(colours: readonly Colour[]): { readonly colour: Colour; readonly share: number } {
  const counts = new Map<string, { readonly colour: Colour; count: number }>()
  for (const colour of colours) {
    const known = counts.get(String(colour)) ?? { colour, count: 0 }
    known.count += 1
    counts.set(String(colour), known)
  }
  const most = [...counts.values()].reduce((best, one) => (one.count > best.count ? one : best), {
    colour: [0, 0, 0] as Colour,
    count: 0,
  })
  return { colour: most.colour, share: most.count / Math.max(1, colours.length) }
}

/** Whether colours are the same but for how they were rounded. */
export function isSameColour(one: Colour, other: Colour): boolean {
  return one.every((part, at) => Math.abs(part - (other[at] ?? 0)) <= 2)
}
