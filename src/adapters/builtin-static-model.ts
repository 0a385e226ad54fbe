/**
 * Where the static embedding model inside the program lies. `bun build.ts --static-model DIR` puts another text in place
 * of this file; without it no model is inside.
 */

export interface BuiltinModelFiles {
  /** Paths that the runtime reads out of the program's own file. */
  readonly tokenizer: string
  readonly safetensors: string
  readonly config: string
}

export const builtinModelFiles: BuiltinModelFiles | null = null
