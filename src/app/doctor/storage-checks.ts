/** What lies in the workspace: can it be written, can it be read, is it what it was. Changes no file that is there. */
import { OPERATION_LOG, type Operation } from '../../experiences/operation-journal.ts'
import { IMPORT_LOG, type ImportState } from '../../importer/import-log.ts'
import { PROCESSING_LOG } from '../../importer/processing-log.ts'
import { throwIfInterrupted } from '../../importer/running.ts'
import { counted } from '../../model/counted.ts'
import { aboutFile } from '../../model/error-report.ts'
import { lastPart } from '../../model/file-name.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { damagedDerivedFiles } from '../../search/derived-damage.ts'
import { nameDirectlyIn } from '../../workspace/confinement.ts'
import { fileSystemFaults } from '../../workspace/file-system-probe.ts'
import { inWorkspace, type Layout } from '../../workspace/layout.ts'
import { folderOf } from '../../workspace/publication.ts'
import { logNames, readRequestLogs, tornLogs } from '../../workspace/request-log.ts'
import { listTrajectories, readShelved } from '../../workspace/trajectory-shelf.ts'
import { lastWriter } from '../../workspace/writer-lock.ts'
import { allLogs } from '../all-logs.ts'
import type { IndexState } from '../index-state.ts'
import { lackingLogs } from '../lacking-logs.ts'
import { listImports } from '../listed-imports.ts'
import { LEFT_OUT_ADVICE } from '../operations/file-fault.ts'
import { type Check, checked, checkedAll, faulty, fine, named } from './check.ts'
import type { Examined } from './examined.ts'

/** An original of the largest size, its vectors and an index beside the old one, several times over. */
const FREE_BYTES_MIN = 100 * 1024 * 1024
const OWNER = 'check the disk, and the owner and mode of the folder'
const RESTORE = 'restore the files from a backup or from git'
const RESTORE_MEMORY = 'restore memory/memory.db from a backup, or move it away'
const KINDS = [IMPORT_LOG, PROCESSING_LOG, OPERATION_LOG]
const RESTORE_LOGS = `${RESTORE}; what may not be read: ${OWNER}; with a newer format: use the knowhow that wrote it`
const NEXT_WRITER = 'the next import or knowhow reindex'

export async function storageChecks(examined: Examined): Promise<readonly Check[]> {
  const { machine, layout } = examined
  if (machine.files.stat(layout.root) === null)
    return [fine('workspace', `${layout.root} does not exist yet; the first import makes it`)]
  return [
    fine('workspace', layout.root),
    await checked('folders', OWNER, () => foldersCheck(examined)),
    await checked('file_system', OWNER, () => fileSystemCheck(examined)),
    await checked('lock', OWNER, () => lockCheck(examined)),
    ...(await checkedAll('logs', OWNER, () => logChecks(examined))),
    await checked('originals', RESTORE, () => originalsCheck(examined)),
    ...(await indexChecks(examined)),
    await checked('memory', RESTORE_MEMORY, () => memoryCheck(examined)),
  ]
}

async function memoryCheck({ memoryProblems, machine, layout }: Examined): Promise<Check> {
  if (machine.files.stat(inWorkspace(layout, layout.memory)) === null)
    return fine('memory', 'nothing is remembered yet')
  const problems = await memoryProblems()
  const network = (await machine.volumeOf(layout.root))?.network ?? null
  const journal =
    network === null ? '' : `; on ${network} it does without a log ahead, so that readers may have to wait`
  if (problems.length === 0) return fine('memory', `the memory graph is whole${journal}`)
  return faulty('memory', named(problems), `knowhow memory validate names all; ${RESTORE_MEMORY}`)
}

/** Whether every folder of the workspace that is there is one, and none a link. */
function foldersCheck({ machine, layout }: Examined): Check {
  const faults = [...placesOf(layout)].flatMap((path) => {
    const kind = machine.files.stat(inWorkspace(layout, path))?.kind ?? 'folder'
    if (kind === 'folder') return []
    return [`${path} is ${kind === 'link' ? 'a symbolic link' : 'no folder'}`]
  })
  for (const path of [layout.lockHolder, `${layout.index}/lock`]) {
    const kind = machine.files.stat(inWorkspace(layout, path))?.kind ?? 'file'
    if (kind !== 'file') faults.push(`${path} is no ordinary file`)
  }
  if (faults.length === 0) return fine('folders', 'each is a folder, or not there yet')
  return faulty('folders', named(faults), 'move them away; where folders belong put the folders themselves')
}

/** Every folder of the workspace and those above it, relative. */
function placesOf({ trajectories, procedures, imports, processing, operations, index }: Layout): ReadonlySet<string> {
  const places = new Set<string>()
  for (const path of [index, imports, processing, operations, procedures, trajectories]) {
    const parts = path.split('/')
    for (const at of parts.keys()) places.add(parts.slice(0, at + 1).join('/'))
  }
  return places
}

