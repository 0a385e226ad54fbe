/** What a configured tokenizer is, by the bytes of its tokenizer.json on this machine. Opens no tokenizer, asks no hub. */
import { createHash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenTokenizerOptions, TokenizerIdentity } from '../ports.ts'

/** Finds what `openHuggingFaceTokenizer` would open, and names it alike. */
export async function tokenizerIdentity(source: string, options: OpenTokenizerOptions): Promise<TokenizerIdentity> {
  if (source.startsWith('builtin:')) return { name: source, id: () => source }
  const path = pathOf(source)
  const [{ absolutePath }, read] = await Promise.all([
    import('./outside-files.ts'),
    path === null ? hubReader(source, options) : fileReader(path),
  ])
  let id: string | null | undefined
  return {
    name: path === null ? source : absolutePath(source),
    id: () => {
      id ??= identified(read)
      return id
    },
  }
}

type Read = () => Uint8Array | null

function identified(read: Read): string | null {
  const bytes = read()
  return bytes === null ? null : `sha256:${createHash('sha256').update(bytes).digest('hex')}`
}

/** Of the file; null when nothing is there, or nobody may look. */
function pathOf(source: string): string | null {
  try {
    const found = statSync(source, { throwIfNoEntry: false })
    if (found === undefined) return null
    return found.isDirectory() ? join(source, 'tokenizer.json') : source
  } catch {
    // Opening it says why.
    return null
  }
}

async function fileReader(path: string): Promise<Read> {
  const [{ readWhole }, bytesMax] = await Promise.all([import('./open-file.ts'), bytesMaxOfTokenizer()])
  return () => {
    try {
      return readWhole(path, true, bytesMax)
    } catch {
      // As above.
      return null
    }
  }
}

async function hubReader(source: string, { environment }: OpenTokenizerOptions): Promise<Read> {
  const [{ hubNameOf }, { hubCacheFolder }, { cachedTokenizer }, bytesMax] = await Promise.all([
    import('./hub-name.ts'),
    import('./hub-environment.ts'),
    import('./hub-cache.ts'),
    bytesMaxOfTokenizer(),
  ])
  const [name, folder] = [hubNameOf(source), hubCacheFolder(environment)]
  return () => (name === null || folder === null ? null : cachedTokenizer(folder, name, bytesMax).bytes)
}

async function bytesMaxOfTokenizer(): Promise<number> {
  return (await import('./hugging-face-tokenizer.ts')).TOKENIZER_FILE_BYTES_MAX
}
