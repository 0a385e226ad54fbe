/** Nodes of the tree in memory and the walk along a path, links resolved as POSIX does. */

const LINK_HOPS_MAX = 40

interface NodeTimes {
  readonly inode: bigint
  mtimeNs: bigint
  ctimeNs: bigint
}

export type FileNode = NodeTimes & { readonly kind: 'file'; data: Uint8Array }
export type FolderNode = NodeTimes & { readonly kind: 'folder'; readonly entries: Map<string, Node> }
export type LinkNode = NodeTimes & { readonly kind: 'link'; readonly target: string }
export type Node = FileNode | FolderNode | LinkNode

export interface Place {
  readonly parent: FolderNode
  readonly name: string
  /** Null when the last part of the path is free. */
  readonly node: Node | null
  /** Names from the root to the node, every link on the way resolved. */
  readonly trail: readonly string[]
}

let inodes = 0n

export function newNode(ticks: bigint): NodeTimes {
  inodes += 1n
  return { inode: inodes, mtimeNs: ticks, ctimeNs: ticks }
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
    if (isLast) return { parent, name, node, trail: [...trail, name] }
    if (node === null) throw errno('ENOENT')
    if (node.kind !== 'folder') throw errno('ENOTDIR')
    folders.push(node)
    trail.push(name)
  }
  const node = folders.at(-1) ?? root
  return { parent: folders.at(-2) ?? root, name: trail.at(-1) ?? '', node, trail }
}

function errno(code: string): Error {
  return Object.assign(new Error(code), { code })
}
