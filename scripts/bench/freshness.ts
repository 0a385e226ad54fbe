/**
 * How long does the first search after edits take, when it has to find what was edited?
 * `bun scripts/bench/freshness.ts`
 */
import { ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, runsTable } from './bench-report.ts'
import { compiledPeer, measuredBinary } from './compiled-programs.ts'
import { buildFts5, firstHit, prepareIndex, run } from './indexed-workspace.ts'
import { type Contender, interleavedRuns, type Measured } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios } from './statistics.ts'
import { type SyntheticExperience, syntheticExperiences } from './synthetic-experiences.ts'
import {
  EXPERIENCE_SEED,
  type SyntheticWorkspace,
  settle,
  syntheticWorkspace,
  writeExperience,
} from './synthetic-workspace.ts'

const options = questionOptions()
const COUNT = Math.min(...options.counts)
const EDITED = 7

/** A word that only this round's edit has. */
const markOf = (round: number) => `freshlyedited${round + 1}mark`

class EditedWorkspace {
  readonly workspace: SyntheticWorkspace
  /** Where the mark is. */
  readonly markedPath: string
  readonly #texts: readonly SyntheticExperience[]

  constructor(workspace: SyntheticWorkspace) {
    this.workspace = workspace
    this.#texts = [...syntheticExperiences(workspace.count, EXPERIENCE_SEED)]
    this.markedPath = `procedures/${this.#text(EDITED).name}.json`
    for (const experience of this.#texts) writeExperience(workspace.procedures, experience)
    settle()
  }

  edit(mark: string): void {
    const experience = this.#text(EDITED)
    const situation = `${experience['when-to-use']} ${mark}`
    writeExperience(this.workspace.procedures, { ...experience, 'when-to-use': situation })
  }

  /** Every file gets the texts of its neighbour of this round, as another branch would bring them. */
  checkOut(round: number): void {
    for (const [index, { name }] of this.#texts.entries()) {
      const texts = this.#text((index + round + 2) % this.workspace.count)
      const content = index === EDITED ? `${texts.content} ${markOf(round)}` : texts.content
      writeExperience(this.workspace.procedures, { ...texts, name, content })
    }
    // What the disk still has to write would slow down whoever runs first.
    run('sync', [])
  }

  #text(index: number): SyntheticExperience {
    const texts = this.#texts[index]
    if (texts === undefined) throw new Error(`there is no experience ${index}`)
    return texts
  }
}

interface Programs {
  readonly binary: string
  readonly fts5: string
  readonly database: string
}

/** Both search for the mark and must find it. */
function contenders(programs: Programs, edited: EditedWorkspace, mark: (round: number) => string): Contender[] {
  const { binary, fts5, database } = programs
  const { root, procedures } = edited.workspace
  const fault = (stdout: string, round: number) => {
    const found = firstHit(stdout)
    return found === edited.markedPath ? null : `it found ${found} and not ${mark(round)} in ${edited.markedPath}`
  }
  const view = ['--index', 'when_to_use_content', '--json', '--workspace', root]
  return [
    { name: 'knowhow search', command: (round) => [binary, 'search', mark(round), ...view], fault },
    { name: 'FTS5', command: (round) => [fts5, 'search', database, procedures, mark(round)], fault },
  ]
}

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  const fts5 = await compiledPeer(options, 'fts5-search')
  const edited = new EditedWorkspace(syntheticWorkspace(options.data, COUNT, 'edited'))
  const database = buildFts5(fts5, options, edited.workspace)
  const programs = { binary, fts5, database }
  const changing = contenders(programs, edited, markOf)
  prepareIndex(binary, edited.workspace.root)
  const once = interleavedRuns(changing, { ...options, beforeRound: (round) => edited.edit(markOf(round)) })
  const lastMark = 'editedonceandleftalone'
  edited.edit(lastMark)
  const again = interleavedRuns(
    contenders(programs, edited, () => lastMark),
    options,
  )
  prepareIndex(binary, edited.workspace.root)
  const all = interleavedRuns(changing, { ...options, beforeRound: (round) => edited.checkOut(round) })
  const ratioOf = ([ours, peer]: readonly Measured[]) => median(pairwiseRatios(ours?.wallMs ?? [], peer?.wallMs ?? []))
  const label = COUNT.toLocaleString('en')
  return {
    question: 'Freshness',
    method: `A fresh process searches for a word that was just written into one of ${label} files, and must name that file. The peer looks at every file, indexes what changed in both views in one durable transaction, and searches; the product does what it does. Compare also with the one-shot search of an unchanged workspace.`,
    tables: [
      runsTable('First search after one edit by hand', once, 1),
      runsTable('Further searches after that edit, nothing changed in between', again, 1),
      runsTable(`First search after a checkout that changes all ${label}`, all, 1),
    ],
    verdicts: [
      { what: `one edit among ${label} files, to FTS5`, value: ratioOf(once), reach: 1.3 },
      { what: `all of ${label} files changed, to FTS5`, value: ratioOf(all), reach: 1.3 },
    ],
    plot: {
      axis: 'time from start to exit, as a multiple of FTS5’s (logarithmic)',
      groups: [
        ratioGroup('one edit by hand', once, { base: 1, target: 1.3 }),
        ratioGroup('nothing changed since that edit', again, { base: 1, target: null }),
        ratioGroup(`all ${label} files changed`, all, { base: 1, target: 1.3 }),
      ],
    },
    notes: [],
  }
}

await answer(options, measure)
