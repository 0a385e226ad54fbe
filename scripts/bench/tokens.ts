/**
 * How fast are tokens counted, cold and warm, in texts of several kinds; and does no text take much longer than others?
 * `bun scripts/bench/tokens.ts`
 */
import { ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, ratio, type Verdict } from './bench-report.ts'
import { cpuMs } from './cpu-time.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'
import { type CorpusKind, chunksOf, tokenCorpus } from './token-corpora.ts'
import { aiTokenizer, library, native, ownCounter, type TokenEngine, tiktoken } from './token-engines.ts'

const options = questionOptions()
const CHUNK_UNITS = 65_536
const MIXED_BYTES = 20_000_000
const KIND_BYTES = 4_000_000
const MONOTONE_UNITS = 1_000_000
/** Names of the engines that targets are about. */
const [LIBRARY, TIKTOKEN] = ['@huggingface/tokenizers', 'tiktoken']

interface Timed {
  readonly name: string
  /** By round, milliseconds of user and system time over all threads. */
  readonly coldMs: number[]
  readonly warmMs: number[]
  tokens: number
}

/** Each engine counts all chunks twice, a fresh one each round. */
async function timeCounts(engines: readonly TokenEngine[], chunks: readonly string[]): Promise<readonly Timed[]> {
  const timed = engines.map(({ name }): Timed => ({ name, coldMs: [], warmMs: [], tokens: 0 }))
  const startMs = performance.now()
  for (let round = 0; round < options.rounds; round += 1) {
    if (round > 0 && performance.now() - startMs > options.budgetMs) break
    for (const turn of engines.keys()) {
      const at = (turn + round) % engines.length
      const [engine, one] = [engines[at], timed[at]]
      if (engine === undefined || one === undefined) continue
      const count = engine.open()
      Bun.gc(true)
      const countAll = async () => {
        one.tokens = 0
        for (const chunk of chunks) {
          const tokens = count(chunk)
          one.tokens += typeof tokens === 'number' ? tokens : await tokens
        }
      }
      one.coldMs.push(await cpuMs(countAll))
      one.warmMs.push(await cpuMs(countAll))
    }
  }
  return timed
}

function countsTable(kind: CorpusKind, bytes: number, timed: readonly Timed[]): BenchTable {
  const rate = (ms: readonly number[]) => (bytes / 1000 / median(ms)).toFixed(1)
  const own = timed[0]
  return {
    title: `${kind}, ${(bytes / 1e6).toFixed(1)} MB (${own?.coldMs.length ?? 0} rounds)`,
    columns: ['engine', 'cold MB/s of CPU', 'warm MB/s of CPU', 'times slower, cold', 'tokens'],
    rows: timed.map(({ name, coldMs, warmMs, tokens }) => [
      name,
      rate(coldMs),
      rate(warmMs),
      ratio(median(pairwiseRatios(coldMs, own?.coldMs ?? []))),
      tokens.toLocaleString('en'),
    ]),
  }
}

/** How many times faster the product is. */
function factor(timed: readonly Timed[], name: string): number | null {
  const [own] = timed
  const peer = timed.find((one) => one.name.startsWith(name))
  return own === undefined || peer === undefined ? null : median(pairwiseRatios(peer.coldMs, own.coldMs))
}

/** What each way of being faster is worth. */
async function speedupsTable(kind: CorpusKind, text: string): Promise<BenchTable> {
  const all = ['windows', 'folds', 'caches'] as const
  const engines = [ownCounter(), ...all.map((one) => ownCounter([one])), ownCounter(all)]
  const table = countsTable(kind, Buffer.byteLength(text), await timeCounts(engines, chunksOf(text, CHUNK_UNITS)))
  return { ...table, title: `knowhow itself, ${table.title}` }
}

const MONOTONE = { letters: 'a', spaces: ' ', dashes: '-', lines: '\n', 'Chinese letters': '文', digits: '7' } as const

