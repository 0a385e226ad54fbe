/**
 * How long does it take until one more experience is safe on the disk and in both views, in a process that goes on
 * writing as an extraction does? `bun scripts/bench/durable-write.ts`
 */
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { builtinEmbedderPath } from '../../src/adapters/builtin-embedder-path.ts'
import { systemClock } from '../../src/adapters/clock-and-ids.ts'
import { fileRanges } from '../../src/adapters/file-ranges.ts'
import { openHuggingFaceTokenizer } from '../../src/adapters/hugging-face-tokenizer.ts'
import { InProcessEmbedder } from '../../src/adapters/in-process-embedder.ts'
import { ExperienceWriter } from '../../src/experiences/experience-writer.ts'
import { experienceBytes } from '../../src/model/experience.ts'
import { parseRequestId } from '../../src/model/request-id.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'
import type { Tokenizer } from '../../src/ports.ts'
import { builtinEmbedding } from '../../src/search/builtin-embedding.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import type { VectorLegOptions } from '../../src/search/vector-leg.ts'
import { inWorkspace, layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { openForWriting } from '../../src/workspace/workspace.ts'
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, milliseconds, ratio, type Verdict } from './bench-report.ts'
import { fileSystemOf } from './measured-machine.ts'
import { machinePorts, openSearch } from './opened-experiences.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'
import { syncedFiles } from './synced-files.ts'
import { type SyntheticExperience, syntheticExperience } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED, syntheticWorkspace } from './synthetic-workspace.ts'

const options = questionOptions()
/** Small enough for the write alone to show: in large folders looking at the files takes longest. */
const FEW = 100
const WARM_UP_COUNT = 5
/** So many that the usual 31 rounds reach the next new base of the index, past 64 files. */
const WRITES_PER_ROUND = 3
const TARGET = 6
const SYNCS_MAX = 5
const TOKENS = 'counting tokens'
const VIEWS = 'bringing both views in step'
const SOURCE = 'session/trajectories/synthetic.log'

interface Writer extends Disposable {
  readonly name: string
  readonly write: (experience: SyntheticExperience) => void | Promise<void>
  /** Null where nobody counts them. */
  readonly syncCount: number | null
  /** Milliseconds so far by what they went into; empty where nobody looks. */
  readonly partsMs: ReadonlyMap<string, number>
}

/** The built-in embedder, as the product has it without any setting. */
async function openVectors(): Promise<VectorLegOptions> {
  const { key, makeReady } = await builtinEmbedding(fileRanges(builtinEmbedderPath ?? ''))
  return { embedder: new InProcessEmbedder(key, systemClock, makeReady), kernel: plainKernel, batchSize: 1_024 }
}

/** What it wrote is removed in the end, for the next time. @param vectors null for keywords alone */
function openProduct(name: string, root: string, tokenizer: Tokenizer, vectors: VectorLegOptions | null): Writer {
  const synced = syncedFiles()
  const ports = machinePorts(synced.files)
  const layout = layoutOf(root, WORKSPACE_FOLDERS)
  rmSync(inWorkspace(layout, layout.operations), { recursive: true, force: true })
  const index = inWorkspace(layout, layout.index)
  for (const name of existsSync(index) ? readdirSync(index) : [])
    if (name.startsWith('vectors-')) rmSync(join(index, name))
  const workspace = openForWriting(ports, layout, { pid: process.pid, command: 'benchmark' })
  const search = openSearch(root, ports)
  if (vectors !== null) search.useVectors(vectors)
  const partsMs = new Map([TOKENS, VIEWS].map((part) => [part, 0]))
  const since = (part: string, startMs: number) =>
    void partsMs.set(part, (partsMs.get(part) ?? 0) + performance.now() - startMs)
  const count = (text: string) => {
    const startMs = performance.now()
    const tokens = tokenizer.count(text)
    since(TOKENS, startMs)
    return tokens
  }
  const writer = new ExperienceWriter(workspace, {
    request: parseRequestId('durable-write'),
    tokenizer: { ...tokenizer, count },
    limits: TOKEN_LIMITS,
    views: {
      mayWait: false,
      takeIn: async (path, read) => {
        const startMs = performance.now()
        const taken = await search.takeIn(path, read, { asksAgain: false })
        since(VIEWS, startMs)
        return taken
      },
    },
  })
  const paths: string[] = []
  return {
    name,
    write: async ({ name, ...texts }) => {
      const { path } = await writer.create(name, name, texts, [SOURCE])
      paths.push(path)
    },
    get syncCount() {
      return synced.syncCount
    },
    partsMs,
    [Symbol.dispose]: () => {
      writer[Symbol.dispose]()
      search[Symbol.dispose]()
      workspace[Symbol.dispose]()
      for (const path of paths) rmSync(inWorkspace(layout, path))
    },
  }
}

