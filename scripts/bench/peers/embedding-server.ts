/**
 * `embedding-server WIDTH`: speaks OpenAI's protocol on a free port of the loopback interface, prints its address, and
 * ends when its input does. A process of its own, as a real server is.
 */
import { textVector } from '../text-vectors.ts'

// Seven digits, as models send that compute in 32 bits.
const DIGITS = 1e7

const width = Number(process.argv[2])
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { input, model } = (await request.json()) as { readonly input: readonly string[]; readonly model: string }
    const data = input.map((text, index) => ({ object: 'embedding', index, embedding: numbersOf(text) }))
    return Response.json({ object: 'list', model, data, usage: { prompt_tokens: 0, total_tokens: 0 } })
  },
})
console.log(`http://127.0.0.1:${server.port}/v1`)
for await (const _ of Bun.stdin.stream());
await server.stop(true)

function numbersOf(text: string): number[] {
  return Array.from(textVector(text, width), (value) => Math.round(value * DIGITS) / DIGITS)
}
