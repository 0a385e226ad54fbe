import { beforeEach, describe, expect, test } from 'bun:test'
import { MemoryError } from '../../src/model/memory-error.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { say } from '../fakes/scripted-chat.ts'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
})

const run = (...argv: string[]) => runCaptured(argv, machine)

const experience = {
  description: 'Clear the cache',
  'when-to-use': 'When builds are stale',
  content: 'Remove .cache and build again.',
  sources: [],
}

describe('exit codes and streams', () => {
  beforeEach(() => {
    machine.files.write(`${ROOT}/procedures/clear-cache.json`, JSON.stringify(experience))
    machine.files.write('/logs/run.log', 'text')
    machine.files.write('/logs/bad.json', '{')
  })

  test.each([
    ['0 for an answer', ['search', 'stale builds'], 0, /Clear the cache/, /^$/],
    ['0 for nothing found', ['search', 'zebra'], 0, /Nothing fits/, /^$/],
    ['0 for the version', ['--version'], 0, /^knowhow 1\.2\.3\n$/, /^$/],
    [
      '1 for what cannot be done',
      ['read', 'procedures/none.json'],
      1,
      /^$/,
      /^knowhow: procedures\/none\.json does not exist/,
    ],
    ['1 for a missing file', ['import', '/logs/none.log'], 1, /^$/, /^knowhow: .*none\.log/m],
    ['2 for wrong usage', ['search'], 2, /^$/, /^knowhow: query is missing/],
    ['2 for an empty query', ['search', ' '], 2, /^$/, /^knowhow: /],
    ['2 for a limit out of range', ['search', 'x', '--limit', '201'], 2, /^$/, /201/],
    ['2 for several files under one id', ['import', 'a', 'b', '--request-id', 'x'], 2, /^$/, /--request-id/],
    ['2 for several files under one name', ['import', 'a', 'b', '--filename', 'x'], 2, /^$/, /--filename/],
    ['2 for a workspace without a name', ['status', '--workspace', ''], 2, /^$/, /--workspace/],
    ['1 for a workspace that is a file', ['status', '--workspace', '/logs/run.log'], 1, /^$/, /no folder/],
    ['2 for no file', ['import'], 2, /^$/, /FILE/],
    [
      '1 for a model that is not configured',
      ['import', '/logs/run.log', '--extractor', 'llm'],
      1,
      /^$/,
      /LLM_MODEL_NAME/,
    ],
    ['3 for what can be resumed', ['import', '/logs/bad.json'], 3, /incomplete/, /offline/],
    ['2 for one of two arguments', ['index', 'export', 'when_to_use'], 2, /^$/, /^knowhow: file is missing;/],
    ['2 for none of two arguments', ['index', 'export'], 2, /^$/, /^knowhow: view and file are missing;/],
  ])('%s', async (_, argv, exit, out, error) => {
    const result = await run(...argv)
    expect(result.exit).toBe(exit)
    expect(result.out).toMatch(out)
    expect(result.error).toMatch(error)
  })

  test('an import of broken JSON ends with one way on, which works', async () => {
    const { out } = await run('import', '/logs/bad.json', '--request-id', 'r')
    const advice = 'knowhow import --resume r --on-malformed text'
    expect(out.match(/on-malformed|--resume/g)).toHaveLength(2)
    expect(out).toContain(`bad.json, line 1: not valid JSON; read it as it is by: ${advice}\n`)
    expect((await run('imports')).out).toContain(advice)
    expect(await run(...advice.split(' ').slice(1))).toMatchObject({ exit: 0 })
  })

  test('an import that began with a model is not advised to go on offline, which it cannot', async () => {
    machine.script(new MemoryError('llm_unavailable', 'the model is away'))
    await run('import', '/logs/run.log', '--request-id', 'r')
    machine.environment = {}
    const { exit, error } = await run('import', '--resume', 'r')
    expect({ exit, error }).toEqual({
      exit: 1,
      error: 'knowhow: no chat model is configured; set LLM_MODEL_NAME (and LLM_BASE_URL, LLM_API_KEY)\n',
    })
  })

  test('an experience is read without the end of its name, as people type it', async () => {
    const whole = await run('read', 'procedures/clear-cache.json')
    expect(await run('read', 'procedures/clear-cache')).toEqual(whole)
    expect((await run('read', 'clear-cache.json')).error).toContain('give a path such as procedures/NAME.json')
    expect((await run('read', 'procedures/none')).error).toContain('procedures/none.json does not exist')
  })

  test('4 while another writer holds the workspace, and readers do not mind', async () => {
    await run('import', '/logs/run.log')
    const held = machine.lock.acquire(`${ROOT}/metadata/lock`)
    expect(await run('import', '/logs/run.log')).toMatchObject({ exit: 4, error: expect.stringContaining('4711') })
    expect(await run('reindex')).toMatchObject({ exit: 4 })
    expect(await run('search', 'stale')).toMatchObject({ exit: 0 })
    held?.[Symbol.dispose]()
    expect(await run('reindex')).toMatchObject({ exit: 0 })
  })

  test('1 for an incomplete import among several with a failed one', async () => {
    expect(await run('import', '/logs/bad.json', '/logs/none.log')).toMatchObject({ exit: 1 })
    expect(await run('import', '/logs/bad.json', '/logs/run.log')).toMatchObject({ exit: 3 })
  })

  test('several files are imported with one word on what holds for all', async () => {
    machine.files.write('/logs/other.log', 'text')
    delete machine.environment.LLM_MODEL_NAME
    const { exit, error } = await run('import', '/logs/run.log', '/logs/other.log')
    expect({ exit, times: error.split('no chat model is chosen').length - 1 }).toEqual({ exit: 0, times: 1 })
  })

  test('130 when interrupted, and the import goes on later', async () => {
    machine.script(say('done'))
    const interruption = new AbortController()
    interruption.abort()
    const argv = ['import', '/logs/run.log', '--request-id', 'x']
    expect(await runCaptured(argv, machine, interruption.signal)).toMatchObject({ exit: 130 })
    expect(await run(...argv)).toMatchObject({ exit: 0 })
  })

  test('130 when interrupted between several files, and those not begun are told as that', async () => {
    machine.files.write('/logs/other.log', 'text')
    const interruption = new AbortController()
    machine.script(() => {
      interruption.abort()
      return say('done')
    })
    const argv = ['import', '/logs/run.log', '/logs/other.log', '--json']
    const { exit, out } = await runCaptured(argv, machine, interruption.signal)
    const { imports } = JSON.parse(out) as { imports: readonly unknown[] }
    expect(exit).toBe(130)
    expect(imports[1]).toEqual({
      status: 'failed',
      file: '/logs/other.log',
      error: { code: 'interrupted', message: 'interrupted before; import the file again', resumable: false },
    })
    expect(JSON.parse((await run('imports', '--json')).out).imports).toHaveLength(1)
  })
})

