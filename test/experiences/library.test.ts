import { describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import { digest } from '../fakes/digest.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

interface Found {
  readonly results: readonly { readonly version: string; readonly experience: Readonly<Record<string, unknown>> }[]
}

describe.each(['beside the index', 'in the index'])('a file that lies %s', (where) => {
  test.each([1, 2, 5, 100])(
    'and is saved %d times while it is read is in the answer as it was ranked',
    async (saves) => {
      const machine = new FakeMachine()
      const path = `${ROOT}/procedures/busy.json`
      let saved = 0
      const save = () => {
        saved += 1
        machine.clock.advance(5_000)
        const texts = { description: 'd', 'when-to-use': saved % 2 === 1 ? 'busy' : 'idle', content: 'c', sources: [] }
        machine.files.write(path, JSON.stringify(texts))
      }
      save()
      if (where === 'in the index') await machine.run('procedure_reindex', {})
      const read = machine.files.read.bind(machine.files)
      machine.files.read = (asked, options) => {
        const bytes = read(asked, options)
        if (asked === path && saved <= saves) save()
        return bytes
      }
      const { results } = await machine.run<Found>('procedure_search', { query: 'busy' })
      for (const { version, experience } of results) {
        expect(experience['when-to-use']).toBe('busy')
        expect(digest.sha256(new TextEncoder().encode(JSON.stringify(experience)))).toBe(version)
      }
    },
  )
})

test('read refuses the file that search lists as too large, in the same words', async () => {
  const machine = new FakeMachine()
  const path = 'procedures/large.json'
  const texts = { description: 'a', 'when-to-use': 'b', content: 'x'.repeat(5_000_000), sources: [] }
  machine.files.write(`${ROOT}/${path}`, JSON.stringify(texts))
  const { invalid } = await machine.run<{ invalid: { error: string }[] }>('procedure_search', { query: 'b' })
  const fault = invalid[0]?.error
  expect(fault).toContain('more than the 4194304 of an experience file')
  const read = machine.run('procedure_read', { path })
  await expect(read).rejects.toMatchObject({ code: 'invalid_experience', message: `${path}: ${fault}` })
})

test('a folder of originals that cannot be looked into costs no search its answer', async () => {
  const machine = new FakeMachine()
  const texts = { description: 'a', 'when-to-use': 'stale', content: 'c', sources: ['session/trajectories/run.log'] }
  machine.files.write(`${ROOT}/procedures/a.json`, JSON.stringify(texts))
  machine.files.write(`${ROOT}/session/trajectories/run.log`, 'log')
  const search = () => machine.run<{ results: unknown[] }>('procedure_search', { query: 'stale' })
  expect((await search()).results).not.toMatchObject([{ source_missing: true }])
  machine.watcher = ({ name, path }) => {
    if (path.includes('/trajectories/') || (name === 'names' && path.endsWith('/trajectories')))
      throw new MemoryError('permission_denied', 'it may not be read')
  }
  expect((await search()).results).toMatchObject([{ source_missing: true }])
})

test('a file that is no JSON is told by the line where it stops being it', async () => {
  const machine = new FakeMachine()
  machine.files.write(`${ROOT}/procedures/a.json`, '{\n  "description": "d",\n  "content" "c"\n}\n')
  const { invalid } = await machine.run<{ invalid: unknown[] }>('procedure_search', { query: 'b' })
  expect(invalid).toEqual([{ path: 'procedures/a.json', error: 'the file is not valid JSON from line 3 on' }])
})
