/**
 * What can go wrong while a model extracts, and what an import makes of it. `docs/extraction-faults.md` shows the same
 * table to people.
 */
import {
  type Breakage,
  call,
  failure,
  json,
  type Play,
  page,
  redirect,
  replaying,
  say,
  sayOnly,
  silence,
  silentFailure,
  text,
} from './faulty-chat.ts'

export interface Outcome {
  /** Model calls as the import counts them. */
  readonly requests: number
  /** Null when it was killed. */
  readonly exit: number | null
  /** Null for a complete import. */
  readonly code: string | null
  readonly resumable: boolean | null
  /** Code of the failure that the model was told, for it to mend; null for none. */
  readonly told: string | null
}

export interface ExtractionFault {
  readonly fault: string
  /** The last one is repeated. */
  readonly plays: readonly Play[]
  /** Below HTTP; nothing is played then. */
  readonly breakage?: Breakage
  readonly outcome: Outcome
  /** Over those of every case, which try a request twice. */
  readonly settings?: Settings
  readonly argv?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Of the call that goes on, over nothing; null where the import was refused before it began. */
  readonly resumedBy?: { readonly argv?: readonly string[]; readonly settings?: Settings } | null
  /** Experiences that are there afterwards; none when not given. */
  readonly keeps?: readonly string[]
  /** Where it is given the server need not see a request. */
  readonly reaches?: 'nobody'
  /** On the error stream. */
  readonly says?: string
  /** Sent to the program once it has asked. */
  readonly signal?: 'SIGINT' | 'SIGKILL'
}

export interface Settings {
  readonly llm?: object
  readonly extraction?: object
  readonly token_limits?: object
}

/** Where redirects lead: set by the test, which looks at whether anybody came. */
export const elsewhere = { address: '' }

const unavailable = (requests: number): Outcome => stopped(requests, 'llm_unavailable')
const stopped = (requests: number, code: string, told: string | null = null): Outcome => {
  return { requests, exit: 3, code, resumable: true, told }
}
const complete = (requests: number, told: string | null = null): Outcome => {
  return { requests, exit: 0, code: null, resumable: null, told }
}
const interrupted: Outcome = { requests: 1, exit: 130, code: 'interrupted', resumable: true, told: null }
const killed: Outcome = { requests: 1, exit: null, code: null, resumable: null, told: null }
const refused = (code: string): Outcome => ({ requests: 0, exit: 1, code, resumable: false, told: null })

const REFUSALS: readonly ExtractionFault[] = [
  { fault: '401', plays: [failure(401)], outcome: unavailable(1) },
  { fault: '403', plays: [failure(403)], outcome: unavailable(1) },
  { fault: '404', plays: [failure(404)], outcome: unavailable(1) },
  { fault: '404, a web page', plays: [page(404, 'Not here')], outcome: unavailable(1) },
  ...[408, 409, 429, 500, 502, 503, 504, 529].map((status) => ({
    fault: `${status}, each time`,
    plays: [failure(status)],
    outcome: unavailable(2),
  })),
  {
    fault: '429 with Retry-After, once',
    plays: [silentFailure(429, { 'retry-after': '2' }), say('Done.')],
    says: 'is asked again in 2 s',
    outcome: complete(2),
  },
  { fault: '429 without Retry-After, once', plays: [silentFailure(429), say('Done.')], outcome: complete(2) },
  { fault: '500, once', plays: [failure(500), say('Done.')], outcome: complete(2) },
  { fault: '502, a web page, each time', plays: [page(502, 'Bad Gateway')], outcome: unavailable(2) },
  { fault: '503, a web page, once', plays: [page(503, 'Busy'), say('Done.')], outcome: complete(2) },
  ...[301, 302, 307, 308].map((status) => ({
    fault: `${status} to another host`,
    plays: [redirect(status, () => elsewhere.address)],
    outcome: unavailable(1),
  })),
  {
    fault: 'an address that is none',
    plays: [],
    environment: { LLM_BASE_URL: 'nowhere' },
    outcome: refused('invalid_config'),
    resumedBy: null,
  },
  {
    fault: 'a key that no header can carry',
    plays: [],
    environment: { LLM_API_KEY: 'Zebra\u00e97421' },
    outcome: refused('invalid_config'),
    resumedBy: null,
  },
]

/** On a busy machine the time may be up before the server is reached. */
const QUICK = { settings: { llm: { timeout_ms: 500 } }, reaches: 'nobody' } as const

function broken(breakage: Breakage): Pick<ExtractionFault, 'plays' | 'breakage' | 'outcome'> {
  return { plays: [], breakage, outcome: unavailable(2) }
}

