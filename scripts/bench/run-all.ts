/**
 * `npm run bench`: builds the product, asks every question in a process of its own, and writes docs/benchmarks.md. Takes
 * the options of the questions; `--only start-up,rebuild` asks some and prints without writing, `--again start-up,rebuild`
 * asks some and takes what the others answered the last time.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { plotSvg } from './bench-plot.ts'
import { type BenchReport, mebibytes, reportMarkdown } from './bench-report.ts'
import { describeMachine } from './measured-machine.ts'
import { type QuestionOptions, questionOptions, refuse } from './question-options.ts'

const ROOT = resolve(import.meta.dir, '../..')
const DOCUMENT = join(ROOT, 'docs', 'benchmarks.md')
const PICTURES = 'benchmarks'
const QUESTIONS = [
  'start-up',
  'one-shot-search',
  'hybrid-search',
  'freshness',
  'warm-query',
  'vector-query',
  'rebuild',
  'durable-write',
  'tokens',
  'segments',
  'memory',
  'memory-graph',
  'cypher',
  'service',
  'static-embedding',
  'relevance',
] as const

const args = process.argv.slice(2)
const only = namesAfter('--only')
const again = namesAfter('--again')
process.exitCode = main()

/** Takes the option and its questions out of the arguments; null when it is not there. */
function namesAfter(option: string): readonly string[] | null {
  const at = args.indexOf(option)
  if (at === -1) return null
  const names = (args.splice(at, 2)[1] ?? '').split(',')
  const unknown = names.filter((name) => !(QUESTIONS as readonly string[]).includes(name))
  if (unknown.length > 0) refuse(`${option} ${unknown.join(',')}: the questions are ${QUESTIONS.join(', ')}`)
  return names
}

function main(): number {
  const options = questionOptions(args)
  if (Bun.spawnSync([process.execPath, 'build.ts'], { cwd: ROOT, stderr: 'inherit' }).exitCode !== 0) return 1
  const reports = join(options.data, 'reports')
  mkdirSync(reports, { recursive: true })
  const answered = QUESTIONS.filter((name) => only?.includes(name) ?? true).map((name) => {
    const file = join(reports, `${name}.json`)
    return { name, report: again?.includes(name) === false ? storedReport(file) : ask(name, file) }
  })
  const missing = answered.filter(({ report }) => report === null).map(({ name }) => name)
  if (missing.length > 0) {
    console.error(`there is no report of ${missing.join(', ')}`)
    return 1
  }
  const pictures = only === null ? join(ROOT, 'docs', PICTURES) : reports
  mkdirSync(pictures, { recursive: true })
  const sections = answered.flatMap(({ name, report }) => (report === null ? [] : [section(name, report, pictures)]))
  if (only !== null) return 0
  writeFileSync(DOCUMENT, `${[...introduction(options), ...sections].join('\n\n')}\n`)
  console.log(`wrote ${DOCUMENT}`)
  return 0
}

/** @returns null when the question failed; what it said stands on the terminal */
function ask(name: string, file: string): BenchReport | null {
  rmSync(file, { force: true })
  console.log(`\n== ${name}`)
  const command = [process.execPath, join(import.meta.dir, `${name}.ts`), ...args, '--report', file]
  const { exitCode } = Bun.spawnSync(command, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] })
  return exitCode === 0 ? storedReport(file) : null
}

function storedReport(file: string): BenchReport | null {
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as BenchReport) : null
}

/** In Markdown. Its plot is written into the folder `pictures`. */
function section(name: string, report: BenchReport, pictures: string): string {
  const { plot, question } = report
  if (plot === null) return reportMarkdown(report, null)
  writeFileSync(join(pictures, `${name}.svg`), plotSvg(plot, question))
  return reportMarkdown(report, `${PICTURES}/${name}.svg`)
}

function introduction({ data, binary }: QuestionOptions): readonly string[] {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { readonly version: string }
  const facts = [
    `knowhow ${version}, ${mebibytes(statSync(binary).size)} MiB`,
    ...describeMachine(data),
    'Corpus: made-up experiences with about 250 bytes of `when-to-use` and 1.3 KB of content, one file each, whose words follow Zipf’s law',
  ]
  return [
    '# Benchmarks',
    'Written by `npm run bench`; edit the scripts in `scripts/bench/`, not this file. Programs run in turn and in fresh processes, ratios are medians of the ratios within a round, so that what else the machine does falls on all alike. Absolute times are those of this machine.',
    facts.map((fact) => `- ${fact}`).join('\n'),
  ]
}
