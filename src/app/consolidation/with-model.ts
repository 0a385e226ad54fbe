/** Consolidation by a model: it reads a few events at a time, and decides of each what it teaches, if anything. */
import * as v from 'valibot'
import { type LoopBounds, runAgentLoop } from '../../agent/agent-loop.ts'
import type { AgentTool } from '../../agent/agent-tool.ts'
import { filledPrompt } from '../../agent/prompt.ts'
import { talkTimer } from '../../agent/talk-timer.ts'
import { type Candidate, knownConcepts } from '../../graph/consolidation.ts'
import { CATEGORIES, EXTRACTION_METHODS } from '../../graph/schema.ts'
import { WordIndex } from '../../graph/word-index.ts'
import { addUsage } from '../../importer/import-result.ts'
import { Redactor } from '../../importer/redaction/redactor.ts'
import { throwIfInterrupted } from '../../importer/running.ts'
import { MASKED_KEY } from '../../model/api-key.ts'
import { counted } from '../../model/counted.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { beginningOf } from '../../model/shortened.ts'
import { acceptedTokens, type TokenLimits } from '../../model/token-limits.ts'
import type { ChatModel, Clock, Digest, Tokenizer } from '../../ports.ts'
import { checkedInput } from '../checked-input.ts'
import { inputJsonSchema } from '../json-schema.ts'
import instructions from './instructions.txt' with { type: 'text' }
import type { ConsolidationTask } from './task.ts'

export interface ModelAccess {
  readonly chat: ChatModel
  readonly tokenizer: Tokenizer
  readonly limits: TokenLimits
  readonly bounds: LoopBounds
  /** For one whole talk. */
  readonly timeoutMs: number
  readonly maxRequests: number | null
  readonly clock: Clock
  readonly digest: Digest
}

/** What one talk is about: few enough for a small model to keep them apart. */
const EVENTS_MAX = 20
const EVENTS_TOKENS_MAX = 8_192
/** Known concepts that are told for one event. */
const CONCEPTS_PER_EVENT = 3
const AGAIN = 'run it again'
const FENCE_DIGITS = 16

/**
 * A talk that decides nothing is the last about its events in this run. Throws what `runAgentLoop` throws; what was
 * decided before stands.
 */
export async function consolidateWithModel(task: ConsolidationTask, access: ModelAccess): Promise<void> {
  const redactor = new Redactor()
  const left = new Set<string>()
  for (;;) {
    await throwIfInterrupted(task.run, `${AGAIN} to go on where it stopped`)
    const events = nextEvents(
      task.open.filter(({ memory_id }) => !left.has(memory_id)),
      redactor,
      access.tokenizer,
    )
    if (events.length === 0) return
    const before = task.open.length
    await talkAbout(events, task, access, redactor)
    if (task.open.length === before) for (const { memoryId } of events) left.add(memoryId)
  }
}

interface ShownEvent {
  readonly memoryId: string
  /** By what the model calls it: an id may be long, and may say more than the event does. */
  readonly name: string
  readonly shown: Readonly<Record<string, unknown>>
}

/** As many as one talk holds, those of a session together and in the order in which they happened. */
function nextEvents(open: readonly Candidate[], redactor: Redactor, tokenizer: Tokenizer): readonly ShownEvent[] {
  const ordered = [...open].sort((a, b) => compared(a.session_id, b.session_id) || compared(a.timestamp, b.timestamp))
  const sessions = [...new Set(ordered.map(({ session_id }) => session_id))]
  const events: ShownEvent[] = []
  let room = EVENTS_TOKENS_MAX
  for (const { memory_id, session_id, timestamp, event_type, importance_score, ...event } of ordered.slice(
    0,
    EVENTS_MAX,
  )) {
    const content = redactor.mask(event.content)
    const tokens = tokenizer.count(content)
    if (events.length > 0 && tokens > room) break
    const name = `e${events.length + 1}`
    const about = { event: name, session: sessions.indexOf(session_id) + 1, timestamp, event_type, importance_score }
    events.push({ memoryId: memory_id, name, shown: { ...about, ...fitted(content, tokens, room) } })
    room -= tokens
  }
  return events
}

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Cut where it is too long, as if its tokens were of one length. */
function fitted(content: string, tokens: number, tokensMax: number) {
  if (tokens <= tokensMax) return { content }
  const units = Math.floor((content.length * tokensMax) / tokens)
  return { content: beginningOf(content, units), left_out_tokens: tokens - tokensMax }
}

