/** Answers as people read them. One renderer an operation; what has none is shown as indented JSON. */
import type * as v from 'valibot'
import type { backupOutput } from '../app/operations/backup.ts'
import type { doctorOutput } from '../app/operations/doctor.ts'
import type { procedureExportOutput } from '../app/operations/export.ts'
import { LEFT_OUT_ADVICE } from '../app/operations/file-fault.ts'
import type { importOutput } from '../app/operations/import.ts'
import type { importsOutput } from '../app/operations/imports.ts'
import {
  INDEX_TERMS,
  type indexExportOutput,
  type indexStatsOutput,
  type vectorFacts,
} from '../app/operations/index.ts'
import type { inspectOutput, scanOutput } from '../app/operations/lenses.ts'
import type { licensesOutput } from '../app/operations/licenses.ts'
import type { readOutput } from '../app/operations/read.ts'
import type { searchOutput } from '../app/operations/search.ts'
import type { tokensOutput } from '../app/operations/tokens.ts'
import type { configOutput, reindexOutput, statusOutput } from '../app/operations/upkeep.ts'
import { NOTHING_HERE } from '../experiences/library.ts'
import { counted } from '../model/counted.ts'
import { aboutFile } from '../model/error-report.ts'
import { VIEW_NAMES } from '../model/experience.ts'
import { dividedLine, evaluationText } from './evaluation-text.ts'
import { MEMORY_RENDERERS } from './memory-text.ts'
import { Paint } from './paint.ts'
import { shownSafely } from './terminal-text.ts'

export interface RenderOptions {
  readonly colour: boolean
  /** How much of each situation among search results is shown, UTF-16 units; some eight lines when left out. */
  readonly situationUnitsMax?: number
}

type Answer<Output extends () => v.GenericSchema> = v.InferOutput<ReturnType<Output>>
type Imported = Answer<typeof importOutput>
type OneImport = Exclude<Imported, { imports: unknown }> | Extract<Imported, { imports: unknown }>['imports'][number]
type ImportList = Answer<typeof importsOutput>
type Found = Answer<typeof searchOutput>
type Read = Answer<typeof readOutput>
type ReadExperience = Extract<Read, { kind: 'experience' }>
type ReadTrajectory = Extract<Read, { kind: 'trajectory' }>
type IndexStats = Answer<typeof indexStatsOutput>
type Vectors = Answer<typeof vectorFacts>
type Status = Answer<typeof statusOutput>

type Renderer = (answer: never, paint: Paint, options: RenderOptions) => string

const RENDERERS: Readonly<Record<string, Renderer>> = {
  procedure_import: (answer: Imported, paint) =>
    'imports' in answer ? answer.imports.map((one) => importText(one, paint)).join('\n') : importText(answer, paint),
  procedure_imports: importsText,
  procedure_search: searchText,
  procedure_read: (answer: Read, paint) =>
    answer.kind === 'trajectory' ? excerptText(answer, paint) : experienceText(answer, paint),
  eval: evaluationText,
  procedure_reindex: reindexText,
  index_stats: indexStatsText,
  index_export: indexExportText,
  procedure_export: exportText,
  inspect: inspectText,
  scan: scanText,
  tokens: tokensText,
  status: statusText,
  doctor: doctorText,
  backup: backupText,
  config: settingsText,
  licenses: licensesText,
  ...MEMORY_RENDERERS,
}

/** Text that ends with a line end. Whatever came from a log cannot steer the terminal. */
export function rendered(operationName: string, answer: unknown, options: RenderOptions): string {
  const renderer = RENDERERS[operationName]
  if (renderer === undefined) return `${JSON.stringify(answer, null, 2)}\n`
  return `${renderer(answer as never, new Paint(options.colour), options).replace(/\n+$/, '')}\n`
}

