/** Answers of the memory graph as people read them. */

import type * as v from 'valibot'
import type { consolidateOutput } from '../app/operations/consolidate.ts'
import type { intentionsOutput, sweepOutput } from '../app/operations/intentions.ts'
import type { historyOutput, linkOutput } from '../app/operations/memory.ts'
import type {
  exportOutput,
  graphImportOutput,
  memoryStatsOutput,
  migrateOutput,
  validateOutput,
} from '../app/operations/memory-files.ts'
import type { graphOutput } from '../app/operations/session-picture.ts'
import { exportText } from '../graph/export.ts'
import type { MemoryAnswer, NodeAnswer } from '../graph/nodes.ts'
import { jsonPicture } from '../graph/picture/json.ts'
import type { RecallHit } from '../graph/recall.ts'
import type { MemoryKind } from '../graph/schema.ts'
import type { SessionView } from '../graph/session-view.ts'
import { counted } from '../model/counted.ts'
import { saysNoMore } from '../model/named-text.ts'
import { shortened } from '../model/shortened.ts'
import { cypherText } from './cypher-text.ts'
import type { Paint } from './paint.ts'
import { shownSafely } from './terminal-text.ts'

type Answer<Output extends () => v.GenericSchema> = v.InferOutput<ReturnType<Output>>

/** UTF-16 units of a memory's text; all of it is in the JSON answer. */
const SHOWN_UNITS_MAX = 300

export const MEMORY_RENDERERS = {
  session_start: sessionText,
  session_end: sessionText,
  session_archive: sessionText,
  session_list: sessionsText,
  session_show: shownSessionText,
  memory_remember: memoryText,
  memory_recall: recallText,
  memory_used: memoryText,
  memory_complete: memoryText,
  memory_link: linkText,
  memory_due: (answer: Answer<typeof intentionsOutput>, paint: Paint) =>
    intentionsText(answer, 'Nothing is due.', paint),
  memory_trigger: (answer: Answer<typeof intentionsOutput>, paint: Paint) =>
    intentionsText(answer, 'Nothing was triggered.', paint),
  memory_sweep: sweepText,
  memory_consolidate: consolidationText,
  memory_history: historyText,
  memory_graph: pictureText,
  memory_cypher: cypherText,
  memory_migrate: migrationText,
  memory_validate: validationText,
  memory_export: exportedText,
  memory_import: importedText,
  memory_stats: statsText,
}

function sessionText(session: NodeAnswer, paint: Paint): string {
  const { session_id, status, start_time, end_time, user_id, context } = session
  const times = end_time === null ? `since ${String(start_time)}` : `${String(start_time)} to ${String(end_time)}`
  const about = [user_id, context].filter((text) => text !== null && text !== undefined).map(shown)
  return [`${paint.strong(shown(session_id))}  ${String(status)}, ${times}`, ...about].join('  ')
}

function sessionsText({ sessions }: { readonly sessions: readonly NodeAnswer[] }, paint: Paint): string {
  if (sessions.length === 0) return 'No sessions yet. Begin one with: knowhow session start'
  return sessions.map((session) => sessionText(session, paint)).join('\n')
}

function shownSessionText(
  { episodic, working, prospective, semantic, procedural, ...session }: NodeAnswer & SessionView,
  paint: Paint,
): string {
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ['events', episodic.map((event) => `${String(event.sequence_number)}. ${nodeLine('episodic', event, paint)}`)],
    [
      'in mind',
      working.map((one) => `${nodeLine('working', one, paint)}  (activation ${rounded(one.activation_level)})`),
    ],
    ['intentions', prospective.map((one) => nodeLine('prospective', one, paint))],
    ['contributed', semantic.map((one) => `${String(one.contribution_type)}: ${nodeLine('semantic', one, paint)}`)],
    [
      'used',
      procedural.map(
        (one) => `${one.success === true ? 'succeeded' : 'failed'}: ${nodeLine('procedural', one, paint)}`,
      ),
    ],
  ]
  const lines = sections
    .filter(([, rows]) => rows.length > 0)
    .flatMap(([title, rows]) => [paint.strong(title), ...rows.map((row) => `  ${row}`)])
  return [sessionText(session, paint), ...lines].join('\n')
}

interface Recalled {
  readonly hits: readonly RecallHit[]
  readonly notice?: string
}

