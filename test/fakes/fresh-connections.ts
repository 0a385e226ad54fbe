/** A program that asks the service at a port so many times, each by a new connection, or until nobody answers any more. */
import { connect } from 'node:net'

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

const [port, questions] = process.argv.slice(2).map(Number)
const statuses: Record<string, number> = {}
for (let question = 0; question < (questions ?? 0); question += 1) {
  const status = await statusFrom(port ?? 0)
  statuses[status] = (statuses[status] ?? 0) + 1
  if (status === 'none') break
}
console.log(JSON.stringify(statuses))

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
