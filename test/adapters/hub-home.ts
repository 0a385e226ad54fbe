/** A home folder with a cache of the Hugging Face hub, and what a test may find in it. */
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const COMMIT = '0123456789abcdef0123456789abcdef01234567'
export const OTHER_COMMIT = 'fedcba9876543210fedcba9876543210fedcba98'
export const BODY = '{"version":"1.0","model":{"type":"WordPiece"}}'
export const ETAG = gitDigest(BODY)
export class HubHome implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'knowhow-hub-'))
  readonly cache = join(this.folder, '.cache', 'huggingface', 'hub')
  readonly repository = join(this.cache, 'models--acme--small-model')

  /** @param path below the repository's folder of the cache */
  write(path: string, content: string | Uint8Array): string {
    const whole = join(this.repository, path)
    mkdirSync(dirname(whole), { recursive: true })
    writeFileSync(whole, content)
    return whole
  }

  /** All files and links below the repository's folder, sorted, with `/`. */
  get files(): readonly string[] {
    const entries = readdirSync(this.repository, { recursive: true, withFileTypes: true })
    const paths = entries.filter((entry) => !entry.isDirectory()).map((entry) => join(entry.parentPath, entry.name))
    return paths.map((path) => path.slice(this.repository.length + 1).replaceAll('\\', '/')).sort()
  }

  environment(more: Record<string, string> = {}): Record<string, string> {
    return { HOME: this.folder, USERPROFILE: this.folder, ...more }
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/** As git names a file's content, and the hub a file that is not large. */
export function gitDigest(text: string): string {
  const bytes = Buffer.from(text)
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