const CONNECTIONS: readonly ExtractionFault[] = [
  { fault: 'no answer in time, each time', plays: [silence()], outcome: unavailable(2), ...QUICK },
  { fault: 'an answer that stops half-way, each time', ...broken('half an answer') },
  { fault: 'a connection that is reset, each time', ...broken('reset') },
  { fault: 'nobody listens', ...broken('nobody listens'), reaches: 'nobody' },
  { fault: 'no TLS behind an https address', ...broken('no TLS'), reaches: 'nobody' },
  {
    fault: 'no answer as long as llm.segment_timeout_ms lasts',
    plays: [silence()],
    settings: { llm: { segment_timeout_ms: 2_000 } },
    outcome: unavailable(1),
  },
  { fault: 'Ctrl-C while the model is waited for', plays: [silence()], signal: 'SIGINT', outcome: interrupted },
  { fault: 'killed while the model is waited for', plays: [silence()], signal: 'SIGKILL', outcome: killed },
]

/** What no summary may repeat. */
export const THOUGHT = 'Musing-7719'

const UNUSABLE_SUMMARY = stopped(4, 'summary_rejected')
const NO_COMPLETION = unavailable(2)

const ANSWERS: readonly ExtractionFault[] = [
  { fault: 'no JSON, each time', plays: [text('ok')], outcome: NO_COMPLETION },
  { fault: 'no JSON, once', plays: [text('ok'), say('Done.')], outcome: complete(2) },
  { fault: 'JSON that is no completion', plays: [json({ ok: true })], outcome: NO_COMPLETION },
  { fault: 'no choices', plays: [json({ choices: [] })], outcome: NO_COMPLETION },
  { fault: 'an error under status 200', plays: [json({ error: { message: 'busy' } })], outcome: NO_COMPLETION },
  {
    fault: 'an error 401 under status 200',
    plays: [json({ error: { message: 'who are you', code: 401 } })],
    outcome: unavailable(1),
  },
  {
    fault: 'a gateway that replays a bad answer to the same request, with llm.retries 2',
    plays: [replaying(text('ok'), say('Done.'))],
    settings: { llm: { retries: 2 } },
    outcome: complete(3),
  },
  {
    fault: 'a gateway that replays a bad answer to every request, with llm.retries 9',
    plays: [text('ok')],
    settings: { llm: { retries: 9 } },
    outcome: unavailable(4),
  },
]

const SUMMARIES: readonly ExtractionFault[] = [
  { fault: 'empty, each time', plays: [say('')], outcome: UNUSABLE_SUMMARY },
  { fault: 'empty, once', plays: [say(''), say('Done.')], outcome: complete(2) },
  { fault: 'no text at all, each time', plays: [say('', 'stop', { content: null })], outcome: UNUSABLE_SUMMARY },
  { fault: 'longer than a summary may be, each time', plays: [say('word '.repeat(60))], outcome: UNUSABLE_SUMMARY },
  {
    fault: 'longer than a summary may be, three times',
    plays: [...Array<Play>(3).fill(say('word '.repeat(60))), say('Done.')],
    outcome: complete(4),
  },
  {
    fault: 'a call of a tool written as text, each time',
    plays: [sayOnly('procedure_search(query="what broke")')],
    outcome: UNUSABLE_SUMMARY,
  },
  { fault: 'cut off (finish reason length), each time', plays: [say('Half a', 'length')], outcome: UNUSABLE_SUMMARY },
  { fault: 'behind thoughts in <think>', plays: [say(`<think>${THOUGHT}</think>Done.`)], outcome: complete(1) },
  {
    fault: 'beside thoughts in reasoning_content',
    plays: [say('Done.', 'stop', { reasoning_content: THOUGHT })],
    outcome: complete(1),
  },
  { fault: 'an unfinished thought, each time', plays: [say(`<think>${THOUGHT}`)], outcome: UNUSABLE_SUMMARY },
  {
    fault: 'thoughts alone, in reasoning_content',
    plays: [say('', 'stop', { reasoning_content: THOUGHT })],
    outcome: UNUSABLE_SUMMARY,
  },
]

const EXPERIENCE = {
  filename: 'mend-it.json',
  description: 'Mend it',
  'when-to-use': 'When it broke',
  content: 'Mend it at once.',
  operation_key: 'one',
}
const CREATE = 'procedure_create'
const created = call(CREATE, EXPERIENCE)

/** Tells the model of a failure, and goes on. */
function toldOf(code: string, bad: Play): Pick<ExtractionFault, 'plays' | 'outcome'> {
  return { plays: [bad, say('Done.')], outcome: complete(2, code) }
}

function toldAfterCreating(code: string, bad: Play): Pick<ExtractionFault, 'plays' | 'keeps' | 'outcome'> {
  return { keeps: [UPDATE.path], plays: [created, bad, say('Done.')], outcome: complete(3, code) }
}

const { content: _, ...WITHOUT_CONTENT } = EXPERIENCE
const UPDATE = { path: 'procedures/mend-it.json', operation_key: 'two', content: 'Better.' }
const ENDLESS = call('procedure_search', { query: 'what broke' })
/** Put together at run time: nothing in this file has the shape of a secret. */
export const LEAKED_TOKEN = `ghp_${'a1B2c3D4e5F6g7H8i9J0'.repeat(2).slice(0, 36)}`