/** The same bytes as a row of a table, each in a transaction of its own. */
function openSqlite(name: string, journal: 'WAL' | 'DELETE'): Writer {
  const path = join(options.data, `durable-write-${journal.toLowerCase()}.db`)
  for (const ending of ['', '-wal', '-shm', '-journal']) rmSync(path + ending, { force: true })
  const database = new DatabaseSync(path)
  database.exec(`PRAGMA journal_mode = ${journal}`)
  database.exec('PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE experiences (path TEXT PRIMARY KEY, experience TEXT NOT NULL)')
  const insert = database.prepare('INSERT INTO experiences VALUES (?, ?)')
  return {
    name,
    write: (experience) => {
      const { path, text } = storedFile(experience)
      insert.run(path, text)
    },
    syncCount: null,
    partsMs: new Map(),
    [Symbol.dispose]: () => database.close(),
  }
}

/** What one sync of these bytes costs here, whoever asks for it. */
function openAppended(): Writer {
  const descriptor = openSync(join(options.data, 'durable-write.log'), 'w')
  let syncCount = 0
  return {
    name: 'append and fsync alone',
    write: (experience) => {
      writeSync(descriptor, storedFile(experience).text)
      fsyncSync(descriptor)
      syncCount += 1
    },
    get syncCount() {
      return syncCount
    },
    partsMs: new Map(),
    [Symbol.dispose]: () => closeSync(descriptor),
  }
}

/** As it lies in a workspace. */
function storedFile({ name, ...texts }: SyntheticExperience): { readonly path: string; readonly text: string } {
  const bytes = experienceBytes({ ...texts, sources: [SOURCE] })
  return { path: `procedures/${name}.json`, text: new TextDecoder().decode(bytes) }
}

interface TimedWrites {
  readonly name: string
  readonly wallMs: number[]
  /** Of each write; empty where nobody counts them. */
  readonly syncs: number[]
  /** Of each write, by part. */
  readonly parts: Map<string, number[]>
}

/** Every writer writes the same experiences in turn, one at a time. */
async function timeWrites(writers: readonly Writer[], count: number): Promise<readonly TimedWrites[]> {
  const timed = writers.map(
    ({ name }): TimedWrites => ({ name, wallMs: [], syncs: [], parts: new Map<string, number[]>() }),
  )
  const startMs = performance.now()
  for (let round = -WARM_UP_COUNT; round < options.rounds * WRITES_PER_ROUND; round += 1) {
    if (round >= WRITES_PER_ROUND && performance.now() - startMs > options.budgetMs) break
    const experience = syntheticExperience(count + WARM_UP_COUNT + round, EXPERIENCE_SEED)
    for (const turn of writers.keys()) {
      const at = (turn + WARM_UP_COUNT + round) % writers.length
      const [writer, one] = [writers[at], timed[at]]
      if (writer !== undefined && one !== undefined) await timeWrite(writer, experience, round < 0 ? null : one)
    }
  }
  return timed
}

/** @param into null for a write that does not count */
async function timeWrite(writer: Writer, experience: SyntheticExperience, into: TimedWrites | null): Promise<void> {
  const syncsBefore = writer.syncCount
  const partsBefore = new Map(writer.partsMs)
  const startMs = performance.now()
  await writer.write(experience)
  into?.wallMs.push(performance.now() - startMs)
  if (syncsBefore !== null) into?.syncs.push((writer.syncCount ?? 0) - syncsBefore)
  for (const [part, ms] of writer.partsMs)
    into?.parts.set(part, [...(into.parts.get(part) ?? []), ms - (partsBefore.get(part) ?? 0)])
}

