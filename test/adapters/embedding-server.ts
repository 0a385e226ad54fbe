/** An embedder at a scripted server, its waits written down instead of waited. */
import { type OpenEmbedderOptions, openOpenAIEmbedder } from '../../src/adapters/openai-embeddings.ts'
import type { Embedder, Embedding } from '../../src/ports.ts'
import { KEY, patience } from './chat-model.ts'
import { type Answer, failure, ScriptedServer, type SeenRequest } from './scripted-server.ts'

export function embedderAt(
  baseUrl: string,
  options: Partial<OpenEmbedderOptions> = {},
): { readonly embedder: Embedder; readonly waits: readonly number[] } {
  const waits: number[] = []
  const embedder = openOpenAIEmbedder({
    baseUrl,
    apiKey: KEY,
    model: 'test-embedder',
    dimensions: null,
    ...patience(waits),
    ...options,
  })
  return { embedder, waits }
}

/** A server that gives the same kind of answer to every request. */
export function serverOf(answer: Answer): ScriptedServer {
  return new ScriptedServer(Array.from({ length: 1_000 }, () => answer))
}

export function inputOf(request: SeenRequest): readonly string[] {
  return request.body.input as readonly string[]
}

export function inputsOf(server: ScriptedServer): readonly (readonly string[])[] {
  return server.requests.map(inputOf)
}

/** A good answer: the vector of each text, numbered. */
export function vectorsBy(vector: (text: string) => unknown): Answer {
  return (request) =>
    Response.json({
      object: 'list',
      model: 'test-embedder',
      data: inputOf(request).map((text, index) => ({ object: 'embedding', index, embedding: vector(text) })),
      usage: { prompt_tokens: 1, total_tokens: 1 },
    })
}

/** Not of unit length: [number of characters, 1]. */
export const lengths: Answer = vectorsBy((text) => [text.length, 1])

/** Refuses a request as a whole when one of its texts is bad. */
export function refusing(isBad: (text: string) => boolean, refusal: Answer = failure(400, 'bad text')): Answer {
  return (request) => (inputOf(request).some(isBad) ? refusal(request) : lengths(request))
}

export function numbersOf(outcome: Embedding | undefined): readonly number[] {
  if (outcome !== undefined && 'vector' in outcome) return [...outcome.vector]
  throw new Error(`no vector: ${JSON.stringify(outcome)}`)
}
