/** What a run asks beside the disk: tokenizer, embedder, chat model, certificates, clock. */
import { IMPORT_LOG } from '../../importer/import-log.ts'
import { isoTime } from '../../model/iso-time.ts'
import { TOKENIZER_SOURCES } from '../../model/tokenizer-source.ts'
import { readRequestLogs } from '../../workspace/request-log.ts'
import { type Check, checked, faulty, fine, named } from './check.ts'
import type { Examined } from './examined.ts'

/** Of one request that only asks whether there is an answer. */
const TIME_LIMIT_MS = 10_000
const PROBE = 'Answer with the word ready.'
/** A clock that is so far behind what it said before was set back, or the log is another machine's. */
const BEHIND_MS_MAX = 5 * 60_000

export async function serverChecks(examined: Examined): Promise<readonly Check[]> {
  return Promise.all([
    checked('tokenizer', `set PROCEDURE_TOKENIZER_SOURCE to ${TOKENIZER_SOURCES}`, () => tokenizerCheck(examined)),
    checked('embedder', embedderFix(examined), () => embedderCheck(examined)),
    checked('model', 'check LLM_BASE_URL, LLM_API_KEY and LLM_MODEL_NAME', () => modelCheck(examined)),
    certificatesCheck(examined),
  ])
}

/** One of the hub that no cache has is downloaded, and a wait for that is told: only so it is known whether it can be had. */
async function tokenizerCheck({ tokenizer, running }: Examined): Promise<Check> {
  const opened = await tokenizer.open(running)
  const words = `${tokenizer.source} counts ${opened.count(PROBE)} tokens in ${JSON.stringify(PROBE)}`
  const notice = opened.notice === undefined ? '' : `; ${opened.notice}`
  return fine('tokenizer', `${words} (engine ${opened.engine})${notice}`)
}

function embedderFix({ embedder }: Examined): string {
  const backend = embedder !== null && 'options' in embedder ? embedder.options.backend : null
  if (backend === 'builtin') return 'download or build the program anew'
  if (backend === 'static') return 'check EMBEDDING_MODEL_NAME and embedding.dimensions'
  return 'check EMBEDDING_BASE_URL, EMBEDDING_API_KEY and EMBEDDING_MODEL_NAME'
}

async function embedderCheck({ machine, embedder, running }: Examined): Promise<Check> {
  if (embedder === null) return fine('embedder', 'none is configured: search ranks by keywords alone')
  if ('unasked' in embedder) return faulty('embedder', embedder.unasked, 'set it, or EMBEDDING_BACKEND=none')
  if ('fault' in embedder) throw embedder.fault
  const { options } = embedder
  const name = options.backend === 'builtin' ? 'the built-in embedder' : options.model
  const opened = await machine.openEmbedder(options.backend === 'openai' ? { ...options, retries: 0 } : options)
  const { signal } = running
  const [outcome] = await opened.embed([PROBE], { signal, timeLimitMs: TIME_LIMIT_MS, isUrgent: true })
  if (outcome === undefined || 'refused' in outcome)
    return faulty(
      'embedder',
      `${name} refuses a short text (${outcome?.refused ?? 'no answer'})`,
      'check EMBEDDING_MODEL_NAME and embedding.dimensions',
    )
  return fine('embedder', `${name} gives vectors of ${outcome.vector.length} dimensions`)
}

async function modelCheck({ machine, chat, whyNoModel, running }: Examined): Promise<Check> {
  if (chat === null) return fine('model', 'none is configured: import extracts offline, from evidence alone')
  if ('fault' in chat) throw chat.fault
  if (whyNoModel !== null) return faulty('model', whyNoModel, 'set it, or take llm.model out of the workspace')
  const model = await machine.openChat({ ...chat.options, retries: 0, timeoutMs: TIME_LIMIT_MS })
  await model.reply([{ role: 'user', content: PROBE }], [], { signal: running.signal })
  return fine('model', `${model.model} answers`)
}

async function certificatesCheck({ machine }: Examined): Promise<Check> {
  const { builtIn, ofSystem, missingFiles } = await machine.trustedCertificates()
  if (missingFiles.length > 0) {
    const names = missingFiles.map(({ variable, path }) => `${variable} names ${path}, which is not there`)
    return faulty('certificates', named(names), 'correct or unset these variables')
  }
  // Enough for public servers, and usual in small containers.
  if (ofSystem === 0)
    return fine(
      'certificates',
      `${builtIn} authorities built in, none of the operating system; others by SSL_CERT_FILE`,
    )
  const system = ofSystem === null ? '' : ` and ${ofSystem} of the operating system`
  return fine('certificates', `${builtIn} authorities built in${system}`)
}

/** Against the times that imports have recorded. */
export async function clockCheck({ machine, ports, layout }: Examined): Promise<Check> {
  const now = machine.clock.now()
  let latest = Number.NEGATIVE_INFINITY
  for (const { state } of readRequestLogs(ports, layout, IMPORT_LOG).logs)
    for (const time of [state.at, state.stopped?.at, state.completed?.at]) {
      const ms = Date.parse(time ?? '')
      if (ms > latest) latest = ms
    }
  if (now >= latest - BEHIND_MS_MAX) return fine('clock', isoTime(now))
  return faulty(
    'clock',
    `it says ${isoTime(now)}, an import was recorded at ${isoTime(latest)}`,
    'set the clock; nothing depends on it but the times in logs',
  )
}