async function fileSystemCheck({ machine, layout }: Examined): Promise<Check> {
  const { files, ids } = machine
  const there = [...placesOf(layout)]
    .map((path) => inWorkspace(layout, path))
    .filter((path) => files.stat(path)?.kind === 'folder')
  const metadata = inWorkspace(layout, 'metadata')
  const faults = [
    ...fileSystemFaults(files, ids, machine, there.includes(metadata) ? metadata : layout.root),
    ...there.filter((path) => !files.mayWrite(path)).map((path) => `nothing can be written in ${path}`),
    ...[inWorkspace(layout, `${layout.index}/lock`)]
      .filter((path) => files.stat(path)?.kind === 'file' && !files.mayWrite(path))
      .map((path) => `${path} cannot be written`),
  ]
  if (faults.length > 0) return faulty('file_system', named(faults), `${OWNER}; is the disk full?`)
  const volume = await machine.volumeOf(layout.root)
  if (volume === null) return fine('file_system', 'writes, links, renames and syncs work')
  const free = `${Math.floor(volume.freeBytes / 2 ** 20)} MiB free`
  if (volume.freeBytes < FREE_BYTES_MIN)
    return faulty('file_system', `${free}: an import may fill the disk`, 'make room, or move the workspace')
  const network =
    volume.network === null ? '' : `; on ${volume.network}, whose locks hold as well as its server keeps them`
  return fine('file_system', `writes, links, renames and syncs work; ${free}${network}`)
}

/** Whether a writer could take it, as far as can be seen without taking it. */
function lockCheck({ machine, layout }: Examined): Check {
  const { files } = machine
  const path = inWorkspace(layout, layout.lock)
  const found = files.stat(path)
  if (found !== null && found.kind !== 'file') return faulty('lock', `${path} is no ordinary file`, 'move it away')
  // A lock's file is empty.
  if (found !== null && found.bytes > 0) return faulty('lock', `${path} is not a lock of this program`, 'move it away')
  if (found !== null && !files.mayWrite(path)) return faulty('lock', `${path} cannot be written`, OWNER)
  const writer = lastWriter(files, layout)
  const isWriting = writer !== null && machine.isRunning(writer.pid)
  if (!isWriting) return fine('lock', 'nobody is known to write')
  return fine('lock', `process ${writer.pid} (knowhow ${writer.command}) may be writing`)
}

/** Of imports, their checkpoints and their writes. */
function logChecks({ ports, layout }: Examined): readonly Check[] {
  const all = allLogs(ports, layout)
  const kinds = [all.imports, all.processing, all.operations]
  const damaged = kinds.flatMap((kind) => kind.damaged)
  const count = kinds.reduce((sum, { states }) => sum + states.size, damaged.length)
  const lacking = lackingLogs(ports, layout, all)
  const faults = worded([...damaged, ...lacking])
  const torn = KINDS.flatMap((kind) => tornLogs(ports, layout, kind))
  const half =
    torn.length === 0
      ? ''
      : `; half a record at the end of ${named(torn.map(({ path }) => path))}, as a power cut leaves it: ${NEXT_WRITER} takes it off`
  const broken = `${counted(faults.length, 'log')} of ${count} cannot be read or lack something: ${named(faults)}`
  return [
    faults.length > 0
      ? faulty('logs', `${broken}${half}`, RESTORE_LOGS)
      : fine('logs', `${counted(count, 'log')}${half === '' ? ', all whole' : half}`),
    importsCheck(listImports(ports, layout).imports),
    writesCheck([...all.operations.states.values()].flatMap((ledger) => [...ledger.values()])),
  ]
}

function importsCheck(imports: ReturnType<typeof listImports>['imports']): Check {
  const incomplete = imports.filter(({ status }) => status === 'incomplete')
  if (incomplete.length === 0) return fine('imports', `${imports.length} complete`)
  const ids = incomplete.map(({ request_id, error }) => (error === null ? request_id : `${request_id} (${error.code})`))
  const words = `${imports.length - incomplete.length} complete, ${incomplete.length} incomplete: ${named(ids)}`
  return fine('imports', `${words}; knowhow imports says how each goes on`)
}

/** What killed runs left before its end. What no view takes is told of the index. */
function writesCheck(operations: readonly Operation[]): Check {
  const begun = operations.filter(({ outcome }) => outcome === 'open' || outcome === 'published')
  if (begun.length === 0) return fine('writes', `${counted(operations.length, 'write')}, none left before its end`)
  const paths = begun.map(({ intent }) => intent.path)
  return fine('writes', `begun and not ended: ${named(paths)}; ${NEXT_WRITER} finishes them`)
}