function importText(one: OneImport, paint: Paint): string {
  if ('dry_run' in one) return forecastText(one, paint)
  if (one.status === 'failed') return `${paint.alarm(`failed  ${one.file}`)}\n  ${shownSafely(one.error.message)}`
  const { segments, experiences, trajectory, error } = one
  const head = `${one.status === 'complete' ? paint.strong('complete') : paint.alarm('incomplete')}  ${shownSafely(trajectory ?? '')}`
  const lines = [
    head,
    `  request ${one.request_id} · ${one.format ?? 'unread'} · ${one.extractor} · segments ${segmentCount(segments)}`,
  ]
  if (one.redactions > 0) lines.push(`  ${counted(one.redactions, 'secret')} masked`)
  if (one.replacements > 0) lines.push(`  ${counted(one.replacements, 'invalid byte sequence')} read as U+FFFD`)
  for (const { action, path } of experiences) lines.push(`  ${action} ${paint.strong(path)}`)
  if (one.extractor === 'llm' && one.status === 'complete' && experiences.length === 0)
    lines.push('  no experience was written; the model says:')
  if (one.reply !== '') lines.push(indented(shownSafely(one.reply), '  '))
  if (error !== undefined) {
    lines.push(`  ${paint.alarm(error.message)}`)
    if (isContinued(error)) lines.push(`  ${continuation(one.request_id)}`)
  }
  return lines.join('\n')
}

function forecastText(one: Extract<OneImport, { dry_run: true }>, paint: Paint): string {
  const { file, format, extractor, tokens, segments, requests, redactions } = one
  const calls = extractor === 'llm' ? `, ${requests.least} to ${requests.most} model calls` : ', no model calls'
  const lines = [
    `${paint.strong('dry run')}  ${shownSafely(file)}`,
    `  ${format} · ${extractor} · ${counted(tokens, 'token')}, ${counted(segments, 'segment')}${calls}; nothing was stored`,
  ]
  if (redactions > 0) lines.push(`  ${counted(redactions, 'secret')} would be masked`)
  return lines.join('\n')
}

function importsText({ imports, damaged = [] }: ImportList, paint: Paint): string {
  if (imports.length === 0 && damaged.length === 0) return 'No imports yet. Begin with: knowhow import FILE'
  const lines = imports.map(({ request_id, status, trajectory, segments, experiences, error }) => {
    const state = status === 'complete' ? paint.strong('complete  ') : paint.alarm('incomplete')
    const count = counted(experiences.length, 'experience')
    const line = `${state}  ${request_id}  ${shownSafely(trajectory ?? '')}  segments ${segmentCount(segments)}, ${count}`
    if (status === 'complete') return line
    const why = error === null ? [] : [shownSafely(error.message)]
    const next = isContinued(error) ? [continuation(request_id)] : []
    return [line, ...why, ...next].join('\n            ')
  })
  return [...lines, ...damagedLines(damaged, paint)].join('\n')
}

/** The message of a malformed file says itself how to go on. */
function isContinued(error: ImportList['imports'][number]['error']): boolean {
  return error === null || (error.resumable && error.code !== 'malformed_input')
}

function continuation(requestId: string): string {
  return `continue with: knowhow import --resume ${requestId}`
}

function damagedLines(damaged: NonNullable<Status['damaged']>, paint: Paint): readonly string[] {
  return damaged.map(({ path, error }) => paint.alarm(`cannot be read: ${aboutFile(path, error)}`))
}

const SITUATION_UNITS_MAX = 600

function searchText(answer: Found, paint: Paint, { situationUnitsMax = SITUATION_UNITS_MAX }: RenderOptions): string {
  const lines: string[] = []
  for (const [index, { path, fit, experience, source_missing }] of answer.results.entries()) {
    const note = source_missing === true ? `  (${sourceNote(experience.sources)})` : ''
    lines.push(`${index + 1}. ${paint.strong(experience.description)}`)
    lines.push(`   ${paint.faint(`${path}  fit ${fit.toFixed(2)}${note}`)}`)
    lines.push(indented(shownSafely(begun(experience['when-to-use'], situationUnitsMax)), '   '), '')
  }
  if (answer.results.length === 0 && answer.notice !== NOTHING_HERE) {
    const elsewhere = answer.index === 'when_to_use' ? ' Contents are searched with --index when_to_use_content' : ''
    lines.push(`Nothing fits.${elsewhere}`)
  }
  lines.push(...leftOutLines(answer.pending_indexes, paint))
  for (const { path, error } of answer.invalid) lines.push(paint.alarm(`not an experience: ${aboutFile(path, error)}`))
  if (answer.notice !== undefined) lines.push(paint.faint(answer.notice))
  return lines.join('\n')
}

