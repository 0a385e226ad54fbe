import { expect, test } from 'bun:test'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

test.each([1, 2, 5])(
  'a file that is saved again and again, %d times, is in the answer as it is at last',
  async (saves) => {
    const machine = new FakeMachine()
    const path = `${ROOT}/procedures/busy.json`
    let saved = 0
    const save = () => {
      saved += 1
      machine.clock.advance(5_000)
      const texts = { description: 'd', 'when-to-use': `busy ${saved}`, content: 'c', sources: [] }
      machine.files.write(path, JSON.stringify(texts))
    }
    save()
    const read = machine.files.read.bind(machine.files)
    machine.files.read = (asked, options) => {
      const bytes = read(asked, options)
      if (asked === path && saved <= saves) save()
      return bytes
    }
    const { results } = await machine.run<{ results: { experience: Record<string, string> }[] }>('procedure_search', {
      query: 'busy',
    })
    expect(results.map(({ experience }) => experience['when-to-use'])).toEqual([`busy ${saved}`])
  },
)

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
