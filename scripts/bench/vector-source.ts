/** The embeddings server of a benchmark, for as long as the benchmark lasts. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbedderChoice } from './embedder-choice.ts'
import type { QuestionOptions } from './question-options.ts'

export const VECTOR_WIDTH = 384
/** In one request. */
export const BATCH_TEXTS = 512

export interface VectorServer {
  /** Without `/embeddings`. */
  readonly address: string
  readonly model: string
}

export interface VectorSource extends VectorServer, Disposable {
  readonly choice: EmbedderChoice
}

/** Its vectors depend on the text alone, so that an index made with one serves the next. */
export async function openVectorSource({ data }: QuestionOptions): Promise<VectorSource> {
  const program = join(import.meta.dir, 'peers', 'embedding-server.ts')
  const command = [process.execPath, program, String(VECTOR_WIDTH)]
  const server = Bun.spawn(command, { stdin: 'pipe', stdout: 'pipe', stderr: 'inherit' })
  const address = await firstLine(server.stdout)
  const model = 'words-on-random-columns'
  const config = join(data, 'embedding.json')
  const embedding = { backend: 'openai', base_url: address, model, dimensions: VECTOR_WIDTH, batch_size: BATCH_TEXTS }
  writeFileSync(config, `${JSON.stringify({ embedding })}\n`)
  const choice = { options: ['--config', config], environment: { EMBEDDING_BACKEND: 'openai' } }
  return { address, model, choice, [Symbol.dispose]: () => server.kill() }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of stream) {
    text += decoder.decode(bytes, { stream: true })
    const end = text.indexOf('\n')
    if (end !== -1) return text.slice(0, end)
  }
  throw new Error('the embeddings server ended before it told its address')
}