const CALLS: readonly ExtractionFault[] = [
  {
    fault: 'cut off by the finish reason length',
    ...toldOf('tool_arguments_truncated', call(CREATE, EXPERIENCE, 'length')),
  },
  {
    fault: 'arguments that do not close',
    ...toldOf('tool_arguments_truncated', call(CREATE, JSON.stringify(EXPERIENCE).slice(0, -9))),
  },
  { fault: 'a tool there is not', ...toldOf('tool_unknown', call('procedure_delete', { path: UPDATE.path })) },
  { fault: 'an argument too many', ...toldOf('invalid_argument', call(CREATE, { ...EXPERIENCE, sources: [] })) },
  { fault: 'an argument too few', ...toldOf('invalid_argument', call(CREATE, WITHOUT_CONTENT)) },
  {
    fault: 'a bad file name',
    ...toldOf('invalid_name', call(CREATE, { ...EXPERIENCE, filename: '../mend it.json' })),
  },
  {
    fault: 'a text that is too long',
    ...toldOf('field_too_long', call(CREATE, { ...EXPERIENCE, description: 'word '.repeat(400) })),
  },
  { fault: 'a text with a secret', ...toldOf('secret_found', call(CREATE, { ...EXPERIENCE, content: LEAKED_TOKEN })) },
  {
    fault: 'a name that is taken',
    ...toldAfterCreating('name_taken', call(CREATE, { ...EXPERIENCE, operation_key: 'two' })),
  },
  {
    fault: 'an update of another version',
    ...toldAfterCreating('version_conflict', call('procedure_update', { ...UPDATE, expected_version: '0'.repeat(64) })),
  },
  {
    fault: 'an operation key that was used for something else',
    ...toldAfterCreating('operation_conflict', call(CREATE, { ...EXPERIENCE, filename: 'mend-that.json' })),
  },
  {
    fault: 'the same failing call again and again',
    plays: [call('procedure_delete', {})],
    outcome: stopped(3, 'identical_failures', 'tool_unknown'),
  },
  {
    fault: 'calls without end, with extraction.iterations_max 4',
    plays: [ENDLESS],
    settings: { extraction: { iterations_max: 4 } },
    outcome: stopped(4, 'iterations_exhausted'),
  },
  {
    fault: 'calls without end, with --max-requests 2',
    plays: [ENDLESS],
    argv: ['--max-requests', '2'],
    resumedBy: { argv: ['--max-requests', '9'] },
    outcome: stopped(2, 'budget_reached'),
  },
]

/** By whose words they are. */
const COMPLAINTS: Readonly<Record<string, object>> = {
  OpenAI: {
    code: 'context_length_exceeded',
    message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
  },
  vLLM: {
    code: 400,
    message: "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens in the messages.",
  },
  'llama.cpp': { code: 400, message: 'the request exceeds the available context size, try increasing it' },
  Ollama: { message: 'the input length exceeds the context length' },
  DashScope: { code: 'invalid_parameter_error', message: 'Range of input length should be [1, 30720]' },
  Azure: {
    code: 'context_length_exceeded',
    message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
  },
  Anthropic: { type: 'invalid_request_error', message: 'prompt is too long: 210001 tokens > 200000 maximum' },
}

const CONTEXT: readonly ExtractionFault[] = [
  ...Object.entries(COMPLAINTS).flatMap(([server, error]) => [
    {
      fault: `${server}'s complaint, status 400`,
      plays: [json({ error }, 400)],
      outcome: stopped(1, 'context_too_small'),
    },
    {
      fault: `${server}'s complaint as the text of an answer`,
      plays: [sayOnly('message' in error ? String(error.message) : '')],
      outcome: stopped(1, 'context_too_small'),
    },
  ]),
  {
    fault: 'a piece that token_limits.context does not hold',
    plays: [],
    settings: { token_limits: { context: 200 } },
    resumedBy: {},
    outcome: stopped(0, 'context_too_small'),
  },
  {
    fault: 'a conversation that outgrows token_limits.context',
    plays: [call(CREATE, { ...EXPERIENCE, content: 'word '.repeat(6_000) })],
    settings: { token_limits: { context: 5_000 } },
    resumedBy: {},
    outcome: stopped(1, 'context_exhausted'),
  },
]

/** By what goes wrong. */
export const EXTRACTION_FAULTS: Readonly<Record<string, readonly ExtractionFault[]>> = {
  'The server refuses': REFUSALS,
  'The connection fails': CONNECTIONS,
  'The answer is no completion': ANSWERS,
  'The closing message': SUMMARIES,
  'The call of a tool': CALLS,
  'The context': CONTEXT,
}
