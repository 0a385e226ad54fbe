/**
 * A copy of a workspace as it was at one moment, made without its lock while others may write. Experiences are copied
 * first and the logs after them, so that whatever is in a copied file is in a copied log. What was written in between
 * stands in the journals with its whole text, and is done again in the copy: that holds what a kill would have left.
 */
import { OPERATION_LOG, type Operation } from '../experiences/operation-journal.ts'
import { IMPORT_LOG, reservedNames } from '../importer/import-log.ts'
import { type Running, throwIfInterrupted } from '../importer/import-surroundings.ts'
import { PROCESSING_LOG } from '../importer/processing-log.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { OutsideFiles } from '../ports.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf } from '../workspace/publication.ts'
import { type DamagedLog, logNames, logStateIn, readHeadings } from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { FolderCopy } from './folder-copy.ts'
import { requireOutside } from './new-outside-file.ts'

/** In the root: what a person has set, and how git is to treat the rest. */
const ROOT_FILES = ['knowhow.json', '.gitattributes', '.gitignore']
/** Acknowledged last is copied first: a log that is copied later holds at least what an earlier one relies on. */
const LOGS = [IMPORT_LOG, PROCESSING_LOG, OPERATION_LOG]

export interface Backup {
  readonly backup: string
  readonly experiences: number
  readonly trajectories: number
  readonly imports: number
  readonly files: number
  readonly bytes: number
  readonly skipped?: DamagedLog[]
}

export interface BackupSetup {
  readonly ports: WorkspacePorts
  readonly layout: Layout
  readonly outside: OutsideFiles
  readonly pid: number
  readonly isRunning: (pid: number) => boolean
  readonly running: Pick<Running, 'yieldToSignals' | 'signal'>
}

/**
 * All of it, or nothing. @param target absolute: a folder outside the workspace, not there yet or empty
 * Throws `not_found` without a workspace, `invalid_argument`, `name_taken`, `interrupted`, and faults of the disk.
 */
export async function backUp(setup: BackupSetup, target: string): Promise<Backup> {
  const { ports, layout } = setup
  requireTarget(setup, target)
  using copy = new FolderCopy(ports, setup, target)
  const between = () => throwIfInterrupted(setup.running, 'nothing was copied; run knowhow backup again')
  const originalsBefore = new Set(ports.files.names(inWorkspace(layout, layout.trajectories)) ?? [])
  const journalsBefore = journalLengths(setup)
  for (const name of ROOT_FILES) copy.copyFile(layout, name)
  const experiences = await copy.copyFolder(layout, layout.procedures, between)
  const names = LOGS.map((kind) => logNames(ports.files, layout, kind))
  for (const [at, kind] of LOGS.entries())
    for (const name of names[at] ?? []) copy.copyFile(layout, `${kind.folder(layout)}/${name}`)
  const own = { ...layout, root: copy.root }
  repeatWrites(setup, copy, own, journalsBefore)
  const reserved = reservedNames(readHeadings(ports, own, IMPORT_LOG))
  // An import that began meanwhile is not in the copy, and so is not its original.
  const isOurs = (name: string) => originalsBefore.has(name) || reserved.has(name)
  const trajectories = await copy.copyFolder(layout, layout.trajectories, between, isOurs)
  await between()
  copy.publish()
  const { fileCount: files, byteCount: bytes, skipped } = copy
  const counts = { experiences, trajectories, imports: names[0]?.length ?? 0, files, bytes }
  return { backup: target, ...counts, ...(skipped.length === 0 ? {} : { skipped: [...skipped] }) }
}

function requireTarget({ ports, layout, outside }: BackupSetup, target: string): void {
  const { files } = ports
  if (files.stat(layout.root) === null && files.names(layout.root) === null)
    throw new MemoryError('not_found', `there is no workspace at ${layout.root}; choose it with --workspace`)
  requireOutside({ outside }, layout, target)
  const found = files.stat(target)
  if (found !== null && (found.kind !== 'folder' || files.names(target)?.length !== 0))
    throw new MemoryError('name_taken', `${target} exists already and is left as it is; name a new folder`)
  if (files.names(folderOf(target)) === null)
    throw new MemoryError('not_found', `there is no folder ${folderOf(target)}; make it first, or name another`)
}

/** Bytes of each journal by name. */
function journalLengths({ ports, layout }: BackupSetup): ReadonlyMap<string, number> {
  const folder = inWorkspace(layout, layout.operations)
  return new Map(
    logNames(ports.files, layout, OPERATION_LOG).map((name) => [
      name,
      ports.files.stat(`${folder}/${name}`)?.bytes ?? 0,
    ]),
  )
}

/** Does in the copy what was written after its experiences were begun to be copied, in the order of the writes. */
function repeatWrites(
  { ports }: BackupSetup,
  copy: FolderCopy,
  own: Layout,
  lengthsBefore: ReadonlyMap<string, number>,
): void {
  const { files, digest } = ports
  const newer = logNames(files, own, OPERATION_LOG).flatMap((name) => {
    const bytes = files.read(`${inWorkspace(own, own.operations)}/${name}`) ?? new Uint8Array()
    const before = publishedIn(ports, own, name, bytes.subarray(0, lengthsBefore.get(name) ?? 0))
    return [...publishedIn(ports, own, name, bytes)].filter(([key]) => !before.has(key)).map(([, one]) => one)
  })
  newer.sort((a, b) => (a.intent.at < b.intent.at ? -1 : a.intent.at > b.intent.at ? 1 : 0))
  for (const { intent } of newer) {
    const there = files.read(inWorkspace(own, intent.path))
    const version = there === null ? null : digest.sha256(there)
    if (version === intent.prior && version !== intent.version)
      copy.replaceFile(intent.path, new TextEncoder().encode(intent.text))
  }
}

/** The operations whose file was put into place, by key; none of a journal that cannot be read. */
function publishedIn(
  { digest }: WorkspacePorts,
  layout: Layout,
  name: string,
  bytes: Uint8Array,
): ReadonlyMap<string, Operation> {
  try {
    const ledger = logStateIn(digest, layout, OPERATION_LOG, name, bytes)?.state ?? new Map<string, Operation>()
    return new Map([...ledger].filter(([, { wasPublished }]) => wasPublished))
  } catch (error) {
    if (error instanceof MemoryError) return new Map()
    throw error
  }
}
