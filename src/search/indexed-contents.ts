/** Which experiences belong in the views, and which are left out of both: by the word of others, or by their texts. */
import { VIEW_NAMES } from '../model/experience.ts'
import type { Base } from './base.ts'
import type { FileBeside } from './catalogue.ts'
import { byPath, type IndexedFile } from './shown-documents.ts'
import { keyAt } from './text-key.ts'

/** By path: versions that belong in neither view, and why. */
export type ExcludedVersions = ReadonlyMap<string, readonly { readonly version: string; readonly error: string }[]>

export const NOTHING_EXCLUDED: ExcludedVersions = new Map()

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

/** Texts that no view can take. */
export interface Refusals {
  /** Why it cannot; null when it can. */
  readonly refusalOf: (key: Uint8Array) => string | null
  /** Which of many they are. @param keys one behind the other */
  readonly refusedIn: (keys: Uint8Array) => readonly number[]
}

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

/** @param refusals null: no text is refused */
export function indexedContents(
  found: FoundExperiences,
  excluded: ExcludedVersions,
  refusals: Refusals | null,
): IndexedContents {
  const { base, folder } = found
  const dead = found.dead.slice()
  const leftOut: LeftOutFile[] = []
  const leftOutKeys = new Map<string, readonly Uint8Array[]>()
  /** Whether the file is left out, which is noted. */
  const isLeftOut = (file: FoundFile): boolean => {
    const error = exclusionOf(file, excluded) ?? (refusals === null ? null : refusalOfAny(file.keysOf(), refusals))
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
    const keysOf = () => VIEW_NAMES.map((_, at) => keyAt(textKeys, at))
    if (!isLeftOut({ pathOf: () => path, versionOf: () => version, keysOf }))
      files.push({ path, version, texts, textKeys })
  }
  if (base !== null)
    for (const document of excluded.size > 0 ? dead.keys() : refusedOf(base, refusals)) {
      if (dead[document] !== 0 || base.isInvalid(document)) continue
      const file = {
        pathOf: () => `${folder}/${base.fileNameOf(document)}`,
        versionOf: () => base.versionOf(document),
        keysOf: () => VIEW_NAMES.map((view) => keyAt(base.textKeys(view), document)),
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
  const versions = excluded.size === 0 ? undefined : excluded.get(pathOf())
  return versions?.find(({ version }) => version === versionOf())?.error ?? null
}

/** Documents one of whose texts is refused, each once. */
function refusedOf(base: Base, refusals: Refusals | null): ReadonlySet<number> {
  if (refusals === null) return new Set()
  return new Set(VIEW_NAMES.flatMap((view) => refusals.refusedIn(base.textKeys(view))))
}

function refusalOfAny(keys: readonly Uint8Array[], refusals: Refusals): string | null {
  for (const key of keys) {
    const refusal = refusals.refusalOf(key)
    if (refusal !== null) return refusal
  }
  return null
}
