/** Texts to count tokens of, from what a checkout and its machine have: the same on one machine each time. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { randomNumbers } from '../../test/fakes/random-vectors.ts'

const ROOT = join(import.meta.dir, '../..')
const FILE_BYTES_MAX = 200_000
const MANUALS = '/usr/share/man'

export type CorpusKind = 'mixed' | 'prose' | 'code' | 'jsonl' | 'cjk'

/** About `bytes` of UTF-8. */
export function tokenCorpus(kind: CorpusKind, bytes: number): string {
  switch (kind) {
    case 'prose':
      return filled(prose(), bytes)
    case 'code':
      return filled(filesIn(join(ROOT, 'node_modules'), /\.(?:[cm]?[jt]s)$/), bytes)
    case 'jsonl':
      return filled(jsonLines(), bytes)
    case 'cjk':
      return filled(cjkSentences(), bytes)
    case 'mixed':
      return filled(
        interleaved([
          prose(),
          filesIn(join(ROOT, 'node_modules'), /\.(?:[cm]?[jt]s)$/),
          jsonLines(),
          logLines(),
          cjkLines(),
        ]),
        bytes,
      )
  }
}

/** Cut anywhere, between the halves of a pair too. */
export function chunksOf(text: string, units: number): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / units) }, (_, at) => text.slice(at * units, (at + 1) * units))
}

/** Whole parts until there is enough; begun anew with what there is when that is too little. */
function filled(parts: Iterator<string>, bytes: number): string {
  const texts: string[] = []
  let size = 0
  for (let next = parts.next(); !next.done && size < bytes; next = parts.next()) {
    texts.push(next.value)
    size += Buffer.byteLength(next.value)
  }
  const text = texts.join('\n')
  if (size === 0) throw new Error('there is nothing here to make a text of')
  return size >= bytes ? text : text.repeat(Math.ceil(bytes / size))
}

function* interleaved(sources: readonly Iterator<string>[]): Generator<string> {
  const left = new Set(sources)
  while (left.size > 0)
    for (const source of left) {
      const next = source.next()
      if (next.done === true) left.delete(source)
      else yield next.value
    }
}

/** Contents of files of these names, in the order of their paths. */
function* filesIn(folder: string, names: RegExp): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path, names)
    else if (entry.isFile() && names.test(entry.name)) yield readFileSync(path, 'utf8').slice(0, FILE_BYTES_MAX)
  }
}

/** Manual pages, and the Markdown of packages. */
function* prose(): Generator<string> {
  if (existsSync(MANUALS))
    for (const section of readdirSync(MANUALS)
      .filter((name) => /^man\d$/.test(name))
      .sort())
      for (const name of readdirSync(join(MANUALS, section)).sort()) {
        const bytes = readFileSync(join(MANUALS, section, name))
        yield (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8').slice(0, FILE_BYTES_MAX)
      }
  yield* filesIn(join(ROOT, 'node_modules'), /\.md$/)
}

/** As agents log their runs: messages and tool calls whose results are parts of files. */
function* jsonLines(): Generator<string> {
  let id = 0
  for (const text of filesIn(join(ROOT, 'node_modules'), /\.(?:d\.ts|json|md)$/))
    for (let start = 0; start < text.length; start += 3_000) {
      id += 1
      const content = text.slice(start, start + 3_000)
      yield JSON.stringify({ id: `call_${id.toString(16).padStart(8, '0')}`, role: 'tool', name: 'read_file', content })
    }
}

/** Of a build, with times, levels, paths and numbers. */
function* logLines(): Generator<string> {
  const below = numbersBelow(7)
  for (const path of paths(join(ROOT, 'node_modules'))) {
    const seconds = (below(86_400_000) / 1000).toFixed(3).padStart(9, '0')
    const level = ['INFO', 'WARN', 'ERROR', 'DEBUG'][below(4)] ?? ''
    yield `2026-01-02T${seconds}Z ${level} [worker-${below(64)}] ${path}:${below(900)}: took ${below(99_999)} ms (0x${below(2 ** 31).toString(16)})`
  }
}

function* paths(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) yield* paths(join(folder, entry.name))
    else yield join(folder, entry.name).slice(ROOT.length)
  }
}

const CJK_LOCALES = ['zh-Hans', 'zh-Hant', 'ja', 'ko'] as const
const LANGUAGES =
  'aa ar bn cs da de el en es fa fi fr he hi hu id it ja ka km ko la ms nl no pl pt ro ru sv ta th tr uk ur vi zh'.split(
    ' ',
  )
const REGIONS =
  'AE AR AT AU BE BR CA CH CL CN CZ DE DK EG ES FI FR GB GR HK HU ID IE IL IN IT JP KR MX MY NL NO NZ PL PT RU SA SE SG TH TR TW UA US VN ZA'.split(
    ' ',
  )

/** Names of languages and places in sentences of no sense: real words, and their characters as often as in names. */
function* cjkSentences(): Generator<string> {
  const below = numbersBelow(11)
  const lists = CJK_LOCALES.map((locale) => {
    const [language, region] = (['language', 'region'] as const).map((type) => new Intl.DisplayNames(locale, { type }))
    return [...LANGUAGES.map((code) => language?.of(code) ?? ''), ...REGIONS.map((code) => region?.of(code) ?? '')]
  })
  const joints = [
    '的',
    'と',
    '、',
    '和',
    '에서 ',
    'は',
    '在',
    'を',
    '说',
    '今日、',
    '개의 ',
    '我们把',
    'について',
    '。',
    '！',
    '\n',
  ]
  for (;;) {
    const names = lists[below(lists.length)] ?? []
    const parts = Array.from(
      { length: 12 },
      () => `${names[below(names.length)] ?? ''}${joints[below(joints.length)] ?? ''}`,
    )
    yield `${parts.join('')}${below(10_000)}年。`
  }
}

/** A few of them, for a text of many kinds. */
function* cjkLines(): Generator<string> {
  const sentences = cjkSentences()
  for (let count = 0; count < 5_000; count += 1) yield `${sentences.next().value} 👍🏽 naïve café`
}

function numbersBelow(seed: number): (end: number) => number {
  const random = randomNumbers(seed)
  return (end) => Math.floor(random() * end)
}
