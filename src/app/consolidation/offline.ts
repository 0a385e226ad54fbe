/**
 * Consolidation without a model: events that say the same, word for word or nearly so, become one piece of knowledge in the
 * words of the latest. Nothing is put into other words, and nothing is concluded.
 */
import { isConcept, type KnownConcept, knownConcepts } from '../../graph/consolidation.ts'
import { isImportEvent } from '../../graph/learning-event.ts'
import { type GroupedText, groupTexts } from '../../graph/same-texts.ts'
import { oneLine, shortened } from '../../importer/producers/shown-text.ts'
import { maskedAlone } from '../../importer/redaction/redactor.ts'
import { throwIfInterrupted } from '../../importer/running.ts'
import { MemoryError } from '../../model/memory-error.ts'
import type { Database } from '../../ports.ts'
import type { ConsolidationTask } from './task.ts'

/** UTF-16 units of a concept's name. */
const NAME_UNITS_MAX = 80

interface KnownText extends GroupedText {
  readonly known: KnownConcept
}

/** Throws `interrupted`. */
export async function consolidateOffline(task: ConsolidationTask): Promise<void> {
  await passOverUnfit(task)
  for (;;) {
    const before = task.open.length
    try {
      return await writeGroups(task)
    } catch (error) {
      // Another process has decided of an event meanwhile: what is left may go into what that one has written.
      const isTaken = error instanceof MemoryError && (error.code === 'name_taken' || error.code === 'not_found')
      if (!isTaken || task.open.length === before) throw error
    }
  }
}

async function writeGroups(task: ConsolidationTask): Promise<void> {
  const { database } = await task.graph()
  const known = knownConcepts(database).map((one): KnownText => ({ id: one.concept, text: one.content, known: one }))
  const events = [...task.open]
    .sort((a, b) =>
      a.timestamp < b.timestamp ? -1 : a.timestamp > b.timestamp ? 1 : a.memory_id < b.memory_id ? -1 : 1,
    )
    .map((event): GroupedText => ({ id: event.memory_id, text: event.content }))
  for (const { lead, members } of groupTexts(known, events)) {
    const latest = members.at(-1)
    if (latest === undefined) continue
    await throwIfInterrupted(task.run, 'run it again to go on where it stopped')
    const concept = 'known' in lead ? lead.known : null
    const content = concept?.content ?? latest.text.text
    await task.write({
      concept: concept?.concept ?? freeName(database, content),
      content,
      confidence: Math.max(concept?.confidence ?? 0, confidenceOf(members.length + (concept?.events ?? 0))),
      method: 'pattern_recognition',
      events: members.map(({ text, similarity }) => ({ memoryId: text.id, confidence: similarity })),
    })
  }
}

/** Half for one event; each further one halves the doubt. */
function confidenceOf(events: number): number {
  return 1 - 0.5 ** events
}

/** What lay in one session only would be everybody's; and what an import wrote is kept as experiences already. */
async function passOverUnfit(task: ConsolidationTask): Promise<void> {
  const secret = task.open.filter(({ content }) => maskedAlone(content) !== content)
  const imports = task.open.filter(
    ({ memory_id }) => isImportEvent(memory_id) && !secret.some((one) => one.memory_id === memory_id),
  )
  if (secret.length > 0)
    await task.passOver(
      secret.map(({ memory_id }) => memory_id),
      'it holds a secret',
    )
  if (imports.length > 0)
    await task.passOver(
      imports.map(({ memory_id }) => memory_id),
      'it tells of an import, whose experiences are kept',
    )
}

/** The first sentence, shortened; numbered where another concept has that name. */
function freeName(database: Database, content: string): string {
  const [sentence = ''] = content.trim().split(/(?<=[.!?。！？])\s|\n/)
  const name = shortened(oneLine(sentence), NAME_UNITS_MAX).replace(/[\s.,;:!?…]+$/, '') || 'event'
  for (let number = 1; ; number++) {
    const numbered = number === 1 ? name : `${name} (${number})`
    if (!isConcept(database, numbered)) return numbered
  }
}
