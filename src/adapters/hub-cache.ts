/**
 * The cache that all programs share for files of the Hugging Face hub, as `huggingface_hub` lays it out:
 *
 *     models--org--name/refs/main                        the commit that a revision stood for
 *     models--org--name/snapshots/<commit>/<file>        a link into blobs, or where there are no links the file itself
 *     models--org--name/blobs/<etag>                     the bytes
 *
 * Knows nothing of the network.
 */
import { lstatSync, mkdirSync, symlinkSync, unlinkSync } from 'node:fs'
import { dirname } from 'node:path'
import { diskFiles } from './disk-files.ts'
import { errnoOf } from './file-fault.ts'
import type { HubName } from './hub-name.ts'
import { removeLeftovers } from './leftovers.ts'
import { readWhole } from './open-file.ts'

const FILE = 'tokenizer.json'
const COMMIT = /^[0-9a-f]{40}$/
/** Of an ETag that can be the name of a file. */
const BLOB_NAME = /^[\w-][\w.-]{0,127}$/
const REF_BYTES_MAX = 1024
/** As `huggingface_hub` names what is not whole, so that its `hf cache prune` removes it too. */
const TEMPORARY = /^knowhow-[0-9a-f-]{36}\.incomplete$/
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR'])

export type CachedFile =
  | { readonly bytes: Uint8Array; readonly path: string }
  /** Why a file that is there is of no use; null when none is there. */
  | { readonly bytes: null; readonly fault: string | null }

export interface FileToCache {
  readonly bytes: Uint8Array
  /** As the hub sent it; without one there is no place in a cache. */
  readonly commit: string | null
  /** Without its quotes. */
  readonly etag: string | null
}

export interface CachingOptions {
  readonly wantsNoLinks: boolean
  readonly nowMs: number
}

/** The name's tokenizer.json. Never throws. */
export function cachedTokenizer(folder: string, name: HubName, bytesMax: number): CachedFile {
  const repository = repositoryFolder(folder, name)
  let path = `${repository}/refs/${name.revision}`
  try {
    const commit = commitOf(path, name.revision)
    if (commit === null) return { bytes: null, fault: null }
    path = `${repository}/snapshots/${commit}/${FILE}`
    const bytes = readWhole(path, true, bytesMax)
    // What a power cut leaves of a file that was not synced is empty or ends early.
    return isWholeObject(bytes) ? { bytes, path } : { bytes: null, fault: `${path} is damaged` }
  } catch (cause) {
    if (MISSING.has(errnoOf(cause))) return { bytes: null, fault: null }
    return { bytes: null, fault: `${path} cannot be read (${cause instanceof Error ? cause.message : String(cause)})` }
  }
}

/**
 * Puts a tokenizer.json where every program finds it, each file by one atomic step and what names it last, so that a
 * process that is killed leaves nothing that counts and two at once do no harm. Throws an errno or a MemoryError for a
 * cache that cannot be written.
 * @returns whether there is a place for it
 */
export function cacheTokenizer(folder: string, name: HubName, file: FileToCache, options: CachingOptions): boolean {
  const { bytes, commit, etag } = file
  if (commit === null || !COMMIT.test(commit)) return false
  const repository = repositoryFolder(folder, name)
  const blobs = `${repository}/blobs`
  const snapshot = `${repository}/snapshots/${commit}`
  const path = `${snapshot}/${FILE}`
  for (const each of [blobs, snapshot]) mkdirSync(each, { recursive: true })
  removeLeftovers(blobs, TEMPORARY, options.nowMs)
  const mayLink = !options.wantsNoLinks && etag !== null && BLOB_NAME.test(etag)
  if (!mayLink || !putLink(blobs, etag, bytes, path)) put(blobs, bytes, path)
  if (name.revision !== commit) keepRevision(blobs, `${repository}/refs/${name.revision}`, commit)
  return true
}

function repositoryFolder(folder: string, { repository }: HubName): string {
  return `${folder}/models--${repository.replace('/', '--')}`
}

function commitOf(refPath: string, revision: string): string | null {
  const named = refText(refPath)
  if (named !== null) return COMMIT.test(named) ? named : null
  return COMMIT.test(revision) ? revision : null
}

function refText(path: string): string | null {
  try {
    return new TextDecoder().decode(readWhole(path, true, REF_BYTES_MAX)).trim()
  } catch (cause) {
    if (MISSING.has(errnoOf(cause))) return null
    throw cause
  }
}

/** @returns false when the file itself has to take the link's place */
function putLink(blobs: string, etag: string, bytes: Uint8Array, path: string): boolean {
  const temporary = temporaryPath(blobs)
  try {
    // Relative, so that the cache can be moved.
    symlinkSync(`../../blobs/${etag}`, temporary)
  } catch {
    // As for most users of Windows; whether anything else can be written here will show.
    return false
  }
  const isThere = isBlob(blobs, etag, bytes)
  if (isThere) moveIntoPlace(temporary, path)
  else unlinkSync(temporary)
  return isThere
}

/**
 * Makes the blob, unless it is there. One of another content stays: other snapshots lead to it, and a mirror may send an
 * ETag that is no digest.
 */
function isBlob(blobs: string, etag: string, bytes: Uint8Array): boolean {
  const path = `${blobs}/${etag}`
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) put(blobs, bytes, path)
  try {
    return Buffer.compare(readWhole(path, true, bytes.length), bytes) === 0
  } catch {
    // Larger, a folder or a broken link: whatever it is, it is not this file.
    return false
  }
}

function keepRevision(blobs: string, path: string, commit: string): void {
  if (refText(path) === commit) return
  mkdirSync(dirname(path), { recursive: true })
  put(blobs, new TextEncoder().encode(commit), path)
}

/** The temporary file lies among the blobs, for of what lies in the other folders every file counts. */
function put(blobs: string, bytes: Uint8Array, path: string): void {
  const temporary = temporaryPath(blobs)
  diskFiles.create(temporary, bytes)
  moveIntoPlace(temporary, path)
}

function moveIntoPlace(temporary: string, path: string): void {
  try {
    diskFiles.rename(temporary, path)
  } catch (cause) {
    unlinkSync(temporary)
    throw cause
  }
  diskFiles.syncFolder(dirname(path))
}

function temporaryPath(blobs: string): string {
  return `${blobs}/knowhow-${crypto.randomUUID()}.incomplete`
}

/** White space of JSON, and the bytes of a byte order mark. */
const AROUND: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20, 0xef, 0xbb, 0xbf])

/** Whether the bytes begin and end as a JSON object does. */
function isWholeObject(bytes: Uint8Array): boolean {
  const first = bytes.findIndex((byte) => !AROUND.has(byte))
  const last = bytes.findLastIndex((byte) => !AROUND.has(byte))
  return bytes[first] === 0x7b && bytes[last] === 0x7d
}
