/** `knowhow serve`: opens the port, answers until it is told to end, and leaves nothing half answered. */
import { KeptWorkspace } from '../../app/kept-workspace.ts'
import { MemoryError } from '../../model/memory-error.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { isLoopbackHost } from '../loopback-host.ts'
import { serviceToken } from '../service-token.ts'
import type { Opening } from '../surface-command.ts'
import { shownSafely } from '../terminal-text.ts'
import { openMcpEndpoint } from './mcp-endpoint.ts'
import { requestGuard } from './request-guard.ts'
import { serviceFetch } from './service-app.ts'
import { SERVICE_LIMITS } from './service-limits.ts'
import { ServiceListener } from './service-listener.ts'
import { ServiceLog } from './service-log.ts'

export interface ServeOptions {
  readonly host: string
  /** 0 for any that is free. */
  readonly port: number
  readonly log: boolean
}

/** Throws `invalid_argument`, `invalid_config`, `address_in_use`, `permission_denied`. */
export async function serve(
  { machine, choice, common, terminal, version }: Opening,
  options: ServeOptions,
): Promise<ExitCode> {
  const { host } = options
  const isLoopback = isLoopbackHost(host)
  const token = serviceToken(machine.environment)
  if (!isLoopback && token === null)
    throw new MemoryError(
      'invalid_argument',
      `host: at ${JSON.stringify(host)} others can ask too; set KNOWHOW_TOKEN, which they then send, or listen on 127.0.0.1`,
      { field: 'host' },
    )
  const tell = (text: string) => terminal.error(`${shownSafely(text)}\n`)
  const log = new ServiceLog(tell, machine.clock, options.log)
  using kept = new KeptWorkspace(machine, choice, { masksOriginals: true })
  const limits = SERVICE_LIMITS
  const mcp = openMcpEndpoint({
    workspace: kept,
    version,
    say: (notice) => log.notice('mcp', notice),
    onFault: (error) => log.fault('mcp', error),
  })
  const fetch = serviceFetch({ kept, version, log, limits, mcp })
  const guard = requestGuard({ isLoopback, token })
  const listener = new ServiceListener({ fetch, guard, limits, log, clock: machine.clock, ids: machine.ids })
  const bound = await listener.listen(bareHost(host), options.port)
  if (isLoopback && !isLoopbackHost(bound.address)) {
    await listener.close()
    throw new MemoryError('invalid_argument', `host: ${host} is ${bound.address} here, which is no loopback address`, {
      field: 'host',
    })
  }
  const url = `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`
  if (common.json) terminal.out(`${JSON.stringify({ url, host: bound.address, port: bound.port })}\n`)
  if (!common.quiet) tell(`knowhow: answering at ${url}; GET ${url}/openapi.json says what`)
  await aborted(terminal.signal)
  await Promise.all([listener.close(), mcp.close()])
  return EXIT.done
}

function bareHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
