/**
 * How long does it take to analyse and invert many experiences for both views? In one process, warm after the first
 * round, the engines in turn: `bun scripts/bench/index-build.ts`. Only texts to postings: no files are read, and ours
 * are left in memory.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { IndexBuilder, type IndexColumns } from '../../src/search/index-builder.ts'
import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, mebibytes, runsTable, type Verdict } from './bench-report.ts'
import type { Measured } from './interleaved-runs.ts'
import { type QuestionOptions, questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'
import { type SyntheticExperience, syntheticExperiences } from './synthetic-experiences.ts'

const SEED = 7
const ROUNDS_MIN = 3

type Experiences = Iterable<Pick<SyntheticExperience, 'when-to-use' | 'content'>>

function builtIndex(experiences: Experiences): IndexColumns {
  const builder = new IndexBuilder()
  for (const { 'when-to-use': whenToUse, content } of experiences) builder.add(whenToUse, content)
  return builder.finish()
}

/** Two tables of one database, in one transaction. The texts are not stored, as ours are not. */
function builtTables(path: string, experiences: Experiences): void {
  const database = new DatabaseSync(path)
  for (const table of ['situations', 'experiences'])
    database.exec(`CREATE VIRTUAL TABLE ${table} USING fts5(text, content='', tokenize='porter unicode61')`)
  const situation = database.prepare('INSERT INTO situations (rowid, text) VALUES (?, ?)')
  const experience = database.prepare('INSERT INTO experiences (rowid, text) VALUES (?, ?)')
  database.exec('BEGIN')
  let row = 0
  for (const { 'when-to-use': whenToUse, content } of experiences) {
    row += 1
    situation.run(row, whenToUse)
    experience.run(row, `${whenToUse}\n\n${content}`)
  }
  database.exec('COMMIT')
  database.close()
}

interface Engine {
  readonly name: string
  readonly build: () => void
  readonly wallMs: number[]
  readonly cpuMs: number[]
}

function timeBuild({ build, wallMs, cpuMs }: Engine): void {
  Bun.gc(true)
  const cpu = process.cpuUsage()
  const start = performance.now()
  build()
  wallMs.push(performance.now() - start)
  const { user, system } = process.cpuUsage(cpu)
  cpuMs.push((user + system) / 1000)
}

function measureCount(count: number, folder: string, rounds: number, budgetMs: number): readonly Measured[] {
  // Made flat, as texts from files are: the generator's are still trees of their pieces.
  const experiences = [...syntheticExperiences(count, SEED)].map(
    (experience) => JSON.parse(JSON.stringify(experience)) as SyntheticExperience,
  )
  const onDisk = join(folder, 'index.sqlite')
  const engine = (name: string, build: () => void): Engine => ({ name, build, wallMs: [], cpuMs: [] })
  const engines = [
    engine('knowhow', () => builtIndex(experiences)),
    engine('FTS5 in memory', () => builtTables(':memory:', experiences)),
    engine('FTS5 on disk', () => {
      rmSync(onDisk, { force: true })
      builtTables(onDisk, experiences)
    }),
  ]
  const start = performance.now()
  for (let round = 0; round < rounds; round += 1) {
    if (round >= ROUNDS_MIN && performance.now() - start > budgetMs) break
    for (const turn of engines.keys()) {
      const next = engines[(turn + round) % engines.length]
      if (next !== undefined) timeBuild(next)
    }
  }
  return engines.map(({ name, wallMs, cpuMs }) => ({ name, wallMs, cpuMs, peakBytes: null }))
}

/** Bytes resident at most while an index is built from texts that nobody keeps, less those before. */
function peakBytes(count: number): number {
  const child = Bun.spawnSync([process.execPath, import.meta.path, '--peak-of', String(count)], { stderr: 'inherit' })
  return Number(child.stdout.toString())
}

function printPeak(count: number): void {
  const before = process.memoryUsage.rss()
  let peak = before
  function* watched() {
    let index = 0
    for (const experience of syntheticExperiences(count, SEED)) {
      yield experience
      index += 1
      if (index % 1000 === 0) peak = Math.max(peak, process.memoryUsage.rss())
    }
  }
  const index = builtIndex(watched())
  peak = Math.max(peak, process.memoryUsage.rss())
  if (index.documentCount !== count) throw new Error('documents are missing')
  console.log(peak - before)
}

async function measure(options: QuestionOptions): Promise<BenchReport> {
  const folder = mkdtempSync(join(options.data, 'index-build-'))
  const tables = []
  const verdicts: Verdict[] = []
  const groups: PlotGroup[] = []
  const notes: string[] = []
  for (const count of options.counts) {
    const measured = measureCount(count, folder, options.rounds, options.budgetMs)
    const label = `${count.toLocaleString('en')} experiences`
    tables.push(runsTable(label, measured, 1))
    groups.push(ratioGroup(label, measured, { base: 1, target: 1 }))
    const ratios = pairwiseRatios(measured[0]?.wallMs ?? [], measured[1]?.wallMs ?? [])
    verdicts.push({ what: `both views of ${label}, to FTS5 in memory`, value: median(ratios), reach: 1 })
    notes.push(
      `First round of ${label}, compilers cold: ${measured.map(({ name, wallMs }) => `${name} ${Math.round(wallMs[0] ?? 0)} ms`).join(', ')}.`,
    )
    notes.push(
      `${label}: ${mebibytes(peakBytes(count))} MiB more resident at most, the texts and the garbage of making them included.`,
    )
  }
  rmSync(folder, { recursive: true })
  return {
    question: 'Building an index',
    method:
      'Texts in memory to the postings of both views, in one process, engines in turn with another one first in each round. FTS5 has two contentless tables with `porter unicode61`.',
    tables,
    verdicts,
    plot: { axis: 'time of a build, as a multiple of FTS5’s in memory (logarithmic)', groups },
    notes,
  }
}

if (process.argv[2] === '--peak-of') printPeak(Number(process.argv[3]))
else {
  const options = questionOptions()
  await answer(options, () => measure(options))
}