function writesTable(label: string, timed: readonly TimedWrites[]): BenchTable {
  const [, base] = timed
  return {
    title: `${label} (${base?.wallMs.length ?? 0} writes)`,
    columns: ['writer', 'median ms', 'quartiles', 'slowest', 'syncs', `to ${base?.name ?? ''}`, 'quartiles'],
    rows: timed.map(({ name, wallMs, syncs }) => {
      const ratios = pairwiseRatios(wallMs, base?.wallMs ?? [])
      return [
        name,
        milliseconds(median(wallMs)),
        `${milliseconds(quantile(wallMs, 0.25))} – ${milliseconds(quantile(wallMs, 0.75))}`,
        milliseconds(Math.max(...wallMs)),
        syncs.length === 0 ? '–' : String(median(syncs)),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
      ]
    }),
  }
}

function partsTable(label: string, { wallMs, parts }: TimedWrites): BenchTable {
  const rest = wallMs.map((whole, at) => whole - [...parts.values()].reduce((sum, part) => sum + (part[at] ?? 0), 0))
  return {
    title: `Where the product’s time goes ${label}`,
    columns: ['part', 'median ms', '95 % below ms'],
    rows: [...parts, ['journal, file and folder, synced', rest] as const].map(([part, times]) => [
      part,
      milliseconds(median(times)),
      milliseconds(quantile(times, 0.95)),
    ]),
  }
}

async function measure(): Promise<BenchReport> {
  const tokenizer = await openHuggingFaceTokenizer('builtin:qwen3', { environment: {} })
  const vectors = await openVectors()
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  for (const count of [FEW, ...options.counts]) {
    const { root } = syntheticWorkspace(options.data, count, 'written')
    const installed = syntheticWorkspace(options.data, count, 'written-installed')
    using product = openProduct('knowhow', root, tokenizer, null)
    using withVectors = openProduct('knowhow as installed, with its vectors', installed.root, tokenizer, vectors)
    using wal = openSqlite('SQLite, WAL', 'WAL')
    using rollback = openSqlite('SQLite, rollback journal', 'DELETE')
    using appended = openAppended()
    const timed = await timeWrites([product, wal, rollback, appended, withVectors], count)
    const label = `among ${count.toLocaleString('en')} experiences`
    groups.push(ratioGroup(label, timed, { base: 1, target: TARGET }))
    const [ours, peer, , , asInstalled] = timed
    tables.push(writesTable(`One write ${label}`, timed))
    for (const one of [ours, asInstalled]) if (one !== undefined) tables.push(partsTable(`${one.name}, ${label}`, one))
    verdicts.push({
      what: `durable write ${label}, to SQLite in WAL mode`,
      value: median(pairwiseRatios(ours?.wallMs ?? [], peer?.wallMs ?? [])),
      reach: TARGET,
    })
    verdicts.push({
      what: `sync calls of a write ${label}`,
      value: median([...(ours?.syncs ?? []), ...(asInstalled?.syncs ?? [])]),
      reach: SYNCS_MAX,
      kind: 'count',
    })
  }
  return {
    question: 'Durable write',
    method: `One process creates experiences through the writer that an extraction uses: tokens are counted, the intent is journaled, the file published, both views brought in step with the folder, and the journal closed; once by keywords alone, once with the built-in embedder, which makes vectors of both texts and writes them (the peers have none, so no target is set for it). In turn the same bytes go into a table of SQLite (node:sqlite, synchronous = FULL, a transaction each). Syncs of files and folders are counted at the port of the product’s files. File system: ${fileSystemOf(options.data)}.`,
    tables,
    verdicts,
    plot: { axis: 'time of a write, as a multiple of an insert’s in WAL mode (logarithmic)', groups },
    notes: [
      'Past 64 files beside its base the index builds a new one: the slowest write may be such a one.',
      'The first write of an import syncs twice more, for its journal’s heading and folder.',
    ],
  }
}

await answer(options, measure)
