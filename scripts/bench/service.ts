/** How long does a running service take for an answer, alone and in a crowd? `bun scripts/bench/service.ts` */

import { type PlotGroup, ratioGroup } from './bench-plot.ts'
import { answer, type BenchReport, type BenchTable, milliseconds, ratio } from './bench-report.ts'
import { compiledPeer, measuredBinary } from './compiled-programs.ts'
import { AS_INSTALLED } from './embedder-choice.ts'
import { prepareIndex } from './indexed-workspace.ts'
import { cleanEnvironment } from './interleaved-runs.ts'
import { questionOptions } from './question-options.ts'
import { median, pairwiseRatios, quantile } from './statistics.ts'
import { syntheticQueries } from './synthetic-experiences.ts'
import { EXPERIENCE_SEED, syntheticWorkspace } from './synthetic-workspace.ts'

const options = questionOptions()
const CLIENTS = [1, 50, 200] as const
/** Of a round, unless there are more clients. */
const REQUESTS_MIN = 40
const ROUNDS_MIN = 3
const QUERY_COUNT = 512
/** Among more the time of a search is all there is to see, and other questions measure that. */
const COUNT = 1_000

interface Service extends Disposable {
  readonly url: string
}

async function started(
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const child = Bun.spawn([...command], { env: cleanEnvironment(environment), stdout: 'pipe', stderr: 'ignore' })
  const { value } = await child.stdout.getReader().read()
  const { url } = JSON.parse(new TextDecoder().decode(value)) as { readonly url: string }
  return { url, [Symbol.dispose]: () => child.kill() }
}

interface Asked {
  readonly name: string
  readonly ask: (number: number) => Promise<void>
}

interface Timed {
  readonly name: string
  /** By round, milliseconds for all requests of it. */
  readonly wallMs: number[]
  /** Of every request. */
  readonly latencyMs: number[]
  count: number
}

async function post(url: string, body: unknown, fault: (answer: string) => boolean): Promise<void> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  if (response.status !== 200 || fault(text)) throw new Error(`${url}: ${response.status} ${text.slice(0, 500)}`)
}

/** All clients ask at once, each its next question when it has its answer. */
async function round(clients: number, { ask }: Asked, timed: Timed, start: number): Promise<void> {
  const each = Math.ceil(REQUESTS_MIN / clients)
  const startMs = performance.now()
  const client = async (_: unknown, id: number) => {
    for (let turn = 0; turn < each; turn += 1) {
      const askedMs = performance.now()
      await ask(start + id * each + turn)
      timed.latencyMs.push(performance.now() - askedMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  timed.wallMs.push(performance.now() - startMs)
  timed.count += clients * each
}

async function crowd(clients: number, programs: readonly Asked[]): Promise<readonly Timed[]> {
  const timed = programs.map(({ name }): Timed => ({ name, wallMs: [], latencyMs: [], count: 0 }))
  const startMs = performance.now()
  for (let number = -1; number < options.rounds; number += 1) {
    if (number >= ROUNDS_MIN && performance.now() - startMs > options.budgetMs) break
    for (const turn of programs.keys()) {
      const at = (turn + Math.max(0, number)) % programs.length
      const [program, own] = [programs[at], timed[at]]
      if (program === undefined || own === undefined) continue
      // One round goes before, and does not count.
      await round(clients, program, number < 0 ? { ...own, wallMs: [], latencyMs: [] } : own, number * 1_000 + 1_000)
    }
  }
  return timed
}

function crowdTable(clients: number, timed: readonly Timed[]): BenchTable {
  const [floor] = timed
  return {
    title: `${clients} ${clients === 1 ? 'client' : 'clients'} (${floor?.wallMs.length ?? 0} rounds)`,
    columns: ['route', 'p50 ms', 'p95 ms', 'p99 ms', 'requests/s', 'to hello', 'quartiles'],
    rows: timed.map(({ name, wallMs, latencyMs, count }) => {
      const ratios = pairwiseRatios(wallMs, floor?.wallMs ?? [])
      const seconds = wallMs.reduce((sum, ms) => sum + ms, 0) / 1_000
      return [
        name,
        ...[0.5, 0.95, 0.99].map((share) => milliseconds(quantile(latencyMs, share))),
        (count / seconds).toFixed(0),
        ratio(median(ratios)),
        `${ratio(quantile(ratios, 0.25))} – ${ratio(quantile(ratios, 0.75))}`,
      ]
    }),
  }
}

async function measure(): Promise<BenchReport> {
  const binary = measuredBinary(options)
  const hello = await compiledPeer(options, 'hello-service')
  const { root } = syntheticWorkspace(options.data, COUNT, 'service')
  prepareIndex(binary, root, AS_INSTALLED)
  using floor = await started([hello])
  using served = await started(
    [binary, 'serve', '--port', '0', '--json', '--workspace', root],
    AS_INSTALLED.environment,
  )
  // So that there is a graph, with the experiences in it.
  await post(`${served.url}/session_start`, {}, () => false)
  const queries = [...syntheticQueries(QUERY_COUNT, EXPERIENCE_SEED, COUNT)]
  const query = (number: number) => queries[number % queries.length] ?? ''
  const lacks = (field: string) => (text: string) => !text.includes(`"${field}":`)
  const programs: readonly Asked[] = [
    { name: 'bare hono, hello', ask: () => post(`${floor.url}/hello`, { query: 'x' }, () => false) },
    {
      name: 'knowhow search',
      ask: (number) => post(`${served.url}/procedure_search`, { query: query(number) }, lacks('results')),
    },
    {
      name: 'knowhow recall',
      ask: (number) => post(`${served.url}/memory_recall`, { query: query(number) }, lacks('hits')),
    },
    { name: 'knowhow session list', ask: () => post(`${served.url}/session_list`, {}, () => false) },
  ]
  const tables: BenchTable[] = []
  const groups: PlotGroup[] = []
  for (const clients of CLIENTS) {
    const timed = await crowd(clients, programs)
    tables.push(crowdTable(clients, timed))
    groups.push(ratioGroup(`${clients} at once`, timed, { base: 0, target: null }))
  }
  return {
    question: 'Service',
    method: `\`knowhow serve\` on ${COUNT} experiences, which are procedures of its memory graph too, as somebody has it who has set nothing, beside a program that answers every request in the same words, on hono and the same server, compiled with the same settings. One process asks both in turn, with so many clients at once, each of which asks again as soon as it is answered; it runs on the same machine and takes its share of it. \`session list\` answers little: what it takes is to look whether the experiences still are as the graph knows them.`,
    tables,
    verdicts: [],
    plot: { axis: 'time for all requests of a round, as a multiple of a bare server’s (logarithmic)', groups },
    notes: [
      'One process answers on one thread, so that what many ask at once waits in line: requests/s tell how fast the line moves.',
    ],
  }
}

await answer(options, measure)