/** Of a long text so much that one can tell whether to read it; `knowhow read` shows all. */
function begun(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text
  // At a word's end where that is near, and not between the halves of a surrogate pair.
  return `${text.slice(0, unitsMax).replace(/\s+\S{0,40}$|[\ud800-\udbff]$/, '')} …`
}

function leftOutLines(files: Found['pending_indexes'], paint: Paint): readonly string[] {
  if (files.length === 0) return []
  const named = files.map(({ path, error }) => paint.alarm(`found by no search: ${aboutFile(path, error)}`))
  return [...named, paint.faint(`  (${LEFT_OUT_ADVICE})`)]
}

function experienceText({ path, version, experience, source_missing }: ReadExperience, paint: Paint): string {
  const sources = experience.sources.map((source) => shownSafely(source)).join(', ')
  return [
    paint.strong(experience.description),
    paint.faint(`${path}  version ${version}`),
    '',
    `${paint.strong('When to use')}\n${shownSafely(experience['when-to-use'])}`,
    '',
    `${paint.strong('Content')}\n${shownSafely(experience.content)}`,
    '',
    paint.faint(
      `Sources: ${sources === '' ? 'none' : sources}${source_missing === true && sources !== '' ? ' (source missing)' : ''}`,
    ),
  ].join('\n')
}

function excerptText({ path, offset, length, total, text, truncated }: ReadTrajectory, paint: Paint): string {
  const end = offset + length
  const cut = truncated ? ', cut by the token cap' : ''
  const rest = end < total ? `; go on with --offset ${end}` : ''
  return `${paint.faint(`${path}  characters ${offset} to ${end} of ${total}${cut}${rest}`)}\n${shownSafely(text)}`
}

function reindexText(result: Answer<typeof reindexOutput>, paint: Paint): string {
  const { experiences, indexed, invalid, pending, embedded, reused, divided = 0 } = result
  const vectors = embedded + reused === 0 ? '' : `; ${counted(embedded, 'text')} embedded, ${reused} had their vectors`
  const lines = [`${indexed} of ${experiences} experiences indexed${vectors}`]
  if (divided > 0) lines.push(dividedLine(divided, paint))
  for (const { path, error } of invalid) lines.push(paint.alarm(`not an experience: ${aboutFile(path, error)}`))
  lines.push(...leftOutLines(pending, paint))
  return lines.join('\n')
}

function indexStatsText(stats: IndexStats, paint: Paint): string {
  const { generation, bytes, documents, invalid, terms, beside, analyzer, pending } = stats
  const meaning = (term: keyof typeof INDEX_TERMS) => paint.faint(`(${INDEX_TERMS[term]})`)
  const broken =
    invalid === 0 ? '' : `, ${paint.alarm(`${counted(invalid, 'invalid file')} (knowhow reindex names them)`)}`
  const lines = [
    `${paint.strong('generation')}  ${generation === 0 ? 'none on the disk' : generation} ${meaning('generation')}`,
    `${paint.strong('size')}        ${counted(bytes, 'byte')}, ${counted(documents, 'document')}${broken}, ${counted(terms, 'term')}`,
    `${paint.strong('beside')}      ${counted(beside, 'file')} ${meaning('beside')}`,
    `${paint.strong('analyzer')}    version ${analyzer}`,
  ]
  if (pending > 0) lines.push(`${paint.strong('pending')}     ${leftOutCount(pending, paint)}`)
  if (stats.vectors !== undefined) lines.push(...vectorLines(stats.vectors, paint))
  return lines.join('\n')
}

function vectorLines(vectors: Vectors, paint: Paint): readonly string[] {
  const { packs, bytes, embedder_changed, embedder } = vectors
  const title = `${paint.strong('vectors')}     `
  const ofViews = VIEW_NAMES.map((view) => {
    const { present, documents, owed } = vectors[view]
    const missing = owed === 0 ? '' : paint.alarm(`, ${owed} missing (knowhow reindex supplies them)`)
    return `${title}${view}: ${present} of ${documents}${missing}`
  })
  const changed = embedder_changed ? [`${title}${paint.alarm(EMBEDDER_CHANGED)}`] : []
  return [
    ...changed,
    ...ofViews,
    `${title}${counted(bytes, 'byte')} in ${counted(packs, 'pack')}, embedder ${shownSafely(embedder)}`,
  ]
}

