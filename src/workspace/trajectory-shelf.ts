/** The originals: copied byte for byte under names of their own, never changed again. */
import { foldedName, numberedName } from '../model/file-name.ts'
import { MemoryError } from '../model/memory-error.ts'
import { nameDirectlyIn } from './confinement.ts'
import { inWorkspace, type Layout } from './layout.ts'
import { publishNew } from './publication.ts'
import type { WorkspacePorts } from './workspace.ts'

/** `name`, or the first of `name-2`, `name-3` … that neither a file here nor `reserved` has, letter case aside. */
export function freeTrajectoryName(
  ports: WorkspacePorts,
  layout: Layout,
  name: string,
  reserved: Iterable<string>,
): string {
  const taken = new Set<string>()
  for (const entry of ports.files.list(inWorkspace(layout, layout.trajectories)) ?? [])
    taken.add(foldedName(entry.name))
  for (const other of reserved) taken.add(foldedName(other))
  let candidate = name
  for (let number = 2; taken.has(foldedName(candidate)); number++) candidate = numberedName(name, number)
  return candidate
}

/**
 * Puts the original on the shelf under its reserved name and reads it back. A copy that a killed run already placed is
 * taken as it is. Throws `copy_damaged` when what lies there has another checksum.
 */
export function shelveTrajectory(
  ports: WorkspacePorts,
  layout: Layout,
  name: string,
  data: Uint8Array,
  sha256: string,
): void {
  // A run that was killed after it gave the copy its name left that to the next power cut.
  const isThere = readShelved(ports, layout, name, sha256) !== null
  if (isThere) ports.files.syncFolder(inWorkspace(layout, layout.trajectories))
  else {
    publishNew(ports.files, ports.ids, layout, `${layout.trajectories}/${name}`, data)
    readShelved(ports, layout, name, sha256)
  }
}

/** The copy, verified. Throws `copy_damaged`; null when there is none. */
export function readShelved(ports: WorkspacePorts, layout: Layout, name: string, sha256: string): Uint8Array | null {
  const path = `${layout.trajectories}/${name}`
  const bytes = ports.files.read(inWorkspace(layout, path))
  if (bytes === null) return null
  const found = ports.digest.sha256(bytes)
  if (found !== sha256)
    throw new MemoryError(
      'copy_damaged',
      `${path} has the checksum ${found}, its import recorded ${sha256}; restore the file from a backup or from git`,
    )
  return bytes
}

/** The original at a path supplied by a person or a model. Throws `path_outside`, `not_found`. */
export function readTrajectory(ports: Pick<WorkspacePorts, 'files'>, layout: Layout, path: string): Uint8Array {
  nameDirectlyIn(ports.files, layout, layout.trajectories, path)
  const bytes = ports.files.read(inWorkspace(layout, path))
  if (bytes === null) throw new MemoryError('not_found', `${path} is not in this workspace; see knowhow imports`)
  return bytes
}

/** Workspace paths of every original, sorted. */
export function listTrajectories(ports: Pick<WorkspacePorts, 'files'>, layout: Layout): readonly string[] {
  const entries = ports.files.list(inWorkspace(layout, layout.trajectories)) ?? []
  return entries
    .filter((entry) => entry.kind === 'file' && !entry.name.startsWith('.knowhow-'))
    .map((entry) => `${layout.trajectories}/${entry.name}`)
}
