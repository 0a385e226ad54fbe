/**
 * How much do models add to keywords? Measures retrieval sets as `knowhow eval` does, with the reference embedder:
 * `bun scripts/embedder/evaluate.ts --sets FOLDER MODEL.bin…`. Fused by score; intervals by a paired bootstrap.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parseArgs } from 'node:util'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import type { Embedder } from '../../src/ports.ts'
import type { MeanInterval } from '../../src/search/paired-bootstrap.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { evaluateHybrid } from '../../src/search/retrieval-evaluation.ts'
import { readRetrievalSet } from '../../src/search/retrieval-set.ts'
import { readArtifact } from './artifact.ts'
import { type EmbeddingModel, embed } from './reference-embedder.ts'

function embedderOf(model: EmbeddingModel): Embedder {
  return {
    key: { backend: 'builtin', model: 'reference', dimensions: model.width },
    embed: async (texts) =>
      texts.map((text) => {
        const vector = embed(text, model)
        return vector === null ? { refused: 'no word' } : { vector, parts: 1 }
      }),
  }
}

const digits = (value: number) => value.toFixed(3).replace('0.', '.')
const interval = ({ mean, low, high }: MeanInterval) => `${digits(mean)} [${digits(low)}, ${digits(high)}]`

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({ options: { sets: { type: 'string' } }, allowPositionals: true })
  if (values.sets === undefined || positionals.length === 0) throw new Error('usage: --sets FOLDER MODEL.bin…')
  const run = {
    kernel: new WasmKernel(plainKernel),
    choice: { fusion: 'score', vectorWeight: 0.7 },
    batchSize: 256,
    pause: async () => {},
    progress: () => {},
    onWait: () => {},
    signal: new AbortController().signal,
  } as const
  console.log('| model, set | keyword nDCG@10 | vector | fused | fused - keyword | R@10 keyword | fused |')
  console.log('|---|---|---|---|---|---|---|')
  for (const path of positionals) {
    const embedder = embedderOf(readArtifact(readFileSync(path)))
    for (const file of readdirSync(values.sets).toSorted()) {
      if (!file.endsWith('.jsonl')) continue
      const set = readRetrievalSet(readFileSync(join(values.sets, file)), file)
      const { legs, fusedMinusKeyword } = await evaluateHybrid(set, { ...run, embedder })
      const { keyword, vector, fused } = legs
      const ndcg = [keyword, vector, fused].map(({ ndcg_at_10 }) => digits(ndcg_at_10))
      const recall = [keyword, fused].map(({ recall_at_10 }) => digits(recall_at_10))
      const name = `${basename(path, '.bin')}, ${basename(file, '.jsonl')}`
      console.log(`| ${[name, ...ndcg, interval(fusedMinusKeyword.ndcg_at_10), ...recall].join(' | ')} |`)
    }
  }
}

await main()