const EMBEDDER_CHANGED = 'the embedder was changed: searches rank by keywords alone until knowhow reindex'

function leftOutCount(count: number, paint: Paint): string {
  return paint.alarm(`${counted(count, 'experience')} found by no search (knowhow reindex names them)`)
}

/** How many vectors are waited for, in a line. */
function owedText(vectors: Vectors, paint: Paint): string {
  const owed = VIEW_NAMES.filter((view) => vectors[view].owed > 0)
  if (owed.length === 0) return `of all experiences (embedder ${shownSafely(vectors.embedder)})`
  const waiting = owed.map((view) => `${counted(vectors[view].owed, 'text')} of ${view}`)
  const until = vectors.embedder_changed ? EMBEDDER_CHANGED : 'knowhow reindex supplies them'
  return paint.alarm(`${waiting.join(' and ')} without a vector (${until})`)
}

function indexExportText(answer: Answer<typeof indexExportOutput>, paint: Paint): string {
  const { view, file, documents, bytes, words_left_out: words, pending } = answer
  const lines = [`${paint.strong(file)}  ${view}, ${counted(documents, 'document')}, ${counted(bytes, 'byte')}`]
  if (words > 0)
    lines.push(
      paint.alarm(
        `${counted(words, 'word')} that Orama's English tokenizer does not take: in the documents, not to be found`,
      ),
    )
  return [...lines, ...leftOutLines(pending, paint)].join('\n')
}

function exportText(answer: Answer<typeof procedureExportOutput>, paint: Paint): string {
  const { format, dir, experiences, stale, pending, invalid } = answer
  return [
    `${paint.strong(shownSafely(dir))}  ${format}, ${counted(experiences, 'experience')}`,
    ...stale.map((path) => paint.alarm(`of no experience that is here, left as it is: ${shownSafely(path)}`)),
    ...leftOutLines(pending, paint),
    ...invalid.map(({ path, error }) => paint.alarm(`not an experience: ${aboutFile(path, error)}`)),
  ].join('\n')
}

function inspectText(answer: Answer<typeof inspectOutput>): string {
  const { format, producer, records, turns, tools, failures, fixes, tokens } = answer
  const held = records === 0 ? '' : `, ${counted(records, 'record')}`
  return [
    `${format}, ${producer === null ? 'by no known producer' : `by ${producer}`}${held}, ${counted(tokens, 'token')}`,
    `${counted(turns, 'turn')}, ${counted(tools, 'call')}, ${failures} failed, ${counted(fixes, 'fix', 'fixes')} seen`,
  ].join('\n')
}

function scanText({ secrets, kinds }: Answer<typeof scanOutput>, paint: Paint): string {
  if (secrets.length === 0) return 'no secrets found'
  const width = String(secrets.at(-1)?.line ?? 0).length
  const rows = secrets.map(({ line, mask }) => `line ${String(line).padStart(width)}  ${paint.alarm(mask)}`)
  const sums = Object.entries(kinds).map(([kind, count]) => `${count} ${kind}`)
  return [...rows, '', sums.join(', ')].join('\n')
}

function tokensText({ files, tokens, tokenizer, engine }: Answer<typeof tokensOutput>, paint: Paint): string {
  const width = Math.max(...[...files, { tokens }].map((file) => String(file.tokens).length))
  const line = (count: number, words: string) => `${String(count).padStart(width)}  ${words}`
  const lines = files.map((file) =>
    line(file.tokens, `${shownSafely(file.path)} ${paint.faint(counted(file.bytes, 'byte'))}`),
  )
  if (files.length > 1) lines.push(paint.strong(line(tokens, 'in all')))
  return [...lines, paint.faint(`${tokenizer}, engine ${engine}`)].join('\n')
}

