/**
 * What of a tree in memory is on the disk, and what a power cut leaves of the rest. Knows syncs and chance; knows
 * nothing of paths.
 *
 * The model is POSIX's promise, which is weaker than what ext4 or APFS do: a name is durable after a sync of its folder
 * only, bytes after a sync of their file only, and what was not synced reaches the disk in any order. Two things hold
 * all the same, on every file system we know: a rename is atomic, and changes of one name keep their order.
 */
import type { FileNode, FileVersion, FolderNode, Node } from './memory-tree.ts'

/** Names that change together: two for a rename, else one. */
type EntryChange = readonly {
  readonly folder: FolderNode
  readonly name: string
  /** Null: the name is gone. */
  readonly node: Node | null
}[]

/** Changes of names that are not on the disk yet, in the order in which they were made. */
export class PendingChanges {
  #changes: EntryChange[] = []

  add(...change: EntryChange): void {
    this.#changes.push(change)
  }

  /** Puts on the disk what touches this folder, or only this name in it. */
  settle(folder: FolderNode, name?: string): void {
    const touched = new Set<string>()
    const settled = new Set<EntryChange>()
    for (const change of this.#changes.toReversed()) {
      const isAsked = change.some((entry) => entry.folder === folder && (name === undefined || entry.name === name))
      // Changes of one name keep their order, so an earlier one of a name that now settles goes along.
      if (!isAsked && !change.some((entry) => touched.has(keyOf(entry)))) continue
      settled.add(change)
      for (const entry of change) touched.add(keyOf(entry))
    }
    for (const change of this.#changes)
      if (settled.has(change)) for (const entry of change) setEntry(entry.folder.durable, entry.name, entry.node)
    this.#changes = this.#changes.filter((change) => !settled.has(change))
  }

  /** The same of a tree's copy. */
  copy(copyOf: <N extends Node>(node: N) => N): PendingChanges {
    const copied = new PendingChanges()
    copied.#changes = this.#changes.map((change) =>
      change.map(({ folder, name, node }) => ({
        folder: copyOf(folder),
        name,
        node: node === null ? null : copyOf(node),
      })),
    )
    return copied
  }

  /** Those that reached the disk by chance. */
  survivors(random: () => number): readonly EntryChange[] {
    const share = SHARES[Math.floor(random() * SHARES.length)] ?? 0
    const lost = new Set<string>()
    return this.#changes.filter((change) => {
      const survives = random() < share && !change.some((entry) => lost.has(keyOf(entry)))
      if (!survives) for (const entry of change) lost.add(keyOf(entry))
      return survives
    })
  }
}

// Even odds for each change would make it rare that many survive, or one alone is lost.
const SHARES = [0.1, 0.5, 0.9, 1]

function keyOf({ folder, name }: EntryChange[number]): string {
  return `${folder.inode}/${name}`
}

function setEntry(entries: Map<string, Node>, name: string, node: Node | null): void {
  if (node === null) entries.delete(name)
  else entries.set(name, node)
}

/** A tree with all that it would lose and keep, which from here on has a history of its own. */
export function copyOfTree(
  root: FolderNode,
  pending: PendingChanges,
): { readonly root: FolderNode; readonly pending: PendingChanges } {
  const copies = new Map<Node, Node>()
  const copyOf = <N extends Node>(node: N): N => {
    const known = copies.get(node)
    if (known !== undefined) return known as N
    const copy: Node = node.kind === 'folder' ? { ...node, entries: new Map(), durable: new Map() } : { ...node }
    copies.set(node, copy)
    if (node.kind === 'folder' && copy.kind === 'folder')
      for (const names of ['entries', 'durable'] as const)
        for (const [name, child] of node[names]) copy[names].set(name, copyOf(child))
    return copy as N
  }
  return { root: copyOf(root), pending: pending.copy(copyOf) }
}

/** @param random null: everything unsynced is lost */
export function treeAfterPowerCut(
  root: FolderNode,
  pending: PendingChanges,
  random: (() => number) | null,
): FolderNode {
  const survived = new Map<FolderNode, Map<string, Node>>()
  for (const change of random === null ? [] : pending.survivors(random)) {
    for (const { folder, name, node } of change) {
      const entries = survived.get(folder) ?? new Map(folder.durable)
      survived.set(folder, entries)
      setEntry(entries, name, node)
    }
  }
  // A file with two names is still one file.
  const copies = new Map<Node, Node>()
  const copyOf = (node: Node): Node => {
    const copy = copies.get(node) ?? freshCopy(node)
    copies.set(node, copy)
    return copy
  }
  const freshCopy = (node: Node): Node => {
    if (node.kind === 'folder') return copyFolder(node)
    return node.kind === 'file' ? fileAfterPowerCut(node, random) : { ...node }
  }
  const copyFolder = (folder: FolderNode): FolderNode => {
    const left = survived.get(folder) ?? folder.durable
    const entries = new Map([...left].map(([name, node]) => [name, copyOf(node)]))
    return { ...folder, entries, durable: new Map(entries) }
  }
  return copyFolder(root)
}

function fileAfterPowerCut(file: FileNode, random: (() => number) | null): FileNode {
  const index = random === null ? 0 : Math.floor(random() * file.versions.length)
  const version = file.versions[index] ?? versionOf(file)
  // The newest one may have got a later ctime from a new name.
  const times = index === file.versions.length - 1 ? versionOf(file) : version
  const data =
    random === null ? version.data : torn(file.versions[index - 1]?.data ?? version.data, version.data, random)
  const left = { data, mtimeMs: times.mtimeMs, ctimeMs: times.ctimeMs }
  return { ...file, ...left, versions: [left] }
}

/** `data` as half-written behind `before`: cut off, NULs where only the length was written, both, or neither. */
function torn(before: Uint8Array, data: Uint8Array, random: () => number): Uint8Array {
  const added = data.length - before.length
  if (added <= 0) return data
  const end = before.length + (random() < 0.5 ? added : 1 + Math.floor(random() * added))
  const result = data.slice(0, end)
  if (random() < 0.5) result.fill(0, before.length + Math.floor(random() * (end - before.length)))
  return result
}

export function versionOf({ data, mtimeMs, ctimeMs }: FileNode): FileVersion {
  return { data, mtimeMs, ctimeMs }
}

/** Notes the file's present bytes as unsynced. Appends in a row are one, for a tear may lie anywhere in them. */
export function noteUnsynced(file: FileNode): void {
  const lengths = [...file.versions, file].slice(-3).map(({ data }) => data.length)
  const isAppendRun = lengths.length === 3 && lengths.every((length, index) => length >= (lengths[index - 1] ?? 0))
  file.versions = [...(isAppendRun ? file.versions.slice(0, -1) : file.versions), versionOf(file)]
}

/** mulberry32: 32 bits of state, any integer as seed. @returns numbers in [0, 1) */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
