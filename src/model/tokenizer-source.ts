/** How a setting may name a tokenizer. */

export const BUILTIN_TOKENIZER = 'builtin:qwen3'

/** In words, for help and refusals. */
export const TOKENIZER_SOURCES = `${BUILTIN_TOKENIZER}, the path of a tokenizer.json or its folder, or org/name[@revision] of the Hugging Face hub`