function recallText({ hits, notice }: Recalled, paint: Paint): string {
  const lines = hits.flatMap((hit, at) => [
    `${at + 1}. ${memoryText(hit, paint)}`,
    `   ${paint.faint(`score ${rounded(hit.score)}: ${hit.reasons.map(shown).join(', ')}`)}`,
  ])
  const found = hits.length === 0 ? ['Nothing that fits is remembered.'] : lines
  return [...found, ...(notice === undefined ? [] : ['', shown(notice)])].join('\n')
}

function memoryText({ kind, memory }: MemoryAnswer, paint: Paint): string {
  return `${kind}  ${nodeLine(kind, memory, paint)}`
}

/** What it is known by, what it says, and what is to be known of it. */
function nodeLine(kind: MemoryKind, memory: NodeAnswer, paint: Paint): string {
  const { name, text: told } = MAIN_TEXT[kind]
  const text = shown(namedText(name === null ? '' : String(memory[name] ?? ''), String(memory[told] ?? '')))
  const notes = NOTES[kind].flatMap((name) => {
    const value = memory[name]
    return value === null || value === undefined ? [] : [`${name.replaceAll('_', ' ')} ${shown(value)}`]
  })
  const noted = notes.length === 0 ? '' : `  ${paint.faint(notes.join(', '))}`
  return `${paint.strong(shown(memory.memory_id))}  ${text}${noted}`
}

/** The name as it is to be given, and the text if it says more. */
function namedText(name: string, text: string): string {
  if (text === '' || (name !== '' && saysNoMore(name, text))) return name
  return name === '' ? text : `${name}: ${text}`
}

/** The properties that say what a memory is called, if it is, and what it says. */
const MAIN_TEXT: Readonly<Record<MemoryKind, { readonly name: string | null; readonly text: string }>> = {
  episodic: { name: null, text: 'content' },
  semantic: { name: 'concept', text: 'content' },
  procedural: { name: 'procedure_name', text: 'description' },
  prospective: { name: null, text: 'intention' },
  working: { name: null, text: 'content' },
}

const NOTES: Readonly<Record<MemoryKind, readonly string[]>> = {
  episodic: ['event_type', 'importance_score', 'timestamp'],
  semantic: ['version', 'confidence_score'],
  procedural: ['usage_count', 'success_rate', 'last_used'],
  prospective: ['status', 'priority', 'due_date', 'trigger_condition'],
  working: ['memory_type', 'priority'],
}

function shown(value: unknown): string {
  return shortened(shownSafely(typeof value === 'number' ? rounded(value) : String(value)), SHOWN_UNITS_MAX)
}

function rounded(value: unknown): string {
  return String(Math.round(Number(value) * 1000) / 1000)
}

function linkText({ relation, from, to, properties }: Answer<typeof linkOutput>, paint: Paint): string {
  const set = Object.entries(properties).filter(([, value]) => value !== null)
  const words = set.map(([name, value]) => `${name}=${shown(value)}`).join(', ')
  return `${shown(from)} -${paint.strong(relation)}-> ${shown(to)}${words === '' ? '' : `  ${paint.faint(words)}`}`
}

function intentionsText({ intentions }: Answer<typeof intentionsOutput>, none: string, paint: Paint): string {
  return intentions.length === 0 ? none : intentionLines(intentions as readonly NodeAnswer[], paint).join('\n')
}

function intentionLines(intentions: readonly NodeAnswer[], paint: Paint): readonly string[] {
  return intentions.map((intention) => nodeLine('prospective', intention, paint))
}

function sweepText({ triggered, expired, removed }: Answer<typeof sweepOutput>, paint: Paint): string {
  return [
    `${triggered.length} triggered, ${expired.length} expired, ${counted(removed, 'working memory', 'working memories')} removed`,
    ...intentionLines([...triggered, ...expired] as readonly NodeAnswer[], paint),
  ].join('\n')
}

function consolidationText(
  { candidates, consolidated, skipped = [], open = [], error }: Answer<typeof consolidateOutput>,
  paint: Paint,
): string {
  if (consolidated === undefined) {
    if (candidates.length === 0) return 'No event is ready to become knowledge.'
    return candidates.map((candidate) => candidateLine(candidate, paint)).join('\n')
  }
  const sum = `${counted(consolidated.length, 'concept')} written, ${skipped.length} passed over, ${open.length} open`
  return [
    ...consolidated.flatMap(({ memory, derives_from, references }) => [
      nodeLine('semantic', memory as NodeAnswer, paint),
      `  from ${derives_from.map(shown).join(', ')}${references.length === 0 ? '' : `; referred to by ${references.map(shown).join(', ')}`}`,
    ]),
    ...skipped.map(({ memory_id, reason }) => `${shown(memory_id)}  passed over: ${shown(reason)}`),
    sum,
    ...(error === undefined ? [] : [paint.alarm(shown(error.message))]),
    ...(error === undefined && open.length > 0 ? [paint.alarm(UNDECIDED)] : []),
  ].join('\n')
}

