/** Counting tokens. */
import * as v from 'valibot'
import { operation } from '../operation.ts'
import { valuesOf } from '../value-source.ts'

export const tokensOutput = () =>
  v.strictObject({
    tokenizer: v.string(),
    engine: v.picklist(['wasm', 'js']),
    files: v.array(v.strictObject({ path: v.string(), tokens: v.number(), bytes: v.number() })),
    tokens: v.number(),
  })

export const tokens = operation({
  name: 'tokens',
  command: 'tokens',
  exposure: ['cli', 'repl'],
  summary:
    'Count the tokens of files exactly, as an import counts them. Changes no workspace; a tokenizer that is not built in may be kept in your cache folder.',
  positionals: ['files'],
  examples: ['knowhow tokens run.jsonl', 'PROCEDURE_TOKENIZER_SOURCE=tokenizer.json knowhow tokens *.log --json'],
  writes: false,
  silentOfMissing: true,
  input: () =>
    v.strictObject({
      files: v.pipe(
        v.array(v.string()),
        v.nonEmpty('name at least one file'),
        v.description('Text, Markdown, JSON, JSONL or log files.'),
        valuesOf<string[]>('file'),
      ),
    }),
  terms: {
    tokens: 'of a file, and at the end of all: as plain text, without the special tokens of a model template',
    engine: 'wasm counts byte-level BPE by a kernel, js all else by a library that is 40 to 200 times slower',
  },
  output: tokensOutput,
  run: async ({ workspace, ...run }, { files }) => {
    const { countFiles } = await import('../file-lenses.ts')
    const tokenizer = await workspace.openTokenizer(run)
    const counted = await countFiles(files, tokenizer, (file) => workspace.readOutside(file), run)
    const sum = counted.reduce((total, file) => total + file.tokens, 0)
    return { tokenizer: workspace.tokenizerSource, engine: tokenizer.engine, files: counted, tokens: sum }
  },
})
