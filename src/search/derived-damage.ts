/** Whether the files of the index are what was written. Reads them as a whole, and changes none. */
import { MemoryError } from '../model/memory-error.ts'
import type { Digest, ReadFile } from '../ports.ts'
import type { Layout } from '../workspace/layout.ts'
import { Base } from './base.ts'
import { FileDamage, OtherVersion } from './checked-file.ts'
import { DerivedFolder, type ShelfPorts } from './derived-folder.ts'
import { VectorPack } from './vector-pack.ts'

type Opened = Disposable & { check(): void }

const KINDS: readonly (readonly [name: RegExp, open: (file: ReadFile, digest: Digest) => Opened])[] = [
  [/^base-.*\.knw$/, (file, digest) => new Base(file, digest)],
  [/^vectors-.*\.knw$/, (file, digest) => new VectorPack(file, digest)],
]

/** The damaged ones, in the order of their names. What another version wrote is not damaged. */
export function damagedDerivedFiles(
  ports: ShelfPorts,
  layout: Layout,
): readonly { readonly path: string; readonly error: string }[] {
  const folder = new DerivedFolder(ports, layout)
  return [...folder.names()].sort().flatMap((name) => {
    const open = KINDS.find(([pattern]) => pattern.test(name))?.[1]
    const error =
      open === undefined
        ? null
        : damageOf(
            () => folder.open(name),
            (file) => open(file, ports.digest),
          )
    return error === null ? [] : [{ path: `${layout.index}/${name}`, error }]
  })
}

/** Null for a whole one, and for one that somebody has removed meanwhile. */
function damageOf(read: () => ReadFile | null, open: (file: ReadFile) => Opened): string | null {
  let file: ReadFile | null = null
  try {
    file = read()
    if (file !== null) open(file).check()
    return null
  } catch (error) {
    if (error instanceof OtherVersion) return null
    if (error instanceof FileDamage || error instanceof MemoryError) return error.message
    throw error
  } finally {
    file?.[Symbol.dispose]()
  }
}
