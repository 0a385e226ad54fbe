import { beforeEach, describe, expect, test } from 'bun:test'
import { KeptWorkspace } from '../../../src/app/kept-workspace.ts'
import type { CommonFlags } from '../../../src/surfaces/flags.ts'
import { Dialogue } from '../../../src/surfaces/repl/dialogue.ts'
import { ROOT } from '../../fakes/fake-machine.ts'
import { RememberingMachine } from '../../fakes/remembering.ts'

const COMMON: CommonFlags = { json: false, quiet: false, workspace: null, config: null, envFile: null }
const running = { progress: () => {}, signal: new AbortController().signal }

let machine: RememberingMachine
let notices: string[]
let dialogue: Dialogue

function opened(common: Partial<CommonFlags> = {}, colour = false): Dialogue {
  const workspace = new KeptWorkspace(machine, { root: ROOT, configPath: null, command: 'repl' })
  const say = (notice: string) => void notices.push(notice)
  return new Dialogue({ machine, workspace, common: { ...COMMON, ...common }, version: '1.2.3', colour, say })
}

const reply = (line: string) => dialogue.reply(line, running)
const text = async (line: string) => (await reply(line)).text
const json = async (line: string) => JSON.parse((await reply(`${line} --json`)).text)

function write(name: string, situation: string): void {
  const experience = { description: `About ${name}`, 'when-to-use': situation, content: `Do ${name}.`, sources: [] }
  machine.files.write(`${ROOT}/procedures/${name}.json`, JSON.stringify(experience))
}

beforeEach(() => {
  machine = new RememberingMachine()
  notices = []
  write('clear-cache', 'When builds are stale')
  write('raise-limit', 'When uploads of large builds fail')
  dialogue = opened()
})

describe('a search', () => {
  test('is answered with numbered results, which numbers stand for', async () => {
    expect(await text('stale builds')).toMatch(/^1\. About clear-cache\n[\s\S]*\n2\. About raise-limit\n/)
    expect(await text('/read 2')).toContain('Do raise-limit.')
    expect(await text('/read procedures/clear-cache')).toContain('Do clear-cache.')
    expect(dialogue.results.count).toBe(2)
  })

  test('that finds nothing leaves no number of the one before', async () => {
    await reply('stale builds')
    expect(await text('zebra')).toContain('searched by /index when_to_use_content')
    expect(await reply('/read 1')).toMatchObject({
      isFault: true,
      exit: 2,
      text: expect.stringContaining('nothing was found'),
    })
  })

  test('shows its words, and a text that is read because of it shows them too', async () => {
    dialogue = opened({}, true)
    const MARKED = '\u001b[1;4mbuilds\u001b[0m'
    expect(await text('build')).toContain(MARKED)
    expect(await text('/read 1')).toContain(MARKED)
  })

  test('of a file that was written meanwhile finds it', async () => {
    expect(await text('zebra')).toContain('Nothing fits')
    write('feed-zebra', 'When the zebra is hungry')
    expect(await text('zebra')).toContain('About feed-zebra')
  })
})

describe('a recall', () => {
  beforeEach(async () => {
    await machine.begin('s')
    await machine.remember('semantic', { concept: 'cache', content: 'the cache goes stale', category: 'patterns' })
    await machine.remember('episodic', { session: 's', content: 'the cache was stale today' })
  })

  test('is numbered too, and what no file holds is read whole', async () => {
    expect(await text('/recall cache goes stale --types semantic')).toMatch(/^1\. semantic/)
    expect(await text('/read 1')).toMatch(
      /^semantic .*\nconcept {2}cache\ncontent {2}the cache goes stale\ncategory {2}patterns\n/,
    )
    expect(await json('/read 1')).toMatchObject({ kind: 'semantic', memory: { concept: 'cache' } })
  })

  test('finds experiences, which are read from their files', async () => {
    expect(await text('/recall stale builds --types procedural')).toMatch(/^1\. procedural/)
    expect(await text('/read 1')).toContain('Do clear-cache.')
  })

  test('numbers stand for memories wherever a memory is named', async () => {
    await reply('/recall stale --types procedural')
    expect(await json('/used 1 --session s --success')).toMatchObject({ memory: { usage_count: 1 } })
  })

  test('shows what is the own of the session that is chosen', async () => {
    const hits = async () => (await json('/recall stale --types episodic')).hits.length
    expect(await hits()).toBe(0)
    await reply('/session s')
    expect(await hits()).toBe(1)
    await reply('/session default')
    expect(await hits()).toBe(0)
  })

  test('goes on while the memory is changed by others', async () => {
    const count = async () => (await json('/memory stats')).memories.semantic
    expect(await count()).toBe(1)
    await machine.remember('semantic', { concept: 'other', content: 'new' })
    expect(await count()).toBe(2)
  })
})

