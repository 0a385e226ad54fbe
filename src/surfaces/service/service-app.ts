/** The routes of the service, made of the operation table. Knows requests and answers; knows nothing of sockets. */
import { Hono } from 'hono'
import type { KeptWorkspace } from '../../app/kept-workspace.ts'
import type { Operation } from '../../app/operation.ts'
import { operationsFor } from '../../app/operation-table.ts'
import { type ErrorReport, reportOf } from '../../model/error-report.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { type ErrorStatus, statusOfError } from '../http-statuses.ts'
import { quietRunning } from '../running.ts'
import type { McpEndpoint } from './mcp-endpoint.ts'
import { readiness } from './readiness.ts'
import { argumentsIn } from './request-body.ts'
import type { ServiceLimits } from './service-limits.ts'
import type { ServiceLog } from './service-log.ts'

/** What the listener knows of a request. */
export interface RequestFacts {
  readonly id: string
  /** Aborted when the client is gone, or the service cannot wait any longer. */
  readonly signal: AbortSignal
}

export interface ServiceSetup {
  readonly kept: Pick<KeptWorkspace, 'ask'>
  readonly version: string
  readonly log: ServiceLog
  readonly limits: ServiceLimits
  readonly mcp: Pick<McpEndpoint, 'fetch'>
}

export type ServiceFetch = (request: Request, facts: RequestFacts) => Promise<Response>

type Routes = Hono<{ Bindings: RequestFacts }>

/** The routes there are, each by its path. */
export function serviceFetch(setup: ServiceSetup): ServiceFetch {
  const { log, limits, mcp } = setup
  const app: Routes = new Hono<{ Bindings: RequestFacts }>()
  let working = 0
  app.use(async (context, next) => {
    if (working >= limits.workingMax)
      throw new MemoryError('service_busy', `${limits.workingMax} requests are being answered; come again`)
    working += 1
    try {
      await next()
    } finally {
      working -= 1
    }
    return context.res
  })
  for (const operation of operationsFor('service'))
    route(app, `/${operation.name}`, ['POST'], (request, facts) => answered(setup, operation, request, facts))
  route(app, '/health', ['GET', 'HEAD'], (_, facts) => health(setup, facts))
  route(app, '/openapi.json', ['GET', 'HEAD'], () => description(setup.version))
  route(app, '/mcp', ['POST'], (request, { signal }) => mcp.fetch(plainRequest(request, signal)))
  app.notFound((context) => {
    const error = new MemoryError('not_found', 'there is no such route; GET /openapi.json lists all')
    return errorResponse(error, context.env.id, log)
  })
  app.onError((error, context) => errorResponse(error, context.env.id, log))
  return async (request, facts) => app.fetch(request, facts)
}

type Answering = (request: Request, facts: RequestFacts) => Promise<Response>

function route(app: Routes, path: string, methods: readonly string[], answering: Answering): void {
  const allow = [...methods, 'OPTIONS'].join(', ')
  app.all(path, async (context) => {
    const { method } = context.req
    if (method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
    if (methods.includes(method)) return answering(context.req.raw, context.env)
    throw new MemoryError('method_not_allowed', `${path} takes ${allow}`, { allow })
  })
}

async function answered(
  { kept, log, limits }: ServiceSetup,
  operation: Operation,
  request: Request,
  { id, signal }: RequestFacts,
): Promise<Response> {
  if (new URL(request.url).search !== '')
    throw new MemoryError('invalid_argument', 'arguments stand in the body, and not behind a question mark')
  const input = await argumentsIn(request, limits.bodyBytesMax)
  const output = await kept.ask(
    operation,
    input,
    quietRunning(signal, (sentence) => log.notice(id, sentence)),
  )
  return jsonResponse(output)
}

async function health({ kept, version, log }: ServiceSetup, { id, signal }: RequestFacts): Promise<Response> {
  try {
    await kept.ask(
      readiness,
      {},
      quietRunning(signal, (sentence) => log.notice(id, sentence)),
    )
  } catch (error) {
    if (!(error instanceof MemoryError)) throw error
    // Whatever it is, somebody has to do something before this service can answer.
    log.fault(id, error.message)
    return reportResponse(reportOf(error), 503)
  }
  return jsonResponse({ status: 'ready', service: 'knowhow', version })
}

async function description(version: string): Promise<Response> {
  const { openApiDocument } = await import('./open-api.ts')
  return jsonResponse(openApiDocument(version))
}

/** Of the runtime's own class, as the protocol's package wants it, and ended by the same signal as all others. */
function plainRequest({ method, url, headers, body }: Request, signal: AbortSignal): Request {
  return new Request(url, { method, headers: [...headers], body, signal, ...(body === null ? {} : { duplex: 'half' }) })
}

function jsonResponse(output: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(`${JSON.stringify(output)}\n`, {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

function reportResponse(
  report: ErrorReport,
  status: ErrorStatus,
  headers?: Readonly<Record<string, string>>,
): Response {
  return jsonResponse({ error: report }, status, headers)
}

/** What went wrong inside is told to the log alone. */
export function errorResponse(error: unknown, id: string, log: ServiceLog): Response {
  if (!(error instanceof MemoryError)) {
    log.fault(id, error)
    const message = `internal error; the log of the service has it under ${id}`
    return reportResponse({ code: 'internal', message, resumable: false }, 500)
  }
  const status = statusOfError(error.code)
  if (status >= 500 && error.code !== 'service_busy' && error.code !== 'interrupted') log.fault(id, error.message)
  return reportResponse(reportOf(error), status, headersFor(error))
}

/** What a status has to come with. */
function headersFor({ code, details }: MemoryError): Readonly<Record<string, string>> {
  switch (code) {
    case 'unauthorized':
      return { 'www-authenticate': 'Bearer realm="knowhow"' }
    case 'method_not_allowed':
      return { allow: String(details.allow) }
    case 'service_busy':
    case 'workspace_locked':
      return { 'retry-after': '1' }
    default:
      return {}
  }
}
