/** What every benchmark may be told on its command line. */
import { mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const ROOT = resolve(import.meta.dir, '../..')
const SUFFIX = process.platform === 'win32' ? '.exe' : ''

export interface QuestionOptions {
  /** Where corpora and peers are kept between runs. Absolute, exists. */
  readonly data: string
  /** The product. Absolute. */
  readonly binary: string
  /** How many experiences; several are measured one after the other. */
  readonly counts: readonly number[]
  /** Most rounds of a comparison. */
  readonly rounds: number
  /** A comparison whose rounds take longer altogether stops early. */
  readonly budgetMs: number
  /** Whether to measure also what takes many minutes. */
  readonly slow: boolean
  /** Folder of retrieval sets, absolute; null for the usual one. */
  readonly sets: string | null
  /** Where the report goes as JSON, for the one who collects them; null for nowhere. */
  readonly report: string | null
}

const USAGE =
  '[--data DIR] [--binary FILE] [--counts 10000,100000] [--rounds N] [--budget SECONDS] [--slow] [--sets DIR] [--report FILE]'

export function questionOptions(args: readonly string[] = process.argv.slice(2)): QuestionOptions {
  if (args.includes('--help')) {
    console.log(`options: ${USAGE}; npm run bench also takes --only QUESTION,… and --again QUESTION,…`)
    process.exit(0)
  }
  const values = optionValues(args)
  const data = resolve(values.data)
  mkdirSync(data, { recursive: true })
  return {
    data,
    binary: resolve(values.binary),
    counts: values.counts.split(',').map((count) => wholeNumber('counts', count)),
    rounds: wholeNumber('rounds', values.rounds),
    budgetMs: wholeNumber('budget', values.budget) * 1000,
    slow: values.slow,
    sets: values.sets === undefined ? null : resolve(values.sets),
    report: values.report === undefined ? null : resolve(values.report),
  }
}

/** Ends the program with one sentence. */
export function refuse(sentence: string): never {
  console.error(sentence)
  process.exit(2)
}

function optionValues(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        data: { type: 'string', default: join(tmpdir(), 'knowhow-bench') },
        binary: { type: 'string', default: join(ROOT, 'dist', `knowhow${SUFFIX}`) },
        counts: { type: 'string', default: '10000,100000' },
        rounds: { type: 'string', default: '31' },
        budget: { type: 'string', default: '90' },
        slow: { type: 'boolean', default: false },
        sets: { type: 'string' },
        report: { type: 'string' },
      },
    }).values
  } catch (error) {
    // What follows the first sentence is about positional arguments, which there are none of.
    const [reason] = error instanceof Error ? error.message.split(/[.;\n] ?/) : []
    return refuse(`${reason ?? 'that cannot be read'}; options: ${USAGE}`)
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value > 0) return value
  return refuse(`--${name} takes whole numbers above 0, not ${JSON.stringify(text)}; options: ${USAGE}`)
}
