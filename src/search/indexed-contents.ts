/** Which experiences belong in the views, and which are left out of both: by the word of others, or by their texts. */
import { VIEW_NAMES } from '../model/experience.ts'
import type { Base } from './base.ts'
import type { FileBeside } from './catalogue.ts'
import { KEY_BYTES } from './key-table.ts'
import { byPath, type IndexedFile } from './shown-documents.ts'

/** By path: the version that belongs in neither view, and why. */
export type ExcludedVersions = ReadonlyMap<string, { readonly version: string; readonly error: string }>

/** A valid file that is in neither view. */
export interface LeftOutFile {
  readonly path: string
  readonly version: string
  readonly error: string
}

export interface FoundExperiences {
  readonly base: Base | null
  /** By document of the base: 1 when it no longer stands. */
  readonly dead: Uint8Array
  readonly beside: Iterable<FileBeside>
  /** Folder of the base's documents, relative to the workspace. */
  readonly folder: string
}

/** Why no view can take a text of this key; null when it can. */
export type RefusalOf = (key: Uint8Array) => string | null

export interface IndexedContents {
  /** By document of the base: 1 when it is not shown. */
  readonly dead: Uint8Array
  /** Shown beside it, sorted by path. */
  readonly files: readonly IndexedFile[]
  /** Sorted by path. */
  readonly leftOut: readonly LeftOutFile[]
  /** Of the texts of a file that is left out, by its path. */
  readonly leftOutKeys: ReadonlyMap<string, readonly Uint8Array[]>
}

/** @param refusalOf null: no text is refused */
export function indexedContents(
  found: FoundExperiences,
  excluded: ExcludedVersions,
  refusalOf: RefusalOf | null,
): IndexedContents {
  const { base, folder } = found
  const dead = found.dead.slice()
  const leftOut: LeftOutFile[] = []
  const leftOutKeys = new Map<string, readonly Uint8Array[]>()
  /** Whether the file is left out, which is noted. */
  const isLeftOut = (file: FoundFile): boolean => {
    const error = exclusionOf(file, excluded) ?? (refusalOf === null ? null : refusalOfAny(file.keysOf(), refusalOf))
    if (error === null) return false
    const path = file.pathOf()
    leftOut.push({ path, version: file.versionOf(), error })
    leftOutKeys.set(path, file.keysOf())
    return true
  }
  const files: IndexedFile[] = []
  for (const { path, version, outcome } of found.beside) {
    if (!('texts' in outcome) || outcome.texts === null) continue
    const { texts, textKeys } = outcome
    const keysOf = () => VIEW_NAMES.map((_, at) => textKeys.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES))
    if (!isLeftOut({ pathOf: () => path, versionOf: () => version, keysOf }))
      files.push({ path, version, texts, textKeys })
  }
  if (base !== null && (excluded.size > 0 || refusalOf !== null))
    for (let document = 0; document < dead.length; document += 1) {
      if (dead[document] !== 0 || base.isInvalid(document)) continue
      const file = {
        pathOf: () => `${folder}/${base.fileNameOf(document)}`,
        versionOf: () => base.versionOf(document),
        keysOf: () => VIEW_NAMES.map((view) => base.textKeyOf(view, document)),
      }
      if (isLeftOut(file)) dead[document] = 1
    }
  return { dead, files: files.sort(byPath), leftOut: leftOut.sort(byPath), leftOutKeys }
}

/** Told when it is asked: of most files of a base nobody wants to know. */
interface FoundFile {
  readonly pathOf: () => string
  readonly versionOf: () => string
  readonly keysOf: () => readonly Uint8Array[]
}

function exclusionOf({ pathOf, versionOf }: FoundFile, excluded: ExcludedVersions): string | null {
  const other = excluded.size === 0 ? undefined : excluded.get(pathOf())
  return other !== undefined && other.version === versionOf() ? other.error : null
}

function refusalOfAny(keys: readonly Uint8Array[], refusalOf: RefusalOf): string | null {
  for (const key of keys) {
    const refusal = refusalOf(key)
    if (refusal !== null) return refusal
  }
  return null
}
