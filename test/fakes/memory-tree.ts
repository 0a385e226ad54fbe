/** Nodes of the tree in memory and the walk along a path, links resolved as POSIX does. */

const LINK_HOPS_MAX = 40

interface NodeTimes {
  readonly inode: number
  mtimeMs: number
  ctimeMs: number
}

/** A file at one moment. Bytes are replaced, never changed in place, so that versions and copies may share them. */
export interface FileVersion {
  readonly data: Uint8Array
  readonly mtimeMs: number
  readonly ctimeMs: number
}

export type FileNode = NodeTimes & {
  readonly kind: 'file'
  data: Uint8Array
  /** The synced version, then each unsynced one that the disk may hold instead, oldest first. Never empty. */
  versions: readonly FileVersion[]
}
export type FolderNode = NodeTimes & {
  readonly kind: 'folder'
  readonly entries: Map<string, Node>
  /** The entries that are on the disk for sure. */
  readonly durable: Map<string, Node>
}
export type LinkNode = NodeTimes & { readonly kind: 'link'; readonly target: string }
export type Node = FileNode | FolderNode | LinkNode

export interface Place {
  readonly parent: FolderNode
  readonly name: string
  /** Null when the last part of the path is free. */
  readonly node: Node | null
}

let inodes = 0

function newNode(ticks: number): NodeTimes {
  inodes += 1
  return { inode: inodes, mtimeMs: ticks, ctimeMs: ticks }
}

/** A file of no bytes, on the disk as soon as its name is. */
export function newFile(ticks: number): FileNode {
  const data = new Uint8Array()
  return { ...newNode(ticks), kind: 'file', data, versions: [{ data, mtimeMs: ticks, ctimeMs: ticks }] }
}

export function newFolder(ticks: number): FolderNode {
  return { ...newNode(ticks), kind: 'folder', entries: new Map(), durable: new Map() }
}

export function newLink(ticks: number, target: string): LinkNode {
  return { ...newNode(ticks), kind: 'link', target }
}

/** Throws an error with `code` ENOENT, ENOTDIR or ELOOP. */
export function resolve(root: FolderNode, path: string, followLast: boolean): Place {
  if (!path.startsWith('/')) throw new Error(`${path} is not absolute`)
  const folders = [root]
  const trail: string[] = []
  const pending = path.split('/').reverse()
  let hops = 0
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (trail.pop() !== undefined) folders.pop()
      continue
    }
    const parent = folders.at(-1) ?? root
    const node = parent.entries.get(name) ?? null
    const isLast = pending.every((rest) => rest === '' || rest === '.')
    if (node?.kind === 'link' && (!isLast || followLast)) {
      hops += 1
      if (hops > LINK_HOPS_MAX) throw errno('ELOOP')
      if (node.target.startsWith('/')) {
        folders.length = 1
        trail.length = 0
      }
      pending.push(...node.target.split('/').reverse())
      continue
    }
    if (isLast) return { parent, name, node }
    if (node === null) throw errno('ENOENT')
    if (node.kind !== 'folder') throw errno('ENOTDIR')
    folders.push(node)
    trail.push(name)
  }
  const node = folders.at(-1) ?? root
  return { parent: folders.at(-2) ?? root, name: trail.at(-1) ?? '', node }
}

function errno(code: string): Error {
  return Object.assign(new Error(code), { code })
}