describe('nothing here', () => {
  test('is said, with how to begin', async () => {
    const { out, error } = await run('search', 'anything')
    expect(out).toBe('there are no experiences in this workspace yet; begin with knowhow import FILE\n')
    expect(error).toBe(
      `knowhow: there is no workspace at ${ROOT}; choose it with --workspace, or make one by knowhow import FILE\n`,
    )
    expect((await run('config')).error).toBe('')
  })

  test('is said with the workspace that lies in the folder that was named for it', async () => {
    machine.files.write('/project/.knowhow/procedures/clear-cache.json', JSON.stringify(experience))
    machine.files.makeFolder('/empty')
    expect((await run('status', '--workspace', '/none')).error).toContain('there is no workspace at /none; choose')
    expect((await run('status', '--workspace', '/project')).error).toContain('one at /project/.knowhow; choose')
  })
})

describe('--json', () => {
  test('prints one document and nothing else', async () => {
    machine.files.write('/logs/run.log', 'text')
    const { out, error } = await run('import', '/logs/run.log', '--json', '--quiet')
    expect(JSON.parse(out)).toMatchObject({ status: 'complete', request_id: expect.any(String) })
    expect(out.trimEnd()).not.toContain('\n')
    expect(error).toBe('')
  })

  test('given twice, or with --version, is JSON all the same', async () => {
    expect(JSON.parse((await run('status', '--json', '--json')).out)).toMatchObject({ experiences: 0 })
    expect(JSON.parse((await run('--version', '--json')).out)).toEqual({ version: '1.2.3' })
  })

  test.each([
    [['read', 'procedures/none.json'], 'not_found', 1],
    [['search', 'x', '--bogus'], 'invalid_argument', 2],
    [['serch'], 'unknown_command', 2],
    [['read', '/etc/passwd'], 'path_outside', 1],
  ])('tells the error of %j with its code', async (argv, code, exit) => {
    machine.files.write(`${ROOT}/procedures/clear-cache.json`, JSON.stringify(experience))
    const result = await run(...argv, '--json')
    expect(result).toMatchObject({ exit, error: '' })
    expect(JSON.parse(result.out)).toEqual({ error: { code, message: expect.any(String), resumable: false } })
  })
})

test('our own bug is told as internal, with its stack on stderr alone', async () => {
  machine.files.list = () => {
    throw new TypeError('undefined is not a function')
  }
  const { exit, out, error } = await run('status', '--json')
  expect(exit).toBe(1)
  expect(JSON.parse(out)).toMatchObject({ error: { code: 'internal', resumable: false } })
  expect(out).not.toContain('undefined is not')
  expect(error).toContain('undefined is not a function')
})

