import { expect, test } from 'bun:test'
import { KeptWorkspace } from '../../src/app/kept-workspace.ts'
import type { Machine } from '../../src/app/machine.ts'
import { procedureRead } from '../../src/app/operations/read.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { watchedFiles } from '../fakes/watched-files.ts'

const PATH = 'session/trajectories/run.log'
const SECRET = `ghp_${'Ab1'.repeat(12)}`
const QUIET = {
  progress: () => {},
  say: () => {},
  yieldToSignals: async () => {},
  signal: new AbortController().signal,
}

/** A machine with one original, and how often that was read. */
function stage() {
  const machine = new FakeMachine()
  machine.files.write(`${ROOT}/${PATH}`, `export GITHUB_TOKEN=${SECRET}\nand on it goes\n`)
  let reads = 0
  const files = watchedFiles(machine.files, ({ name, path }) => {
    if (name === 'read' && path.endsWith('run.log')) reads += 1
  })
  const watched: Machine = Object.create(machine, { files: { value: files } })
  const kept = new KeptWorkspace(watched, { root: ROOT, configPath: null, command: 'test' }, { masksOriginals: true })
  const page = async (offset: number, length: number) =>
    (await kept.ask(procedureRead, { path: PATH, offset, length }, QUIET)) as { readonly text: string }
  return { machine, kept, page, reads: () => reads }
}

test('the pages of one original are masked together, and it is read once for all of them', async () => {
  const { kept, page, reads } = stage()
  using _ = kept
  const { text: whole } = await page(0, 1_000)
  expect(whole).toBe('export GITHUB_TOKEN=[secret:github-token:1]\nand on it goes\n')
  for (let offset = 0; offset < 60; offset += 7)
    expect((await page(offset, 7)).text.replace(/\[secret:github-token:1\]/, '')).not.toMatch(/ghp_|Ab1/)
  expect(reads()).toBe(1)
})

test('an original that somebody has replaced is masked anew', async () => {
  const { machine, kept, page, reads } = stage()
  using _ = kept
  await page(0, 10)
  machine.files.write(`${ROOT}/${PATH}`, `password: "${'x9-'.repeat(8)}"\n`)
  expect((await page(0, 1_000)).text).toMatch(/^password: "\[secret:[a-z-]+:1\]"\n$/)
  expect(reads()).toBe(2)
  machine.files.remove(`${ROOT}/${PATH}`)
  await expect(page(0, 10)).rejects.toMatchObject({ code: 'not_found' })
})
