/**
 * How long does the memory graph take to open, remember, recall, sweep and export among 10,000 and 100,000 memories?
 * `bun scripts/bench/memory-graph.ts`
 */
import { cpSync, rmSync } from 'node:fs'
import { WasmKernel } from '../../src/adapters/wasm-kernel.ts'
import type { Machine } from '../../src/app/machine.ts'
import { OpenedWorkspace } from '../../src/app/opened-workspace.ts'
import { plainKernel } from '../../src/search/plain-kernel.ts'
import { diskMachine, runIn } from '../../test/fakes/disk-machine.ts'
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, milliseconds, ratio, type Verdict } from './bench-report.ts'
import { compiledPeer, measuredBinary } from './compiled-programs.ts'
import { cleanEnvironment } from './interleaved-runs.ts'
import { openPlainStore, type PlainStore } from './peers/plain-memories.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'
import { syntheticQueries } from './synthetic-experiences.ts'
import { builtinEmbedder, type SyntheticGraph, syntheticGraph } from './synthetic-graph.ts'
import { EXPERIENCE_SEED } from './synthetic-workspace.ts'

const options = questionOptions()
const TARGET_COUNT_MIN = 100_000
const RECALL_MS_MAX = 50
const QUERY_COUNT = 64
const ROUNDS_MIN = 3
const RECALL_WARM = 'recall, warm'

/** One thing the graph is asked for, and the plain way to something like it. */
interface Task {
  readonly name: string
  readonly yardstick: string
  readonly ours: (round: number) => unknown
  readonly plain: (round: number) => unknown
}

interface TimedTask {
  readonly name: string
  readonly yardstick: string
  readonly oursMs: number[]
  readonly plainMs: number[]
}

async function machine(): Promise<Machine> {
  const embedder = await builtinEmbedder()
  return {
    ...diskMachine(),
    hasBuiltinEmbedder: true,
    openEmbedder: async () => embedder,
    openKernel: async () => new WasmKernel(plainKernel),
  }
}

interface Opened extends SyntheticGraph {
  readonly machine: Machine
  readonly workspace: OpenedWorkspace
  readonly store: PlainStore
  readonly queries: readonly string[]
}

const openWorkspace = (machine: Machine, root: string) =>
  new OpenedWorkspace(machine, { root, configPath: null, command: 'benchmark' })

function tasksInProcess({ machine, workspace, root, session, store, queries }: Opened): readonly Task[] {
  const query = (round: number) => queries[(round + 1) % queries.length] ?? ''
  const run = (name: string, input: unknown) => runIn<unknown>(workspace, name, input)
  const remember = (kind: string, fields: (text: string) => object) => ({
    yardstick: 'an insert of text and vector',
    ours: (round: number) => run('memory_remember', { kind, session, ...fields(`${query(round)} ${round}`) }),
    plain: (round: number) => store.insert(`${query(round)} ${round}`),
  })
  const recalled = { yardstick: 'FTS5, any of the words', plain: (round: number) => store.search(query(round)) }
  const recall = (round: number) => run('memory_recall', { query: query(round), session })
  const file = `${root}.jsonl`
  return [
    {
      name: 'open and count',
      yardstick: 'the same counts of the file',
      ours: async () => {
        using opened = openWorkspace(machine, root)
        await runIn(opened, 'memory_stats', {})
      },
      plain: () => store.countTables(),
    },
    { name: 'remember an event', ...remember('episodic', (content) => ({ content })) },
    { name: 'recall, a memory later', ...recalled, ours: recall },
    { name: RECALL_WARM, ...recalled, ours: recall },
    { name: 'remember a concept', ...remember('semantic', (content) => ({ concept: content, content })) },
    { name: 'remember what is in mind', ...remember('working', (content) => ({ content })) },
    {
      name: 'sweep, nothing is over',
      yardstick: 'a look at each working memory',
      ours: () => run('memory_sweep', {}),
      plain: () => store.scanWorking(),
    },
    {
      name: 'export',
      yardstick: 'all rows as JSON lines, unchecked',
      ours: async () => {
        rmSync(file, { force: true })
        await run('memory_export', { file })
      },
      plain: () => store.writeRows(`${file}.plain`),
    },
  ]
}

function tasksOneShot({ root, session, queries }: Opened, binary: string, empty: string): readonly Task[] {
  const spawn = (command: readonly string[]) => {
    const { exitCode, stderr } = Bun.spawnSync([...command], {
      env: cleanEnvironment({ EMBEDDING_BACKEND: 'builtin' }),
      stdout: 'pipe',
      stderr: 'pipe',
    })
    if (exitCode !== 0) throw new Error(`${command.join(' ')} ended with ${exitCode}: ${stderr.toString()}`)
  }
  const own = ['--session', session, '--json', '--workspace', root]
  const query = (round: number) => queries[(round + 1) % queries.length] ?? ''
  const begun = { yardstick: 'empty Bun binary', plain: () => spawn([empty]) }
  const remember = (kind: string, round: number) =>
    spawn([binary, 'memory', 'remember', kind, '--content', `${query(round)} ${round}`, ...own])
  return [
    {
      ...begun,
      name: 'recall, one process',
      ours: (round) => spawn([binary, 'memory', 'recall', query(round), ...own]),
    },
    { ...begun, name: 'remember an event, one process', ours: (round) => remember('episodic', round) },
    { ...begun, name: 'remember what is in mind, one process', ours: (round) => remember('working', round) },
  ]
}