describe('a reading command on a missing workspace', () => {
  test.each([
    [['search', 'x'], { results: [], index_complete: true, pending_indexes: [], invalid: [] }],
    [['status'], { experiences: 0, trajectories: 0, imports: { complete: 0, incomplete: 0 } }],
    [['imports'], { imports: [] }],
    [['config'], { workspace: ROOT }],
    [['schema', 'experience'], { type: 'object' }],
    [['schema', 'config'], { type: 'object' }],
  ])('%j answers as for an empty one and creates nothing', async (argv, answer) => {
    const before = machine.files.tree()
    const { exit, out } = await run(...argv, '--json')
    expect(exit).toBe(0)
    expect(JSON.parse(out)).toMatchObject(answer)
    expect(machine.files.tree()).toEqual(before)
  })
})

describe('an answer for people', () => {
  test('says of a tokenizer that cannot be opened that its engine is unknown', async () => {
    Object.assign(machine, { tokenEngineOf: async () => null })
    expect((await run('status')).out).toMatch(/^engines .* tokens unknown/m)
    expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({ engines: { tokens: null } })
  })

  test('cannot steer the terminal, whatever a file holds', async () => {
    const hostile = {
      ...experience,
      description: 'x\u001b]0;title\u0007\u202eevil\u009b31m',
      'when-to-use': 'stale\r\u001b[2J',
    }
    machine.files.write(`${ROOT}/procedures/hostile.json`, JSON.stringify(hostile))
    for (const argv of [
      ['search', 'stale'],
      ['read', 'procedures/hostile.json'],
    ]) {
      const { out } = await run(...argv)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
      expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
      expect(out).toContain('<U+001B>')
    }
  })

  test.each([
    ['a file that is missing', ['import', '/logs/no\u001b]0;pwned\u0007file']],
    ['an option that there is not', ['search', 'x', '--\u009b31m']],
    ['a command that there is not', ['\u001b[2J']],
    ['a file of settings that is missing', ['config', '--config', 'x\u001b[31m\u202e']],
  ])('cannot steer the terminal by an error either: %s', async (_, argv) => {
    const { error } = await run(...argv)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(error).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    expect(error).toMatch(/^knowhow: .*\n$/m)
  })

  test('cannot steer the terminal by a notice, nor by the stack of our own bug', async () => {
    const root = '/w\u001b[31m'
    machine.files.write(`${root}/knowhow.json`, '{"llm":{"base_url":"http://evil.example"}}')
    expect((await run('status', '--workspace', root)).error).toContain('/w<U+001B>[31m/knowhow.json: llm.base_url')
    machine.files.list = () => {
      throw new TypeError('odd \u001b[31m')
    }
    const { error } = await run('status')
    expect(error).toContain('odd <U+001B>[31m')
    expect(error).not.toContain('\u001b')
  })

  test('names files that are no experiences and sources that are missing', async () => {
    machine.files.write(`${ROOT}/procedures/broken.json`, '{')
    machine.files.write(`${ROOT}/procedures/clear-cache.json`, JSON.stringify(experience))
    const gone = { ...experience, sources: ['session/trajectories/gone.log'] }
    machine.files.write(`${ROOT}/procedures/stale-builds.json`, JSON.stringify(gone))
    const { out } = await run('search', 'stale builds')
    expect(out).toContain('procedures/broken.json')
    expect(out).toContain('source missing')
    expect(out).toContain('no source')
  })
})

