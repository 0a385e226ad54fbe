/** How a setting may name a tokenizer. */

export const BUILTIN_TOKENIZER = 'builtin:qwen3'