function statusText(status: Status, paint: Paint): string {
  const { imports, engines, index } = status
  const { vectors } = index
  const lines = [
    `${paint.strong('workspace')}     ${shownSafely(status.workspace)}`,
    `${paint.strong('experiences')}   ${status.experiences}${status.invalid > 0 ? `, ${counted(status.invalid, 'invalid file')} (knowhow reindex names them)` : ''}`,
    `${paint.strong('trajectories')}  ${status.trajectories}`,
    `${paint.strong('imports')}       ${imports.complete} complete, ${imports.incomplete} incomplete`,
    `${paint.strong('index')}         ${indexWords(index)}`,
    `${paint.strong('memory')}        ${memoryWords(status.memory)}`,
    ...(vectors === undefined ? [] : [`${paint.strong('vectors')}       ${owedText(vectors, paint)}`]),
    `${paint.strong('engines')}       search ${engines.search}, tokens ${engines.tokens ?? 'unknown (knowhow doctor tells why)'}`,
  ]
  if (status.pending > 0) lines.push(leftOutCount(status.pending, paint))
  return [...lines, ...damagedLines(status.damaged ?? [], paint)].join('\n')
}

function memoryWords(memory: Status['memory']): string {
  if (memory === null) return 'cannot be read'
  return Object.entries(memory)
    .map(([name, count]) => `${name} ${String(count)}`)
    .join(', ')
}

function doctorText({ ok, checks }: Answer<typeof doctorOutput>, paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => name.length))
  const lines = checks.flatMap((check) => {
    const title = `${check.ok ? paint.strong('ok    ') : paint.alarm('FAULT ')}  ${check.name.padEnd(width)}  `
    const line = `${title}${shownSafely(check.detail)}`
    return check.fix === null ? [line] : [line, `${' '.repeat(width + 10)}${paint.alarm(check.fix)}`]
  })
  const count = checks.filter((check) => !check.ok).length
  return [...lines, '', ok ? 'All is as it should be.' : paint.alarm(`${counted(count, 'fault')} found.`)].join('\n')
}

function backupText(answer: Answer<typeof backupOutput>, paint: Paint): string {
  const { backup, experiences, trajectories, imports, files, bytes, skipped = [] } = answer
  const what = [
    counted(experiences, 'experience'),
    counted(trajectories, 'original'),
    counted(imports, 'import'),
    `${counted(files, 'file')} with ${counted(bytes, 'byte')}`,
  ]
  const left = skipped.map(({ path, error }) => paint.alarm(`not copied: ${aboutFile(path, error)}`))
  return [`${paint.strong(backup)}  ${what.join(', ')}`, ...left].join('\n')
}

function indexWords({ generation, documents, beside }: Status['index']): string {
  const files = `${counted(beside, 'file')} analysed by each search`
  return generation === 0
    ? `none on the disk yet, ${files}`
    : `generation ${generation}, ${counted(documents, 'document')}, ${files}`
}

function settingsText({ workspace, settings, keys, notices }: Answer<typeof configOutput>, paint: Paint): string {
  const width = Math.max(...Object.keys(settings).map((key) => key.length))
  const lines = [`${'workspace'.padEnd(width)}  ${shownSafely(workspace)}`]
  for (const [key, { value, source }] of Object.entries(settings))
    lines.push(`${key.padEnd(width)}  ${shownSafely(JSON.stringify(value))}  ${paint.faint(source)}`)
  for (const [name, state] of Object.entries(keys)) lines.push(`${name.padEnd(width)}  ${state}`)
  return [...lines, ...notices.map((notice) => paint.alarm(notice))].join('\n')
}

function licensesText({ packages }: Answer<typeof licensesOutput>, paint: Paint): string {
  const width = Math.max(...packages.map(({ name }) => name.length))
  const list = packages.map(
    ({ name, version, license }) => `${name.padEnd(width)}  ${license}  ${paint.faint(version)}`,
  )
  const texts = packages.map(({ name, version, text }) => `${paint.strong(`== ${name} ${version}`)}\n\n${text}`)
  return shownSafely([...list, '', ...texts].join('\n'))
}

function segmentCount({ done, total }: ImportList['imports'][number]['segments']): string {
  return total === null ? `${done} so far` : `${done} of ${total}`
}

function sourceNote(sources: readonly string[]): string {
  return sources.length === 0 ? 'no source' : 'source missing'
}

function indented(text: string, indent: string): string {
  return text
    .split('\n')
    .map((line) => indent + line)
    .join('\n')
}