async function talkAbout(
  events: readonly ShownEvent[],
  task: ConsolidationTask,
  { chat, tokenizer, limits, bounds, timeoutMs, maxRequests, clock, digest }: ModelAccess,
  redactor: Redactor,
): Promise<void> {
  const mask = (text: string) => redactor.mask(text)
  const sentence = `the talk about ${counted(events.length, 'event')} was not over within ${timeoutMs / 1000} s, as llm.segment_timeout_ms says`
  const { concept, content } = { concept: limits.description, content: limits.content }
  await runAgentLoop({
    chat,
    tools: toolsFor({ events, task, tokenizer, limits, mask }),
    tokenizer,
    limits,
    bounds,
    opening: [
      { role: 'system', content: filledPrompt(instructions, { concept, content }) },
      { role: 'user', content: await messageOf(events, task, mask, digest) },
    ],
    words: {
      closing: 'one sentence that says what was kept',
      again: AGAIN,
      smaller: 'choose a model that takes more',
    },
    mask,
    hasSecret: (text) => text.includes(MASKED_KEY) || redactor.contains(text),
    beforeRequest: () => {
      if (maxRequests !== null && task.usage.requests >= maxRequests)
        throw new MemoryError(
          'budget_reached',
          `${counted(maxRequests, 'model call')} made, as --max-requests allows; ${AGAIN} to go on where it stopped`,
        )
      task.usage = addUsage(task.usage, { requests: 1, prompt_tokens: 0, completion_tokens: 0 })
      task.run.onWait(`asking ${chat.model} about ${counted(events.length, 'event')}, ${task.open.length} open`)
    },
    afterReply: ({ promptTokens, completionTokens }) => {
      const usage = { requests: 0, prompt_tokens: promptTokens ?? 0, completion_tokens: completionTokens ?? 0 }
      task.usage = addUsage(task.usage, usage)
    },
    onWait: task.run.onWait,
    timeLimit: talkTimer(clock, timeoutMs, sentence),
    signal: task.run.signal,
  })
}

/** The events, and what is known already that is like them, as lines of JSON between two lines that are the same. */
async function messageOf(
  events: readonly ShownEvent[],
  task: ConsolidationTask,
  mask: (text: string) => string,
  digest: Digest,
): Promise<string> {
  // One with a secret in it could not be called by its name.
  const concepts = (await conceptsLike(events, task)).filter(({ concept, content }) =>
    [concept, content].every((text) => mask(text) === text),
  )
  const known = concepts.map(({ concept, content, confidence }) =>
    JSON.stringify({ concept, content, confidence_score: confidence }),
  )
  const lines = events.map(({ shown }) => JSON.stringify(shown))
  const fence = `===== ${digest.sha256(new TextEncoder().encode([...known, ...lines].join('\n'))).slice(0, FENCE_DIGITS)} =====`
  const fenced = (part: readonly string[]) => [fence, ...part, fence].join('\n')
  return [
    ...(known.length === 0
      ? ['Nothing is known of what they are about.']
      : [`What is known already:\n${fenced(known)}`]),
    `The events:\n${fenced(lines)}`,
    'Those were the events. Decide of each: keep what it teaches, or skip it.',
  ].join('\n\n')
}

async function conceptsLike(events: readonly ShownEvent[], task: ConsolidationTask) {
  const { database } = await task.graph()
  const known = knownConcepts(database)
  const index = new WordIndex()
  for (const { concept, content } of known) index.add(`${concept}\n${content}`)
  const near = events.flatMap(({ shown }) => index.related(String(shown.content)).slice(0, CONCEPTS_PER_EVENT))
  const numbers = new Set(near.map(({ at }) => at))
  return known.filter((_, at) => numbers.has(at))
}