/** Every task and its yardstick in turn; a warm-up round goes before. */
async function timeTasks(tasks: readonly Task[]): Promise<readonly TimedTask[]> {
  const timed = tasks.map(({ name, yardstick }): TimedTask => ({ name, yardstick, oursMs: [], plainMs: [] }))
  let startMs = performance.now()
  for (let round = -1; round < options.rounds; round += 1) {
    if (round >= ROUNDS_MIN && performance.now() - startMs > options.budgetMs) break
    for (const [at, { ours, plain }] of tasks.entries()) {
      const plainMs = await timeOf(() => plain(round))
      const oursMs = await timeOf(() => ours(round))
      if (round < 0) continue
      timed[at]?.plainMs.push(plainMs)
      timed[at]?.oursMs.push(oursMs)
    }
    if (round < 0) startMs = performance.now()
  }
  return timed
}

async function timeOf(work: () => unknown): Promise<number> {
  const startMs = performance.now()
  await work()
  return performance.now() - startMs
}

const least = (values: readonly number[]) => quantile(values, 0)

function tasksTable(label: string, timed: readonly TimedTask[]): BenchTable {
  return {
    title: `${label} (${timed[0]?.oursMs.length ?? 0} rounds)`,
    columns: ['task', 'least ms', 'median ms', 'quartiles', 'yardstick', 'its least ms', 'to it', 'quartiles'],
    rows: timed.map(({ name, yardstick, oursMs, plainMs }) => {
      const ratios = pairwiseRatios(oursMs, plainMs)
      return [
        name,
        milliseconds(least(oursMs)),
        milliseconds(median(oursMs)),
        `${milliseconds(quantile(oursMs, 0.25))} – ${milliseconds(quantile(oursMs, 0.75))}`,
        yardstick,
        milliseconds(least(plainMs)),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
      ]
    }),
  }
}

/** On a copy: what is remembered stays out of the next run. */
async function measuredGraph(count: number, binary: string, empty: string) {
  const written = await syntheticGraph(options.data, count)
  const root = `${written.root}-run`
  rmSync(root, { recursive: true, force: true })
  cpSync(written.root, root, { recursive: true })
  const queries = [...syntheticQueries(QUERY_COUNT, EXPERIENCE_SEED, count)]
  const own = await machine()
  const store = openPlainStore(root)
  const workspace = openWorkspace(own, root)
  try {
    const opened = { ...written, root, machine: own, workspace, store, queries }
    const firstMs = await timeOf(() => runIn(workspace, 'memory_recall', { query: queries[0] }))
    const timed = [
      ...(await timeTasks(tasksInProcess(opened))),
      ...(await timeTasks(tasksOneShot(opened, binary, empty))),
    ]
    return { timed, firstMs, relations: written.relations }
  } finally {
    workspace[Symbol.dispose]()
    store[Symbol.dispose]()
    for (const path of [root, `${root}.jsonl`, `${root}.jsonl.plain`]) rmSync(path, { recursive: true, force: true })
  }
}

async function measure(): Promise<BenchReport> {
  const [binary, empty] = [measuredBinary(options), await compiledPeer(options, 'empty')]
  const tables: BenchTable[] = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  const notes: string[] = []
  for (const count of options.counts) {
    const { timed, firstMs, relations } = await measuredGraph(count, binary, empty)
    const label = `${count.toLocaleString('en')} memories`
    tables.push(tasksTable(label, timed))
    for (const { name, yardstick, oursMs, plainMs } of timed)
      groups.push(
        ratioGroup(
          `${name}, ${label}`,
          [
            { name: 'knowhow', wallMs: oursMs },
            { name: yardstick, wallMs: plainMs },
          ],
          { base: 1, target: null },
        ),
      )
    const recallMs = least(timed.find(({ name }) => name === RECALL_WARM)?.oursMs ?? [])
    if (count >= TARGET_COUNT_MIN)
      verdicts.push({
        what: `${RECALL_WARM}, ${label}, least milliseconds`,
        value: Math.round(recallMs * 10) / 10,
        reach: RECALL_MS_MAX,
        kind: 'count',
      })
    notes.push(
      `${label}: ${relations.toLocaleString('en')} relations; the first recall, which packs all texts and vectors, took ${(firstMs / 1000).toFixed(1)} s.`,
    )
  }
  return {
    question: 'The memory graph',
    method:
      'Memories of all five types with vectors of the built-in embedder, four in ten events, three in ten concepts, in sessions of 500, linked as a graph grows. Operations in a process that keeps the workspace open, five hits a recall; and processes of the compiled program from start to exit. Each is timed in turn with a yardstick: what a plain program would do for something like it, without ranking by meaning, relations, isolation or checks. Where others use the machine too the least of the rounds says most.',
    tables,
    verdicts,
    plot: { axis: 'time, as a multiple of the yardstick’s (logarithmic)', groups },
    notes,
  }
}

await answer(options, measure)
