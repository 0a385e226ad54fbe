/**
 * How much longer than to count a trajectory does it take to cut it into segments that are counted exactly, how full are
 * they, and how much memory does it take beside the text? `bun scripts/bench/segments.ts`
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Segment } from '../../src/importer/segmenter.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'
import { ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, mebibytes, milliseconds, ratio, type Verdict } from './bench-report.ts'
import { cpuMs } from './cpu-time.ts'
import { segmentsOf } from './cut-text.ts'
import type { CuttingMemory } from './cutting-process.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'
import { type CorpusKind, tokenCorpus } from './token-corpora.ts'
import { ownTokenizer } from './token-engines.ts'

const options = questionOptions()
const BYTES = 20_000_000
const BUDGET = TOKEN_LIMITS.segment
const TARGET = 1.3
const TARGET_SEGMENTS_HELD = 8

/** Blocks of kinds that differ most in tokens a character, one after the other. */
function changing(blockUnits: number): string {
  const kinds = (['prose', 'cjk', 'jsonl'] as const).map((kind: CorpusKind) => tokenCorpus(kind, BYTES / 3))
  const blocks: string[] = []
  for (let start = 0; kinds.some(({ length }) => start < length); start += blockUnits)
    blocks.push(...kinds.map((text) => text.slice(start, start + blockUnits)))
  return blocks.join('\n')
}

const TEXTS = {
  mixed: () => tokenCorpus('mixed', BYTES),
  'prose, CJK and JSON lines by 1,000,000 characters': () => changing(1_000_000),
  'the same by 100,000': () => changing(100_000),
  'CJK, a single line': () => tokenCorpus('cjk', BYTES / 4).replaceAll('\n', ''),
  'JSON, a single line without spaces': () => JSON.stringify(tokenCorpus('jsonl', BYTES / 2).split(/[\n ]/)),
} as const

interface Timed {
  readonly name: string
  readonly text: string
  /** By round, milliseconds of user and system time over all threads. */
  readonly wholeMs: number[]
  readonly cutMs: number[]
  readonly segments: readonly Segment[]
}

/** Throws for a segment that counts otherwise by itself, or more than it may. */
function checkedSegments(text: string): readonly Segment[] {
  const tokenizer = ownTokenizer()
  const segments = segmentsOf(text, ownTokenizer())
  const wrong = segments.find(({ start, end, tokens }) => {
    return tokens > BUDGET || tokens !== tokenizer.count(text.slice(start, end))
  })
  if (wrong !== undefined) throw new Error(`segment ${wrong.index} has not ${wrong.tokens} tokens`)
  if (segments.at(-1)?.end !== text.length) throw new Error('the segments end before the text')
  return segments
}

/** Each round with two fresh counters, and with the other one first. */
async function timeCuts(name: string, text: string): Promise<Timed> {
  const timed: Timed = { name, text, wholeMs: [], cutMs: [], segments: checkedSegments(text) }
  const startMs = performance.now()
  for (let round = 0; round < options.rounds; round += 1) {
    if (round > 2 && performance.now() - startMs > options.budgetMs) break
    const [counting, cutting] = [ownTokenizer(), ownTokenizer()]
    const whole = async () => timed.wholeMs.push(await cpuMs(() => void counting.count(text)))
    const cut = async () => timed.cutMs.push(await cpuMs(() => void segmentsOf(text, cutting)))
    for (const one of round % 2 === 0 ? [whole, cut] : [cut, whole]) {
      Bun.gc(true)
      await one()
    }
  }
  return timed
}

function cutRow({ name, text, wholeMs, cutMs, segments }: Timed): readonly string[] {
  const ratios = pairwiseRatios(cutMs, wholeMs)
  // The last one has what is left.
  const fills = segments.slice(0, -1).map(({ tokens }) => tokens / BUDGET)
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`
  return [
    name,
    mebibytes(Buffer.byteLength(text)),
    milliseconds(median(wholeMs)),
    milliseconds(median(cutMs)),
    ratio(median(ratios)),
    `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
    String(segments.length),
    `${percent(quantile(fills, 0))}, ${percent(median(fills))}`,
  ]
}

function cuttingMemory(text: string): CuttingMemory {
  const file = join(options.data, 'segments.txt')
  writeFileSync(file, text)
  const program = join(import.meta.dir, 'cutting-process.ts')
  const child = Bun.spawnSync([process.execPath, program, file], { stderr: 'inherit' })
  if (child.exitCode !== 0) throw new Error(`the cutting process ended with ${child.exitCode}`)
  return JSON.parse(child.stdout.toString()) as CuttingMemory
}

async function measure(): Promise<BenchReport> {
  const timed: Timed[] = []
  for (const [name, text] of Object.entries(TEXTS)) timed.push(await timeCuts(name, text()))
  const memories = timed.slice(0, 2).map(({ name, text }) => ({ name, ...cuttingMemory(text) }))
  const times = timed.map(({ name, wholeMs, cutMs }): Verdict => {
    const value = median(pairwiseRatios(cutMs, wholeMs))
    return { what: `${name}: cutting, to one count of it`, value, reach: TARGET }
  })
  const held = memories.map(({ name, addedBytes, segmentBytes }): Verdict => {
    const value = addedBytes / segmentBytes
    return { what: `${name}: memory for cutting, to its longest segment`, value, reach: TARGET_SEGMENTS_HELD }
  })
  return {
    question: 'Cutting into segments',
    method: `CPU time of all threads, in turn: the whole text counted once, and cut into segments of at most ${BUDGET.toLocaleString('en')} tokens, each with a counter that has worked out nothing before. Every segment is counted again by itself, not timed. Memory: a process of its own, what was resident at most after any count less what was before.`,
    tables: [
      {
        title: `Cutting (${timed[0]?.cutMs.length ?? 0} rounds)`,
        columns: ['text', 'MiB', 'count, ms', 'cut, ms', 'ratio', 'quartiles', 'segments', 'emptiest, median'],
        rows: timed.map(cutRow),
      },
      {
        title: 'Memory',
        columns: ['text', 'MiB in memory', 'longest segment', 'for cutting'],
        rows: memories.map(({ name, textBytes, segmentBytes, addedBytes }) => [
          name,
          ...[textBytes, segmentBytes, addedBytes].map(mebibytes),
        ]),
      },
    ],
    verdicts: [...times, ...held],
    plot: {
      axis: 'CPU time, cold, to that of one count',
      groups: timed.map(({ name, wholeMs, cutMs }) => {
        const rows = [
          { name: 'one count', wallMs: wholeMs },
          { name: 'knowhow', wallMs: cutMs },
        ]
        return ratioGroup(name, rows, { base: 0, target: TARGET })
      }),
    },
    notes: ['A segment is emptier than 95 % where its last line end is far from there, as in long lines.'],
  }
}

await answer(options, measure)
