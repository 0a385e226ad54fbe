/**
 * How long does a static embedding model take for all experiences, and for one query? In one process, after the
 * experiences were made: `bun scripts/bench/static-embedding.ts`. Nothing is indexed and no vector is kept.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { bunDigest } from '../../src/adapters/bun-digest.ts'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { nodeDigest } from '../../src/adapters/node-digest.ts'
import { openStaticEmbedder } from '../../src/adapters/static-embeddings.ts'
import { answer, type BenchReport, mebibytes, milliseconds, type Verdict } from './bench-report.ts'
import { questionOptions } from './question-options.ts'
import { syntheticExperiences } from './synthetic-experiences.ts'
import {
  MODEL_WIDTH,
  syntheticStaticModel,
  TOKEN_COUNT,
  TOKENIZER_KINDS,
  type TokenizerKind,
} from './synthetic-static-model.ts'

const SEED = 7
const BATCH_TEXTS = 64
/** Seconds for 10,000 experiences: nobody minds to wait so long for a first reindex. */
const SECONDS_MAX = 60
const TARGET_COUNT = 10_000

const options = questionOptions()

interface Timed {
  readonly openMs: number
  readonly firstMs: number
  readonly allMs: number
}

async function timed(model: string, texts: readonly string[]): Promise<Timed> {
  const start = performance.now()
  const embedder = openStaticEmbedder({ model, dimensions: null, digest: bunDigest ?? nodeDigest, clock: systemClock })
  const opened = performance.now()
  await embedder.embed(['how to fix the build'])
  const first = performance.now()
  for (let at = 0; at < texts.length; at += BATCH_TEXTS) await embedder.embed(texts.slice(at, at + BATCH_TEXTS))
  return { openMs: opened - start, firstMs: first - opened, allMs: performance.now() - first }
}

async function measureKind(kind: TokenizerKind) {
  const model = syntheticStaticModel(options.data, kind)
  const rows: string[][] = []
  const verdicts: Verdict[] = []
  for (const count of options.counts) {
    const texts = [...syntheticExperiences(count, SEED)].flatMap(({ 'when-to-use': when, content }) => [
      when,
      `${when}\n\n${content}`,
    ])
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const { openMs, firstMs, allMs } = await timed(model, texts)
    const rate = `${(bytes / 1e6 / (allMs / 1000)).toFixed(1)} MB/s`
    rows.push([kind, String(count), milliseconds(openMs), milliseconds(firstMs), milliseconds(allMs), rate])
    if (count === TARGET_COUNT)
      verdicts.push({
        what: `seconds for ${count} experiences, ${kind}`,
        value: Math.ceil(allMs / 1000),
        reach: SECONDS_MAX,
        kind: 'count',
      })
  }
  return { rows, verdicts, bytes: statSync(join(model, 'model.safetensors')).size }
}

async function measure(): Promise<BenchReport> {
  const kinds = []
  for (const kind of TOKENIZER_KINDS) kinds.push(await measureKind(kind))
  return {
    question: 'Embedding with a static model',
    method: `A Model2Vec model of ${TOKEN_COUNT} tokens and ${MODEL_WIDTH} dimensions (${mebibytes(kinds[0]?.bytes ?? 0)} MiB). Both texts of each experience, in batches of ${BATCH_TEXTS}. Opening reads and digests the files; the first text makes the model ready.`,
    tables: [
      {
        title: 'One run',
        columns: ['tokenizer', 'experiences', 'open ms', 'first text ms', 'all ms', 'of text'],
        rows: kinds.flatMap(({ rows }) => rows),
      },
    ],
    verdicts: kinds.flatMap(({ verdicts }) => verdicts),
    plot: null,
    notes: [],
  }
}

await answer(options, measure)