describe('settings', () => {
  test('count for later searches, unless a line says otherwise', async () => {
    await reply('/limit 1')
    await reply('/index when_to_use_content')
    expect(await json('/search builds')).toMatchObject({ index: 'when_to_use_content', results: [{}] })
    expect((await json('/search builds --limit 2')).results).toHaveLength(2)
    expect(dialogue.settings.prompt).toBe('knowhow (contents, limit 1)> ')
    await reply('/limit default')
    expect((await json('/search builds')).results).toHaveLength(2)
  })

  test('are told by the bare command', async () => {
    expect(await text('/limit')).toStartWith('limit: default')
    await reply('/limit 7')
    expect(await text('/limit')).toBe('limit: 7 (/limit default sets it back)\n')
  })

  test.each([
    ['/limit 0', 'from 1 to 200'],
    ['/limit 201', 'from 1 to 200'],
    ['/limit x', 'from 1 to 200'],
    ['/index both', 'when_to_use or when_to_use_content'],
    ['/session nobody', 'there is no session "nobody"'],
  ])('%s is refused, and nothing is set', async (line, words) => {
    expect(await reply(line)).toMatchObject({ isFault: true, text: expect.stringContaining(words) })
    expect(dialogue.settings.values).toEqual({})
  })

  test('a session that is mistyped is answered with the nearest one', async () => {
    await machine.begin('fix-4711')
    expect(await text('/session fix-4712')).toContain('did you mean fix-4711?')
  })

  test('a session cannot steer the terminal from the prompt', async () => {
    await machine.begin('s\u202e2')
    await reply('/session s\u202e2')
    expect(dialogue.settings.prompt).toBe('knowhow (s<U+202E>2)> ')
  })

  test('write nothing into a session that was not named', async () => {
    await machine.begin('s')
    await reply('/session s')
    expect(await reply('/remember working --content x')).toMatchObject({ isFault: true })
  })
})

describe('what goes wrong', () => {
  test('is told, and the next line is answered', async () => {
    expect(await reply('/read procedures/none')).toMatchObject({ isFault: true, exit: 1 })
    expect(await text('stale')).toContain('About clear-cache')
  })

  test('names commands as they are typed here, and those of the command line for this workspace', async () => {
    dialogue = opened({ workspace: 'my w' })
    expect(await text('/read procedures/none')).toContain('find its name with /search')
    expect(await text('/search')).toContain('see /help search')
    machine.files.remove(`${ROOT}/procedures/clear-cache.json`)
    machine.files.remove(`${ROOT}/procedures/raise-limit.json`)
    expect(await text('/imports')).toContain("knowhow --workspace 'my w' import FILE")
  })

  test('in the settings is told until it is mended', async () => {
    machine.files.write(`${ROOT}/knowhow.json`, '{')
    expect(await reply('stale')).toMatchObject({ isFault: true, text: expect.stringContaining('knowhow.json') })
    expect(await json('/doctor')).toMatchObject({ ok: false })
    machine.files.remove(`${ROOT}/knowhow.json`)
    expect(await text('stale')).toContain('About clear-cache')
  })

  test('in a missing workspace is told once, and makes none', async () => {
    machine = new RememberingMachine()
    dialogue = opened()
    await reply('stale')
    await reply('stale')
    expect(notices.filter((notice) => notice.includes('there is no workspace'))).toHaveLength(1)
    expect(machine.files.stat(ROOT)).toBeNull()
  })

  test('standard input is not read in the middle of it', async () => {
    expect(await text('/remember semantic --from -')).toContain('name a file')
  })

  test('cannot steer the terminal', async () => {
    const all = (await text('/read \u001b[2J')) + (await text('/\u0007bell')) + (await text('/session \u001b]0;x'))
    expect(Array.from(all).filter((sign) => sign < ' ' && sign !== '\n')).toEqual([])
  })
})

describe('JSON', () => {
  test('tells the error of a line that cannot be read', async () => {
    expect(await json('/serch x')).toMatchObject({ error: { code: 'unknown_command' } })
  })

  test('is one document for each line that is answered', async () => {
    dialogue = opened({ json: true })
    const replies = await Promise.all(['stale', '/limit 2', '/nope', '/help', '', '/help read'].map(reply))
    const documents = replies.map((one) => (one.text === '' ? null : JSON.parse(one.text)))
    expect(documents).toMatchObject([
      { results: [{ path: 'procedures/clear-cache.json' }] },
      { limit: 2 },
      { error: { code: 'unknown_command', resumable: false } },
      { help: expect.stringContaining('/read 2') },
      null,
      { help: expect.stringContaining('/read <path>') },
    ])
    for (const one of replies) expect(one.text.split('\n').length).toBe(one.text === '' ? 1 : 2)
  })
})

test('help of a command tells what can be typed here', async () => {
  const help = await text('/help recall')
  expect(help).toContain('/memory recall "retries of the payment gateway"')
  expect(help).toContain('--types')
  expect(help).not.toMatch(/--workspace|--config|--env-file/)
})
