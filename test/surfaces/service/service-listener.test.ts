import { describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { openIds, systemClock } from '../../../src/adapters/clock-and-ids.ts'
import type { ServiceFetch } from '../../../src/surfaces/service/service-app.ts'
import { SERVICE_LIMITS, type ServiceLimits } from '../../../src/surfaces/service/service-limits.ts'
import { ServiceListener } from '../../../src/surfaces/service/service-listener.ts'
import { ServiceLog } from '../../../src/surfaces/service/service-log.ts'

/** A listener on a port of its own that answers with `fetch`. */
async function listening(fetch: ServiceFetch, limits: Partial<ServiceLimits> = {}) {
  const lines: string[] = []
  const log = new ServiceLog((line) => lines.push(line), systemClock, true)
  const listener = new ServiceListener({
    fetch,
    guard: () => null,
    limits: { ...SERVICE_LIMITS, ...limits },
    log,
    clock: systemClock,
    ids: openIds(systemClock),
  })
  const { port } = await listener.listen('127.0.0.1', 0)
  return { listener, port, lines }
}

const REQUEST = 'POST /slow HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n'

function opened(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket))
    socket.on('error', reject)
  })
}

/** One that was answered once. */
async function begun(port: number): Promise<Socket> {
  const socket = await opened(port)
  const answered = new Promise((resolve) => socket.once('data', resolve))
  socket.write(REQUEST)
  await answered
  return socket
}

/** All that comes until the connection ends. */
function whole(socket: Socket): Promise<string> {
  let came = ''
  socket.on('data', (chunk) => {
    came += chunk.toString()
  })
  socket.removeAllListeners('error')
  socket.on('error', () => {})
  return new Promise((resolve) => socket.on('close', () => resolve(came)))
}

/** Answers once it is released; tells when it was asked. */
function gate() {
  const asked = Promise.withResolvers<AbortSignal>()
  const released = Promise.withResolvers<void>()
  const fetch: ServiceFetch = async (_, { signal }) => {
    asked.resolve(signal)
    await released.promise
    return new Response('whole')
  }
  return { fetch, asked: asked.promise, release: released.resolve }
}

describe('at its end', () => {
  test('the port is free at once, idle connections close, and what is in flight is answered whole', async () => {
    const { fetch, asked, release } = gate()
    const { listener, port } = await listening((request, facts) =>
      request.url.endsWith('/quick') ? Promise.resolve(new Response('quick')) : fetch(request, facts),
    )
    const idle = await opened(port)
    const first = new Promise((resolve) => idle.once('data', resolve))
    idle.write(REQUEST.replace('/slow', '/quick'))
    await first
    const left = whole(idle)
    const socket = await opened(port)
    const answer = whole(socket)
    socket.write(REQUEST)
    await asked
    const closed = listener.close()
    expect(await left).toBe('')
    await expect(opened(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    release()
    expect(await answer).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*whole$/i)
    await closed
  })

  test('what takes too long is told to stop, and cut', async () => {
    const { fetch, asked } = gate()
    const { listener, port } = await listening(fetch, { shutdownMs: 1 })
    const socket = await opened(port)
    const answer = whole(socket)
    socket.write(REQUEST)
    const signal = await asked
    await listener.close()
    expect(signal.aborted).toBe(true)
    expect(await answer).toBe('')
  })
})

test('an answer whose client went away is stopped, and logged as gone', async () => {
  const { fetch, asked, release } = gate()
  const { listener, port, lines } = await listening(fetch)
  const socket = await opened(port)
  socket.write(REQUEST)
  const signal = await asked
  const stopped = new Promise((resolve) => signal.addEventListener('abort', resolve))
  socket.destroy()
  await stopped
  release()
  await listener.close()
  expect(lines).toEqual([expect.stringMatching(/ POST \/slow gone \d+ ms 0 bytes$/)])
})

test('a client that sends slowly keeps nobody from being answered, and is told so in the end', async () => {
  const { listener, port } = await listening(async () => new Response('quick'), { headersMs: 1, requestMs: 1 })
  const slow = await opened(port)
  const answer = whole(slow)
  slow.write('POST /slow HTTP/1.1\r\nHost: local')
  const quick = await opened(port)
  const quickAnswer = whole(quick)
  quick.write(REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  expect(await quickAnswer).toEndWith('quick')
  expect(await answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*took too long to come/)
  await listener.close()
})

test('a client that does not take its answer keeps nobody from being answered, and is left in the end', async () => {
  const long = 'x'.repeat(64 * 2 ** 20)
  const answer = async (request: Request) => new Response(request.url.endsWith('/slow') ? long : 'quick')
  const { listener, port, lines } = await listening(answer, { silenceMs: 1_000 })
  const slow = connect(port, '127.0.0.1')
  slow.on('error', () => {})
  // From the start, as what has come once is read on.
  slow.pause()
  slow.write(REQUEST)
  expect(await (await fetch(`http://127.0.0.1:${port}/quick`)).text()).toBe('quick')
  while (lines.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const bytes = Number(/ POST \/slow 200 \d+ ms (\d+) bytes$/.exec(lines[1] ?? '')?.[1])
  expect(bytes).toBeLessThan(long.length)
  slow.destroy()
  await listener.close()
})

test('connections above their bound are told to come again', async () => {
  const { listener, port } = await listening(async () => new Response('in'), { connectionsMax: 2 })
  // The runtime tells of a connection when something comes.
  const [first, second] = [await begun(port), await begun(port)]
  const third = await opened(port)
  const refused = whole(third)
  third.write(REQUEST)
  expect(await refused).toMatch(/^HTTP\/1\.1 503 Service Unavailable\r\n[\s\S]*Retry-After: 1\r\n[\s\S]*"service_busy"/)
  const answer = whole(first)
  first.write(REQUEST.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n'))
  expect(await answer).toEndWith('in')
  second.destroy()
  await listener.close()
})

test('a fault of its own is told to the log alone', async () => {
  const { listener, port, lines } = await listening(async () => {
    throw new Error('at line 7 of a secret file')
  })
  const response = await fetch(`http://127.0.0.1:${port}/x`, { headers: { 'x-request-id': 'faulty' } })
  expect(response.status).toBe(500)
  const { error } = (await response.json()) as { readonly error: Readonly<Record<string, unknown>> }
  expect(error).toEqual({
    code: 'internal',
    message: 'internal error; the log of the service has it under faulty',
    resumable: false,
  })
  expect(lines.join('\n')).toContain('faulty Error: at line 7 of a secret file')
  await listener.close()
})
