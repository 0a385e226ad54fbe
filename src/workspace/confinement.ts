/** Keeps every path that a user, a file or a model supplies inside the workspace. */
import { fileNameFault } from '../model/file-name.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Files } from '../ports.ts'
import { inWorkspace, type Layout } from './layout.ts'

/**
 * @param path   as supplied, relative to the workspace
 * @param folder the workspace folder it must lie directly or deeper in
 * @returns the same path. Throws `path_outside` when it is absolute, leaves `folder`, holds a part that some platform
 * reads differently, or passes through a symbolic link.
 */
export function confinePath(files: Files, layout: Layout, folder: string, path: string): string {
  const fault = pathFault(folder, path)
  if (fault !== null) throw outside(path, layout, folder, fault)
  refuseLinks(files, layout, path)
  return path
}

/** Throws `path_outside` when any part of `path` is a symbolic link: a link can point anywhere, now or later. */
export function refuseLinks(files: Files, layout: Layout, path: string): void {
  let walked = ''
  for (const part of path.split('/')) {
    walked = walked === '' ? part : `${walked}/${part}`
    if (files.stat(inWorkspace(layout, walked))?.kind === 'link')
      throw new MemoryError(
        'path_outside',
        `${walked} is a symbolic link, which is not followed inside a workspace; put the folder or file itself there`,
      )
  }
}

function pathFault(folder: string, path: string): string | null {
  if (/^(?:[/\\]|[A-Za-z]:)/.test(path)) return 'it is absolute'
  const parts = path.split('/')
  if (parts.includes('..')) return 'it has a part ".."'
  for (const part of parts) {
    const fault = fileNameFault(part)
    if (fault !== null) return `of its part ${JSON.stringify(part)} ${fault}`
  }
  if (!path.startsWith(`${folder}/`)) return `it does not begin with ${folder}/`
  return null
}

function outside(path: string, { procedures }: Layout, folder: string, fault: string): MemoryError {
  const example = `${folder}/NAME${folder === procedures ? '.json' : ''}`
  return new MemoryError(
    'path_outside',
    `${JSON.stringify(path)} is refused: ${fault}; give a path such as ${example}, relative to the workspace`,
  )
}

/**
 * The last part of `path` when it names a file directly in `folder`.
 * Throws `path_outside` when it does not.
 */
export function nameDirectlyIn(files: Files, layout: Layout, folder: string, path: string): string {
  const name = confinePath(files, layout, folder, path).slice(folder.length + 1)
  if (name.includes('/')) throw outside(path, layout, folder, 'it lies in a folder of its own')
  return name
}