const UNDECIDED = 'of what is open the model decided nothing; run it again, or ask another model'

function candidateLine(candidate: NodeAnswer & { readonly passed_over?: unknown }, paint: Paint): string {
  const { session_id, passed_over } = candidate
  const before = passed_over === null ? '' : `, passed over ${shown(passed_over)}`
  return `${nodeLine('episodic', candidate, paint)}${paint.faint(`, session ${shown(session_id)}${before}`)}`
}

function historyText({ concept, versions }: Answer<typeof historyOutput>, paint: Paint): string {
  if (versions.length === 0) return `Nothing is remembered of ${shown(concept)}.`
  const lines = versions.flatMap(({ memory, contributions, derived_from }) => [
    nodeLine('semantic', memory as NodeAnswer, paint),
    ...contributions.map((one) => {
      const { session_id, contribution_type, timestamp, delta } = one as NodeAnswer
      const changed = delta === null ? '' : `: ${shown(String(delta).replaceAll('\n', '; '))}`
      return `  ${String(contribution_type)} by ${shown(session_id)} at ${String(timestamp)}${changed}`
    }),
    ...(derived_from.length === 0 ? [] : [`  derives from ${derived_from.map(shown).join(', ')}`]),
  ])
  return lines.join('\n')
}

function migrationText(
  { records, created, present, links, failed }: Answer<typeof migrateOutput>,
  paint: Paint,
): string {
  const made = Object.entries(created).map(([kind, count]) => `${String(count)} ${kind}`)
  return [
    `${counted(records, 'record')}: created ${made.join(', ')}; ${present} there already`,
    `${counted(links.created, 'link')} created, ${links.present} there already`,
    ...failed.map(({ line, error }) => paint.alarm(`line ${line}: ${shown(error)}`)),
  ].join('\n')
}

function validationText({ ok, counts, sessions, problems }: Answer<typeof validateOutput>, paint: Paint): string {
  const kinds = Object.entries(counts).map(([kind, count]) => `${String(count)} ${kind}`)
  return [
    kinds.join(', '),
    ...sessions.map(
      ({ session_id, episodic_count, working_count }) =>
        `${shown(session_id)}  ${counted(episodic_count, 'event')}, ${working_count} in mind`,
    ),
    ...problems.map(({ table, id, error }) =>
      paint.alarm(`${table} ${id === null ? '' : `${shown(id)} `}${shown(error)}`),
    ),
    ok ? 'All is as it should be.' : paint.alarm(`${counted(problems.length, 'fault')} found.`),
  ].join('\n')
}

/** Without a file the picture itself, for another program. */
function pictureText(answer: Answer<typeof graphOutput>, paint: Paint): string {
  if ('text' in answer) return answer.text
  if (!('file' in answer)) return jsonPicture(answer)
  const { file, format, bytes } = answer
  return `${paint.strong(shown(file))}  ${format}, ${counted(bytes, 'byte')}`
}

/** Without a file the lines themselves, for another program. */
function exportedText({ file, nodes, relations, records }: Answer<typeof exportOutput>, paint: Paint): string {
  if (records !== undefined) return exportText(records)
  return `${paint.strong(shown(file))}  ${counted(nodes, 'node')}, ${counted(relations, 'relation')}`
}

function importedText({ nodes, relations, unchanged }: Answer<typeof graphImportOutput>): string {
  return `${counted(nodes, 'node')} and ${counted(relations, 'relation')} taken in, ${unchanged} there already`
}

function statsText(
  { sessions, memories, relations, embedded, bytes }: Answer<typeof memoryStatsOutput>,
  paint: Paint,
): string {
  const row = (title: string, counts: Readonly<Record<string, unknown>>) =>
    `${paint.strong(title.padEnd(9))}  ${Object.entries(counts)
      .map(([name, count]) => `${name} ${String(count)}`)
      .join(', ')}`
  return [
    row('sessions', sessions),
    row('memories', memories),
    row('relations', relations),
    `${counted(embedded, 'memory', 'memories')} with a vector; the database takes ${counted(bytes, 'byte')}`,
  ].join('\n')
}
