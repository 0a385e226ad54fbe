import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../../src/model/memory-error.ts'
import { historyPath, LineHistory } from '../../../src/surfaces/repl/line-history.ts'
import { FakeMachine } from '../../fakes/fake-machine.ts'

const PATH = '/home/dev/.local/state/knowhow/history'

let machine: FakeMachine
let notices: string[]

beforeEach(() => {
  machine = new FakeMachine()
  machine.environment = { HOME: '/home/dev' }
  notices = []
})

const opened = () => new LineHistory(machine, (notice) => void notices.push(notice))
const kept = () => machine.privateLines.files.get(PATH) ?? []

describe('what was typed', () => {
  test('is there in the next run, oldest first', async () => {
    const first = opened()
    for (const line of ['stale builds', '/read 1']) await first.keep(line)
    expect(await opened().lines()).toEqual(['stale builds', '/read 1'])
  })

  test.each(['', '   ', ' not this', '\tnor this'])('%j leaves no trace', async (line) => {
    await opened().keep(line)
    expect(kept()).toEqual([])
  })

  test('is not kept where it is a whole text that was pasted', async () => {
    await opened().keep('word '.repeat(1_000))
    expect(kept()).toEqual([])
  })

  test.each([
    `login with ghp_${'a1B2'.repeat(9)}`,
    '/remember semantic --concept x --content "password=hunter2-and-more"',
    'curl https://ann:s3cr3t-w0rd@example.com/',
  ])('holds no secret', async (line) => {
    await opened().keep(line)
    expect(kept()).toEqual([])
  })

  test('is not brought back where it would steer the terminal', async () => {
    machine.privateLines.files.set(PATH, ['one', 'two\u001b[31m', 'three\u0000', 'four'])
    expect(await opened().lines()).toEqual(['one', 'four'])
  })

  test('is not kept where that cannot be done, which is told once', async () => {
    machine.privateLines.fault = new MemoryError('read_only', 'nothing can be written')
    const history = opened()
    expect(await history.lines()).toEqual([])
    for (const line of ['one', 'two']) await history.keep(line)
    expect(notices).toEqual(['lines are not kept for the next time: nothing can be written'])
  })
})

describe('the file', () => {
  test.each([
    ['linux', { HOME: '/home/dev' }, PATH],
    ['linux', { HOME: '/home/dev', XDG_STATE_HOME: '/state' }, '/state/knowhow/history'],
    ['linux', { HOME: '/home/dev', XDG_STATE_HOME: 'relative' }, PATH],
    ['linux', { HOME: '/home/dev', XDG_STATE_HOME: '' }, PATH],
    ['linux', {}, null],
    ['win32', { LOCALAPPDATA: 'C:\\L', HOME: '/x' }, 'C:\\L\\knowhow\\history'],
    ['win32', { USERPROFILE: 'C:\\U' }, 'C:\\U\\.local\\state\\knowhow\\history'],
  ] as const)('of %s with %j is %j', (platform, environment, path) => {
    expect(historyPath(environment, platform)).toBe(path)
  })

  test('is none, without a word, where the environment names no home', async () => {
    machine.environment = {}
    await opened().keep('stale builds')
    expect([machine.privateLines.files.size, notices.length]).toEqual([0, 0])
  })
})
