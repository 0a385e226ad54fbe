/** Why a file of the Hugging Face hub could not be had, and what to do about it. */
import { RETRY_AFTER_MS_MAX } from './retry-delay.ts'

export type HubFaultKind =
  /** An answer that is no file: `status` tells. */
  | 'refused'
  | 'redirect'
  | 'unreachable'
  /** The server fell silent, or its answer broke off. */
  | 'broken'
  | 'too_large'
  /** An answer with status 200 of something else. */
  | 'misplaced'

interface HubFaultFacts {
  readonly kind: HubFaultKind
  readonly isPassing: boolean
  readonly status?: number
  /** The hub's own word for a refusal, such as `EntryNotFound`. */
  readonly code?: string | null
  readonly retryAfterMs?: number | null
  /** Whether the answer came from where a redirect led, which has not seen the token. */
  readonly isElsewhere?: boolean
  /** What the connection itself tells of the next step. */
  readonly advice?: string | undefined
}

/** `message` holds no token. */
export class HubFault extends Error {
  override readonly name = 'HubFault'
  readonly kind: HubFaultKind
  /** Whether the same request may succeed in a moment. */
  readonly isPassing: boolean
  readonly status: number | null
  readonly code: string | null
  readonly retryAfterMs: number | null
  readonly isElsewhere: boolean
  readonly advice: string | null

  constructor(message: string, facts: HubFaultFacts) {
    super(message)
    this.kind = facts.kind
    this.isPassing = facts.isPassing
    this.status = facts.status ?? null
    this.code = facts.code ?? null
    this.retryAfterMs = facts.retryAfterMs ?? null
    this.isElsewhere = facts.isElsewhere ?? false
    this.advice = facts.advice ?? null
  }
}

/** Whether the server wants to be left alone for longer than is waited. */
export function asksForLonger({ retryAfterMs }: HubFault): boolean {
  return retryAfterMs !== null && retryAfterMs > RETRY_AFTER_MS_MAX
}

export interface AdviceFacts {
  readonly repository: string
  readonly revision: string
  /** The repository's page. */
  readonly page: string
  /** Where the token that was sent comes from; null when none was. */
  readonly tokenOrigin: string | null
  /** Why none was sent although there may be one: HF_HUB_DISABLE_IMPLICIT_TOKEN, or only the workspace names the tokenizer. */
  readonly tokenKeptBackBy: 'environment' | 'workspace' | null
}

const OTHERWISE = 'or give the path of a downloaded tokenizer.json'

/** The next step. */
export function adviceFor(fault: HubFault, facts: AdviceFacts): string {
  switch (fault.kind) {
    case 'refused':
      return adviceForStatus(fault, facts)
    case 'redirect':
      return `check HF_ENDPOINT, ${OTHERWISE}`
    case 'unreachable':
      return `${fault.advice ?? 'check the network and HF_ENDPOINT, then try again'}; ${OTHERWISE}`
    case 'broken':
      return `check the network, then try again; ${OTHERWISE}`
    case 'too_large':
      return 'name another tokenizer'
    case 'misplaced':
      return `check HF_ENDPOINT and whether the network asks for a login, then try again; ${OTHERWISE}`
    default:
      return fault.kind satisfies never
  }
}

const TOKEN_KEPT =
  'no token was sent, as only the workspace names this tokenizer: to send yours, set PROCEDURE_TOKENIZER_SOURCE to the same name'
/** What a hub answers, for other reasons too, to who may not see a repository. */
const NO_ACCESS: ReadonlySet<number | null> = new Set([401, 403, 404])
/** Said of a repository that was seen. */
const SEEN: ReadonlySet<string | null> = new Set(['EntryNotFound', 'RevisionNotFound'])

function adviceForStatus(fault: HubFault, facts: AdviceFacts): string {
  const advice = asksForLonger(fault) ? adviceToWait(fault) : adviceForAnswer(fault, facts)
  return isTokenMissed(fault, facts) ? `${advice}; ${TOKEN_KEPT}` : advice
}

function adviceToWait({ retryAfterMs }: HubFault): string {
  const minutes = Math.ceil((retryAfterMs ?? 0) / 60_000)
  return `it asks to be left alone for ${minutes} minutes: try again then; ${OTHERWISE}`
}

function isTokenMissed({ status, code, isElsewhere }: HubFault, { tokenKeptBackBy }: AdviceFacts): boolean {
  return tokenKeptBackBy === 'workspace' && NO_ACCESS.has(status) && !SEEN.has(code) && !isElsewhere
}

function adviceForAnswer({ status, code, isElsewhere }: HubFault, facts: AdviceFacts): string {
  const { repository, revision, page } = facts
  if (code === 'EntryNotFound') return `${repository} has no tokenizer.json at ${revision}: name one that has`
  if (code === 'RevisionNotFound')
    return `${repository} has no revision ${revision}: name one of its branches, tags or commits`
  if (status === 401 || status === 403) return isElsewhere ? adviceElsewhere() : adviceForAccess(facts, status)
  if (status === 404)
    return `there is no such repository or revision, or no tokenizer.json in it: look at ${page}, and check the name`
  if (status === 429) return 'it is asked too often: wait, then try again'
  if (status !== null && status >= 500) return `the hub is out of order: wait, then try again; ${OTHERWISE}`
  return `check HF_ENDPOINT and the name, ${OTHERWISE}`
}

/** A hub says 401 of a repository that does not exist too. */
function adviceForAccess({ page, tokenOrigin, tokenKeptBackBy }: AdviceFacts, status: number): string {
  if (tokenKeptBackBy === 'workspace') return `it is private or gated, or does not exist: look at ${page}`
  if (tokenKeptBackBy === 'environment')
    return `if ${page} is private or gated, unset HF_HUB_DISABLE_IMPLICIT_TOKEN and set HF_TOKEN`
  const wanted = 'set HF_TOKEN to a token that may read it'
  if (tokenOrigin === null) return `it is private or gated, or does not exist: look at ${page}, then ${wanted}`
  const used = `the token of ${tokenOrigin} may not read it`
  if (status === 403) return `${used}: ask for access at ${page}, or ${wanted}`
  return `${used}, or it does not exist: look at ${page}, then ${wanted}`
}

function adviceElsewhere(): string {
  return `HF_TOKEN is sent to the hub alone, and it redirects to another server: set HF_ENDPOINT to the final address`
}
