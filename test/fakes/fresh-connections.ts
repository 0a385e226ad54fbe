/** A worker that asks a service, each time by a new connection, until it has asked so often or nobody answers any more. */
import { connect } from 'node:net'

declare const self: Worker

export interface AskingOrder {
  readonly port: number
  readonly questions: number
}

/** How often each status came; `none` for a connection without an answer. */
export type Statuses = Readonly<Record<string, number>>

const BODY = '{"query":"stale cache"}'
const REQUEST = [
  'POST /procedure_search HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/json',
  `Content-Length: ${BODY.length}`,
  'Connection: close',
  '',
  BODY,
].join('\r\n')

self.onmessage = async ({ data: { port, questions } }: MessageEvent<AskingOrder>) => {
  const statuses: Record<string, number> = {}
  for (let question = 0; question < questions; question += 1) {
    const status = await statusFrom(port)
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 'none') break
  }
  self.postMessage(statuses)
}

/** Of the line `HTTP/1.1 200 OK`. */
function statusFrom(port: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let came = ''
  const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST))
  socket.on('data', (piece) => {
    came += piece.toString('latin1')
  })
  socket.on('error', () => resolve('none'))
  socket.on('close', () => resolve(/^HTTP\/1\.1 (\d+)/.exec(came)?.[1] ?? 'none'))
  return promise
}