/** Each long line against ordinary text of as many bytes. */
async function monotoneTable(): Promise<{ table: BenchTable; worst: number }> {
  const ordinary = tokenCorpus('mixed', MONOTONE_UNITS)
  const perByte = async (text: string) => {
    const times: number[] = []
    for (let round = 0; round < 3; round += 1) {
      const count = ownCounter().open()
      times.push(await cpuMs(() => void count(text)))
    }
    return median(times) / Buffer.byteLength(text)
  }
  const base64 = Buffer.from(Array.from({ length: (MONOTONE_UNITS * 3) / 4 }, (_, at) => (at * 7919) % 251)).toString(
    'base64',
  )
  const usual = await perByte(ordinary)
  const texts = {
    ...Object.fromEntries(Object.entries(MONOTONE).map(([name, one]) => [name, one.repeat(MONOTONE_UNITS)])),
    base64,
  }
  const ratios: (readonly [name: string, value: number])[] = []
  for (const [name, text] of Object.entries(texts)) ratios.push([name, (await perByte(text)) / usual])
  return {
    worst: Math.max(...ratios.map(([, value]) => value)),
    table: {
      title: 'One line of a million times the same, time a byte to that of ordinary text',
      columns: ['of', 'to ordinary text'],
      rows: ratios.map(([name, value]) => [name, ratio(value)]),
    },
  }
}

async function measure(): Promise<BenchReport> {
  const peers = [library(), await tiktoken(options.data), await aiTokenizer(options.data), await native(options.data)]
  const engines = [ownCounter(), ...peers].filter((engine) => engine !== null)
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups = []
  for (const kind of ['mixed', 'prose', 'code', 'jsonl', 'cjk'] as const) {
    const text = tokenCorpus(kind, kind === 'mixed' ? MIXED_BYTES : KIND_BYTES)
    const timed = await timeCounts(engines, chunksOf(text, CHUNK_UNITS))
    tables.push(countsTable(kind, Buffer.byteLength(text), timed))
    if (kind === 'mixed' || kind === 'cjk') tables.push(await speedupsTable(kind, text))
    groups.push(
      ratioGroup(
        kind,
        timed.map(({ name, coldMs }) => ({ name, wallMs: coldMs })),
        { base: 0, target: null },
      ),
    )
    const targets =
      kind === 'mixed'
        ? ([
            [LIBRARY, 150],
            [TIKTOKEN, 20],
          ] as const)
        : kind === 'cjk'
          ? ([[LIBRARY, 60]] as const)
          : []
    for (const [name, reach] of targets) {
      const value = factor(timed, name)
      if (value !== null)
        verdicts.push({ what: `${kind}, cold: times as fast as ${name}`, value, reach, kind: 'score' })
    }
  }
  const { table, worst } = await monotoneTable()
  tables.push(table)
  verdicts.push({ what: 'longest time a byte of a monotonous line, to ordinary text', value: worst, reach: 20 })
  return {
    question: 'Counting tokens',
    method:
      'CPU time of all threads, one process, chunks of 65,536 UTF-16 units, every engine in turn with Qwen3’s ranks. Cold: opened anew, nothing worked out before (opening itself is not counted); warm: the same texts a second time. Texts: manual pages, packages’ sources and Markdown, tool calls as JSON lines, build logs, and sentences of Chinese, Japanese and Korean names.',
    tables,
    verdicts,
    plot: { axis: 'CPU time, cold, to that of knowhow', groups },
    notes: [
      'tiktoken and ai-tokenizer do not normalize, and count decomposed letters otherwise; ai-tokenizer counts added tokens as text.',
      'Windows: pieces of ASCII found 64 bytes at once. Folds: characters taken as one symbol from the beginning. Caches: counts of pieces remembered. See wasm/README.md.',
      'The code of the engines is compiled in the first round only, as in a process that counts more than one text.',
    ],
  }
}

await answer(options, measure)
