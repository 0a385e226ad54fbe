/**
 * A copy of a workspace as it was at one moment, made without its lock while others may write. Experiences are copied
 * first and the logs after them, so that whatever is in a copied file is in a copied log. What was written in between
 * stands in the journals with its whole text, and is done again in the copy: that holds what a kill would have left.
 */
import { experiencePath } from '../experiences/experience-path.ts'
import { versionThere } from '../experiences/intent-completion.ts'
import { type Intent, OPERATION_LOG, type Operation } from '../experiences/operation-journal.ts'
import { IMPORT_LOG, reservedNames, reservedPaths } from '../importer/import-log.ts'
import { PROCESSING_LOG } from '../importer/processing-log.ts'
import { type Running, throwIfInterrupted } from '../importer/running.ts'
import { MemoryError } from '../model/memory-error.ts'
import type { Files, OutsideFiles } from '../ports.ts'
import { confinePath } from '../workspace/confinement.ts'
import { inWorkspace, type Layout } from '../workspace/layout.ts'
import { folderOf } from '../workspace/publication.ts'
import {
  type DamagedLog,
  folderRefusal,
  logNames,
  logStateIn,
  readHeadings,
  readRequestLogs,
} from '../workspace/request-log.ts'
import type { WorkspacePorts } from '../workspace/workspace.ts'
import { FolderCopy } from './folder-copy.ts'
import type { MemoryFile } from './memory-file.ts'
import { requireWorkspace } from './missing-workspace.ts'
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
  readonly memory: Pick<MemoryFile, 'copyTo'>
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
  const namesBefore = new Map(LOGS.map((kind) => [kind, logNames(ports.files, layout, kind)] as const))
  const journalsBefore = journalLengths(setup)
  for (const name of ROOT_FILES) copy.copyFile(layout, name)
  await copy.copyFolder(layout, layout.procedures, between)
  // Of every import that had begun by now all logs, whenever they came to be, and those that belong to none.
  const imports = logNames(ports.files, layout, IMPORT_LOG)
  const names = new Set([...imports, ...LOGS.flatMap((kind) => namesBefore.get(kind) ?? [])])
  for (const kind of LOGS) {
    const refusal = folderRefusal(ports.files, layout, kind)
    if (refusal !== null) copy.skip(refusal)
    else for (const name of names) copy.copyFile(layout, `${kind.folder(layout)}/${name}`)
  }
  copyMemory(setup, copy)
  const own = { ...layout, root: copy.root }
  repeatWrites(setup, copy, own, journalsBefore)
  const experiences = (ports.files.names(inWorkspace(own, own.procedures)) ?? []).filter(isExperienceFile).length
  const reserved = reservedNames(readHeadings(ports, own, IMPORT_LOG))
  // An import that began meanwhile is not in the copy, and so is not its original.
  const isOurs = (name: string) => originalsBefore.has(name) || reserved.has(name)
  const trajectories = await copy.copyFolder(layout, layout.trajectories, between, isOurs)
  const elsewhere = await copyElsewhere(setup, copy, own, between)
  await between()
  copy.publish()
  const { fileCount: files, byteCount: bytes, skipped } = copy
  const counts = {
    experiences: experiences + elsewhere.experiences,
    trajectories: trajectories + elsewhere.trajectories,
    imports: imports.length,
    files,
    bytes,
  }
  return { backup: target, ...counts, ...(skipped.length === 0 ? {} : { skipped: [...skipped] }) }
}

/** Behind the logs: what an import has told the graph is there before the import's own record of being complete. */
function copyMemory({ layout, memory }: BackupSetup, copy: FolderCopy): void {
  try {
    copy.copyBy(layout.memory, (target) => memory.copyTo(target))
  } catch (error) {
    if (!(error instanceof MemoryError) || error.code !== 'memory_corrupt') throw error
    copy.skip({ path: layout.memory, error: error.message })
  }
}