/** Every copy against the checksum that its import recorded, also where no setting leads any more. */
async function originalsCheck(examined: Examined): Promise<Check> {
  const { ports, layout, running } = examined
  const faults: string[] = []
  let count = 0
  const lying = listTrajectories(ports, layout)
  if (lying.length > 0 && KINDS.every((kind) => logNames(ports.files, layout, kind).length === 0))
    return faulty(
      'originals',
      `no log tells of an import, and yet there are ${named(lying)}`,
      `${RESTORE}, in metadata`,
    )
  for (const { state } of readRequestLogs(ports, layout, IMPORT_LOG).logs) {
    if (!state.copied) continue
    await throwIfInterrupted(running, 'run knowhow doctor again')
    count += 1
    const fault = copyFault(examined, state)
    if (fault !== null) faults.push(fault)
  }
  if (faults.length === 0) return fine('originals', `${counted(count, 'copy', 'copies')}, as when imported`)
  return faulty('originals', named(faults), RESTORE)
}

function copyFault({ ports, layout }: Examined, { trajectory, sha256 }: ImportState): string | null {
  try {
    const place = { ...layout, trajectories: folderOf(trajectory) }
    nameDirectlyIn(ports.files, place, place.trajectories, trajectory)
    return readShelved(ports, place, lastPart(trajectory), sha256) === null ? `${trajectory} is gone` : null
  } catch (error) {
    if (error instanceof MemoryError) return error.message
    throw error
  }
}

/** What imports wrote and is there no more, and in what other folder than the configured one they wrote. */
function writtenElsewhere({ ports, layout }: Examined): {
  readonly gone: readonly string[]
  readonly folders: readonly string[]
} {
  const paths = new Set<string>()
  for (const { state } of readRequestLogs(ports, layout, OPERATION_LOG).logs)
    for (const { intent, wasPublished } of state.values()) if (wasPublished) paths.add(intent.path)
  const there = new Set(ports.files.names(inWorkspace(layout, layout.procedures)) ?? [])
  const gone: string[] = []
  const folders = new Set<string>()
  for (const path of [...paths].sort())
    if (path !== `${layout.procedures}/${lastPart(path)}`) folders.add(folderOf(path))
    else if (!there.has(lastPart(path))) gone.push(path)
  return { gone, folders: [...folders] }
}

function experiencesCheck(examined: Examined, { count, invalid }: IndexState): Check {
  const { ports, layout } = examined
  if (invalid.length > 0)
    return faulty('experiences', `no experience: ${named(worded(invalid))}`, 'mend the files, or move them away')
  const { gone, folders } = writtenElsewhere(examined)
  const words = `of those that imports wrote ${counted(gone.length, 'is', 'are')} gone: ${named(gone)}`
  if (gone.length > 0 && ports.files.stat(inWorkspace(layout, layout.procedures)) === null)
    return faulty('experiences', words, `unless you removed them, ${RESTORE}`)
  if (folders.length > 0)
    return faulty(
      'experiences',
      `imports wrote into ${named(folders)}, which no search looks into`,
      'set procedure_dir back, or move the files',
    )
  return fine('experiences', `${counted(count, 'experience')}${gone.length === 0 ? '' : `; ${words}`}`)
}

function indexChecks(examined: Examined): Promise<readonly Check[]> {
  const { ports, layout, indexState } = examined
  return checkedAll('index', 'run knowhow reindex', async () => {
    const damaged = damagedDerivedFiles(ports, layout)
    const state = await indexState()
    return [experiencesCheck(examined, state), indexCheck(state, worded(damaged))]
  })
}

function indexCheck({ leftOut, facts, vectors }: IndexState, damaged: readonly string[]): Check {
  if (damaged.length > 0)
    return faulty(
      'index',
      `damaged: ${named(damaged)}; until it is written anew each search works it out`,
      'run knowhow reindex; if it comes again, check the disk',
    )
  if (leftOut.length > 0) return faulty('index', `found by no search: ${named(worded(leftOut))}`, LEFT_OUT_ADVICE)
  if (vectors?.embedder_changed === true)
    return faulty('index', 'the embedder was changed: searches rank by keywords alone', 'run knowhow reindex')
  return fine('index', indexWords(facts, vectors))
}

function indexWords({ generation, documents, beside }: IndexState['facts'], vectors: IndexState['vectors']): string {
  const base =
    generation === 0
      ? 'none on the disk yet, which a search writes once there are many files'
      : `generation ${generation} with ${counted(documents, 'document')}`
  const owed = vectors === null ? 0 : Math.max(vectors.when_to_use.owed, vectors.when_to_use_content.owed)
  const missing = owed === 0 ? '' : `; ${counted(owed, 'experience')} without a vector, which knowhow reindex supplies`
  return `${base}, ${counted(beside, 'file')} beside it${missing}`
}

function worded(files: readonly { readonly path: string; readonly error: string }[]): readonly string[] {
  return files.map(({ path, error }) => aboutFile(path, error))
}
