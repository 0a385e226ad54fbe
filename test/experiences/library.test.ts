import { expect, test } from 'bun:test'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

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