/** What imports wrote into folders that are no longer the configured ones: experiences by the journals, originals by the logs. */
async function copyElsewhere(
  { ports, layout }: BackupSetup,
  copy: FolderCopy,
  own: Layout,
  between: () => Promise<void>,
): Promise<{ experiences: number; trajectories: number }> {
  const { files } = ports
  const written = readRequestLogs(ports, own, OPERATION_LOG).logs.flatMap(({ state }) =>
    [...state.values()].map(({ intent }) => folderOf(intent.path)),
  )
  const isOther = (folder: string) => folder !== layout.procedures && isInside(files, layout, folder)
  let experiences = 0
  for (const folder of new Set(written))
    if (isOther(folder)) experiences += await copy.copyFolder(layout, folder, between)
  let trajectories = 0
  for (const path of reservedPaths(readHeadings(ports, own, IMPORT_LOG))) {
    const isConfigured = folderOf(path) === layout.trajectories
    if (!isConfigured && isInside(files, layout, path) && copy.copyFile(layout, path)) trajectories += 1
  }
  return { experiences, trajectories }
}

/** Logs may have come from someone else, and name anything. */
function isInside(files: Files, layout: Layout, path: string): boolean {
  try {
    const [first = ''] = path.split('/')
    confinePath(files, layout, first, path.includes('/') ? path : `${path}/x`)
    return first !== 'metadata'
  } catch (error) {
    if (error instanceof MemoryError) return false
    throw error
  }
}

function requireTarget({ ports, layout, outside }: BackupSetup, target: string): void {
  const { files } = ports
  requireWorkspace(files, layout)
  requireOutside({ outside }, layout, target)
  const found = files.stat(target)
  if (found !== null && (found.kind !== 'folder' || files.names(target)?.length !== 0))
    throw new MemoryError('name_taken', `${target} exists already and is left as it is; name a new folder`)
  const parent = files.stat(outside.realPath(folderOf(target)))
  if (parent?.kind !== 'folder')
    throw new MemoryError('not_found', `there is no folder ${folderOf(target)}; make it first, or name another`)
  // It is put in its place by one rename.
  if (found !== null && found.device !== parent.device)
    throw new MemoryError('name_taken', `${target} is a disk of its own; name a new folder in it`)
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

/** Does in the copy what was written after its experiences were begun to be copied, by however many imports. */
function repeatWrites(
  { ports }: BackupSetup,
  copy: FolderCopy,
  own: Layout,
  lengthsBefore: ReadonlyMap<string, number>,
): void {
  const newer: Intent[] = []
  for (const name of logNames(ports.files, own, OPERATION_LOG)) {
    const bytes = ports.files.read(`${inWorkspace(own, own.operations)}/${name}`) ?? new Uint8Array()
    const lengthBefore = lengthsBefore.get(name) ?? 0
    if (bytes.length === lengthBefore) continue
    const before = publishedIn(ports, own, name, bytes.subarray(0, lengthBefore))
    for (const [key, { intent }] of publishedIn(ports, own, name, bytes)) if (!before.has(key)) newer.push(intent)
  }
  // A journal may have come from someone else.
  for (const [path, writes] of Map.groupBy(newer, ({ path }) => path))
    if (isExperiencePath(ports.files, own, path)) repeatOnFile(ports, copy, own, path, writes)
}

/** @param writes of one file, in any order: which one follows which is told by their versions, and by no clock */
function repeatOnFile(
  ports: WorkspacePorts,
  copy: FolderCopy,
  own: Layout,
  path: string,
  writes: readonly Intent[],
): void {
  const left = new Set(writes)
  for (;;) {
    const there = versionThere({ ports, layout: own }, path)
    const next = [...left].find(({ prior }) => prior === there)
    if (next === undefined) return
    copy.replaceFile(path, new TextEncoder().encode(next.text))
    left.delete(next)
  }
}

function isExperiencePath(files: Files, layout: Layout, path: string): boolean {
  try {
    experiencePath(files, layout, path)
    return true
  } catch (error) {
    if (error instanceof MemoryError) return false
    throw error
  }
}

function isExperienceFile(name: string): boolean {
  return name.endsWith('.json')
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