const text = (about: string) => v.pipe(v.string(), v.regex(/\S/, 'must not be empty'), v.description(about))
const names = (about: string) => v.pipe(v.array(v.string()), v.nonEmpty('must name at least one'), v.description(about))

const rememberInput = () =>
  v.strictObject({
    concept: text('Short name of what it is about; that of a known concept to bring it up to date.'),
    content: text('What holds, in sentences that are understood without the events.'),
    category: v.optional(v.pipe(v.picklist(CATEGORIES), v.description('What kind of knowledge it is.'))),
    confidence_score: v.pipe(v.number(), v.minValue(0), v.maxValue(1), v.description('How sure it is, 0 to 1.')),
    derived_from: names('Every event that it comes from, such as e1.'),
    extraction_method: v.optional(
      v.pipe(v.picklist(EXTRACTION_METHODS), v.description('How it comes from them; default: inference.')),
      'inference',
    ),
  })

const passOverInput = () =>
  v.strictObject({
    events: names('Every event that teaches nothing beyond itself, such as e1.'),
    reason: text('Why, in a few words.'),
  })

interface Talk {
  readonly events: readonly ShownEvent[]
  readonly task: ConsolidationTask
  readonly tokenizer: Tokenizer
  readonly limits: TokenLimits
  readonly mask: (text: string) => string
}

function toolsFor(talk: Talk): readonly AgentTool[] {
  return [rememberTool(talk), passOverTool(talk)]
}

function rememberTool({ events, task, tokenizer, limits }: Talk): AgentTool {
  return {
    name: 'semantic_remember',
    description: 'Keep what events teach, as a new concept or as the next version of a known one.',
    parameters: inputJsonSchema({ input: rememberInput }),
    writes: true,
    call: async (args) => {
      const given = checkedInput(rememberInput(), args)
      const { concept, content, confidence_score: confidence } = given
      const derivedFrom = openIds('derived_from', given.derived_from, events, task)
      requireShort('concept', concept, limits.description, tokenizer)
      requireShort('content', content, limits.content, tokenizer)
      const { memory } = await task.write({
        concept: concept.trim(),
        content: content.trim(),
        category: given.category,
        confidence,
        method: given.extraction_method,
        events: derivedFrom.map((memoryId) => ({ memoryId, confidence })),
      })
      return { status: 'remembered', concept: memory.concept, version: memory.version, open: openOf(events, task) }
    },
  }
}

function passOverTool({ events, task, mask }: Talk): AgentTool {
  return {
    name: 'events_skip',
    description: 'Pass over events that teach nothing beyond themselves.',
    parameters: inputJsonSchema({ input: passOverInput }),
    writes: false,
    call: async (args) => {
      const given = checkedInput(passOverInput(), args)
      await task.passOver(openIds('events', given.events, events, task), mask(given.reason.trim()))
      return { status: 'skipped', open: openOf(events, task) }
    },
  }
}

/** Names of those that the model has still to decide. */
function openOf(events: readonly ShownEvent[], task: ConsolidationTask): readonly string[] {
  const open = new Set(task.open.map(({ memory_id }) => memory_id))
  return events.filter(({ memoryId }) => open.has(memoryId)).map(({ name }) => name)
}

/** Throws `invalid_argument` for what is no open event. @returns each once */
function openIds(
  field: string,
  given: readonly string[],
  events: readonly ShownEvent[],
  task: ConsolidationTask,
): readonly string[] {
  const open = openOf(events, task)
  const stray = given.find((name) => !open.includes(name))
  if (stray === undefined) return events.filter(({ name }) => given.includes(name)).map(({ memoryId }) => memoryId)
  const why = events.some(({ name }) => name === stray) ? 'is decided already' : 'is none of the events'
  const choice = open.length === 0 ? 'all are decided' : `open are ${open.join(', ')}`
  throw new MemoryError('invalid_argument', `${field}: ${JSON.stringify(stray)} ${why}; ${choice}`, { field })
}

function requireShort(field: string, given: string, target: number, tokenizer: Tokenizer): void {
  const tokens = tokenizer.count(given)
  if (tokens > acceptedTokens(target))
    throw new MemoryError(
      'field_too_long',
      `${field} has ${tokens} tokens, the target is ${target}; shorten and try again`,
    )
}