describe('the environment', () => {
  beforeEach(() => {
    machine.files.write(
      '/home/dev/vars.env',
      '# a comment\nexport KNOWHOW_WORKSPACE="/elsewhere"\nLLM_MODEL_NAME=other\n',
    )
  })

  test('is read from --env-file, which replaces nothing that is set', async () => {
    machine.environment.LLM_MODEL_NAME = 'mine'
    const { out } = await run('config', '--env-file', 'vars.env', '--json')
    expect(JSON.parse(out)).toMatchObject({
      workspace: '/elsewhere',
      settings: { 'llm.model': { value: 'mine', source: 'LLM_MODEL_NAME' } },
    })
  })

  test('tells of variables in --env-file that only count in the environment, without their values', async () => {
    machine.files.write('/home/dev/vars.env', 'https_proxy=http://ann:hush@proxy\nNODE_EXTRA_CA_CERTS=/ca.pem\nA=1\n')
    machine.environment.NODE_EXTRA_CA_CERTS = '/mine.pem'
    const { error } = await run('config', '--env-file', 'vars.env')
    expect(error).toBe(
      'knowhow: in /home/dev/vars.env these come too late to count: https_proxy; set them in the environment\n',
    )
    expect((await run('config', '--env-file', 'vars.env', '--quiet')).error).toBe('')
  })

  test('never shows a password in an address', async () => {
    machine.environment.LLM_BASE_URL = 'http://user:pw123@host/v1?api_key=zzsecret'
    for (const argv of [['config'], ['config', '--json']])
      expect((await run(...argv)).out).not.toMatch(/pw123|zzsecret/)
  })

  test('keeps what stands in quotes, and drops a comment behind it', async () => {
    machine.files.write('/home/dev/vars.env', 'LLM_MODEL_NAME="q # x" # a comment\n')
    expect(JSON.parse((await run('config', '--env-file', 'vars.env', '--json')).out)).toMatchObject({
      settings: { 'llm.model': { value: 'q # x' } },
    })
  })

  test('never shows the key', async () => {
    machine.environment.LLM_API_KEY = 'very-secret'
    for (const argv of [['config'], ['config', '--json']]) expect((await run(...argv)).out).not.toContain('very-secret')
    expect(JSON.parse((await run('config', '--json')).out)).toMatchObject({ keys: { LLM_API_KEY: 'set' } })
  })

  test('tells of both keys whether they are set, whatever their variables are called', async () => {
    machine.environment = { EMBEDDING_KEY: 'very-secret', EMBEDDING_API_KEY: 'other' }
    machine.files.write('/home/dev/mine.json', '{"embedding":{"api_key_env":"EMBEDDING_KEY"}}')
    const { out } = await run('config', '--config', 'mine.json', '--json')
    expect(JSON.parse(out).keys).toMatchObject({ LLM_API_KEY: 'unset', EMBEDDING_KEY: 'set' })
  })

  test('that names no address leaves the default one, which is told as that', async () => {
    machine.environment = { EMBEDDING_BASE_URL: 'http://mine/v1' }
    const { out } = await run('config', '--json')
    expect(JSON.parse(out).settings).toMatchObject({
      'llm.base_url': { value: 'https://api.openai.com/v1', source: 'default' },
      'embedding.base_url': { value: 'http://mine/v1', source: 'EMBEDDING_BASE_URL' },
    })
    expect((await run('schema', 'config')).out).toContain('default: https://api.openai.com/v1.')
  })

  test('never shows the key, even within another setting', async () => {
    machine.environment.LLM_API_KEY = 'very/secret'
    machine.environment.EMBEDDING_API_KEY = 'very/secret/too'
    machine.environment.LLM_BASE_URL = 'https://host.example/very%2Fsecret/v1'
    machine.environment.LLM_MODEL_NAME = 'm:very/secret/too'
    for (const argv of [['config'], ['config', '--json']])
      expect((await run(...argv)).out).not.toMatch(/very(\/|%2F)secret|too/)
  })

  test('decides alone whether import asks a model: a workspace that names one has to be asked for it', async () => {
    machine.files.write('/logs/run.log', 'text')
    machine.script(say('done'))
    delete machine.environment.LLM_MODEL_NAME
    machine.configure({ llm: { model: 'm' } })
    const imported = async (...flags: string[]) =>
      JSON.parse((await run('import', '/logs/run.log', '--json', ...flags)).out)
    expect(await imported('--request-id', 'a')).toMatchObject({ extractor: 'offline' })
    expect(await imported('--request-id', 'b', '--extractor', 'llm')).toMatchObject({ extractor: 'llm' })
    expect((await run('import', '/logs/run.log')).error).toContain('only the workspace chooses a chat model')
  })
})

test('a search shows of a long situation only how it begins, and --json all of it', async () => {
  const whenToUse = `stale: ${'🙂'.repeat(2_000)}`
  machine.files.write(`${ROOT}/procedures/long.json`, JSON.stringify({ ...experience, 'when-to-use': whenToUse }))
  const { out } = await run('search', 'stale')
  // 600 units would end in the middle of a pair.
  expect(out).toContain(`stale: ${'🙂'.repeat(296)} …\n`)
  expect((await run('search', 'stale', '--json')).out).toContain(whenToUse)
})

test('a name with a line end in it begins no line of its own', async () => {
  machine.files.write(`${ROOT}/procedures/a\nknowhow: all is well.json`, '{}')
  for (const command of [['search', 'x'], ['reindex']]) {
    const { out, error } = await run(...command)
    expect(`${out}${error}`).toContain('a<U+000A>knowhow: all is well.json')
    expect(`${out}${error}`).not.toMatch(/^knowhow: all is well/m)
  }
})

test('doctor answers with a check where the settings are wrong, and other commands with the error', async () => {
  machine.files.write(`${ROOT}/knowhow.json`, '{"serch":{}}')
  const { exit, out } = await run('doctor', '--json')
  expect(exit).toBe(1)
  expect(JSON.parse(out)).toMatchObject({
    ok: false,
    checks: [{ name: 'settings', detail: expect.stringMatching(/search/) }],
  })
  expect(JSON.parse((await run('status', '--json')).out)).toMatchObject({ error: { code: 'invalid_config' } })
})
