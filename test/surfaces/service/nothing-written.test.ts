/** Nothing that the service offers writes an experience, an original, a log, or anything outside its workspace. */
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { operationsFor } from '../../../src/app/operation-table.ts'
import { flagsOf } from '../../../src/surfaces/flags.ts'
import { RunningService } from '../../fakes/running-service.ts'

/** What a service may change of its workspace. */
const ITS_OWN = /^workspace\/(?:memory\/|memory$|metadata\/index\/|metadata\/index$|metadata$|metadata\/lock)/

/** Every path under a folder with what is there. */
function contentsOf(folder: string, below = ''): Record<string, string> {
  const found: Record<string, string> = {}
  for (const name of readdirSync(join(folder, below))) {
    const path = below === '' ? name : `${below}/${name}`
    const stat = lstatSync(join(folder, path))
    if (ITS_OWN.test(path)) continue
    if (stat.isDirectory()) Object.assign(found, { [path]: 'folder' }, contentsOf(folder, path))
    else if (stat.isSymbolicLink()) found[path] = `-> ${readlinkSync(join(folder, path))}`
    else
      found[path] = createHash('sha256')
        .update(readFileSync(join(folder, path)))
        .digest('hex')
  }
  return found
}

test('whatever it is asked with paths that lead anywhere', async () => {
  await using service = await RunningService.start()
  service.putExperience('clear-cache', { when: 'the build cache is stale' })
  service.putOriginal('run.log', 'a line\n')
  const outside = join(service.folder, 'outside')
  mkdirSync(outside)
  writeFileSync(
    join(outside, 'secret.json'),
    '{"description":"d","when-to-use":"w","content":"TOP-SECRET","sources":[]}',
  )
  symlinkSync(join(outside, 'secret.json'), join(service.root, 'procedures', 'link.json'))
  symlinkSync(outside, join(service.root, 'session', 'trajectories', 'away'))
  await service.ask('session_start', { id: 's' })
  const paths = fc.constantFrom(
    '../outside/secret.json',
    '../../etc/passwd',
    '/etc/passwd',
    join(outside, 'secret.json'),
    'procedures/../../outside/secret.json',
    'procedures/link.json',
    'procedures/clear-cache.json',
    'session/trajectories/away/secret.json',
    'session/trajectories/../../../outside/secret.json',
    'session/trajectories/run.log',
    'session\\trajectories\\run.log',
    'memory/memory.db',
    'metadata/lock.json',
    'CON',
    'procedures/a\u0000.json',
    's',
    '',
  )
  const valueFor = (type: string, values: readonly string[]) =>
    type === 'switch'
      ? fc.boolean()
      : type === 'number'
        ? fc.constantFrom(-1, 0, 1, 5, 1e9)
        : values.length > 0
          ? fc.constantFrom(...values)
          : paths
  const requests = fc.constantFrom(...operationsFor('service')).chain((operation) => {
    const fields = Object.fromEntries(
      flagsOf(operation).map(({ field, type, values }) => [field, valueFor(type, values)]),
    )
    return fc.record({
      route: fc.constant(operation.name),
      input: fc.record(fields, { requiredKeys: [...operation.positionals] }),
    })
  })
  const before = contentsOf(service.folder)
  let answered = 0
  await fc.assert(
    fc.asyncProperty(requests, async ({ route, input }) => {
      const { status, text } = await service.ask(route, input)
      expect([route, input, status < 500]).toEqual([route, input, true])
      expect(text).not.toContain('TOP-SECRET')
      expect(text).not.toContain('root:')
      if (status === 200) answered += 1
    }),
    { numRuns: 400 },
  )
  expect(contentsOf(service.folder)).toEqual(before)
  // Else all of it was refused for other reasons.
  expect(answered).toBeGreaterThan(40)
})
