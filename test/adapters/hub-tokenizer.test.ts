import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hubTokenizerFile } from '../../src/adapters/hub-tokenizer.ts'
import { errorOf } from './chat-model.ts'
import { BODY, COMMIT, ETAG, type HubHome, OTHER_COMMIT, sha256 } from './hub-home.ts'
import { file, type HubServer, hubOptions, NAME, redirect, status } from './hub-server.ts'
import { HubStage, type StageOptions } from './hub-stage.ts'

const REPOSITORY = join(import.meta.dir, '..', '..')
const LAUNCHER = join(REPOSITORY, 'scripts', 'run.mjs')
const DOWNLOADER = join(import.meta.dir, 'hub-downloader.ts')
const PROCESS_TIMEOUT_MS = 60_000
const onWindows = process.platform === 'win32'

let stage: HubStage
let home: HubHome
beforeEach(() => {
  stage = new HubStage()
  home = stage.home
})
afterEach(() => stage[Symbol.dispose]())

const faultOf = (server: HubServer, options: StageOptions = {}, name = NAME) =>
  errorOf(hubTokenizerFile(name, hubOptions(home, server, options)))

function cached(text = BODY, commit = COMMIT): string {
  home.write('refs/main', commit)
  return home.write(`snapshots/${commit}/tokenizer.json`, text)
}

describe('what lies in the cache', () => {
  test('is used without any request, whatever else the environment says', async () => {
    cached()
    const server = stage.serve(status(500))
    const variables = { HF_HUB_OFFLINE: '1', HF_TOKEN: 'no header carries this', HF_ENDPOINT: 'nonsense' }
    expect(await stage.openFrom(server, { variables })).toEqual({ from: 'cache', text: BODY })
    expect(await stage.openFrom(server)).toEqual({ from: 'cache', text: BODY })
    expect(await stage.openFrom(server, { signal: AbortSignal.abort() })).toEqual({ from: 'cache', text: BODY })
    expect(server.requests).toEqual([])
  })

  test('of another revision is not taken for the one that is named', async () => {
    cached('{"main":1}')
    const server = stage.serve(file('{"v2":1}', { 'x-repo-commit': OTHER_COMMIT }))
    expect(await stage.openFrom(server, {}, `${NAME}@v2`)).toEqual({ from: 'download', text: '{"v2":1}' })
    expect(server.paths).toEqual([`/${NAME}/resolve/v2/tokenizer.json`])
    expect(await stage.openFrom(server)).toEqual({ from: 'cache', text: '{"main":1}' })
  })

  test('damaged is had anew, and is whole from then on', async () => {
    truncateSync(cached(), 10)
    const server = stage.serve(file())
    expect(await stage.openFrom(server)).toEqual({ from: 'download', text: BODY })
    expect(await stage.openFrom(server)).toEqual({ from: 'cache', text: BODY })
    expect(server.requests).toHaveLength(1)
  })

  test('damaged is told of when it cannot be had anew', async () => {
    truncateSync(cached(), 10)
    const { message } = await faultOf(stage.serve(status(404)))
    expect(message).toMatch(/tokenizer\.json is damaged, and it cannot be had from http.* \(HTTP 404\)/)
    const late = await faultOf(
      stage.serve(() => new Promise(() => {})),
      { timeoutMs: 50 },
    )
    expect(late.message).toMatch(/tokenizer\.json is damaged, and it did not come from http/)
  })
})

describe('a download', () => {
  test('is found in the cache from then on, by the branch and by the commit', async () => {
    const server = stage.serve(file())
    expect(await stage.openFrom(server)).toEqual({ from: 'download', text: BODY })
    expect(await stage.openFrom(server)).toEqual({ from: 'cache', text: BODY })
    expect(await stage.openFrom(server, {}, `${NAME}@${COMMIT}`)).toEqual({ from: 'cache', text: BODY })
    expect(server.requests).toHaveLength(1)
  })

  test.skipIf(onWindows)(
    'is laid out by what the hub itself says of it, not the server that it redirects to',
    async () => {
      const cdn = stage.serve(
        file(BODY, { etag: '"of-the-cdn"', 'x-repo-commit': OTHER_COMMIT, 'x-linked-etag': '"cdn"' }),
      )
      const headers = { etag: '"weak"', 'x-linked-etag': `W/"${sha256(BODY)}"`, 'x-repo-commit': COMMIT }
      await stage.openFrom(stage.serve(redirect(cdn.address, headers)))
      expect(home.files).toEqual([`blobs/${sha256(BODY)}`, 'refs/main', `snapshots/${COMMIT}/tokenizer.json`])
    },
  )

  test.skipIf(onWindows)('of a moved repository is laid out under the name that was asked for', async () => {
    const answers = [redirect('/acme/new-name/resolve/main/tokenizer.json', {}, 307), file()]
    await stage.openFrom(stage.serve(...answers))
    expect(home.files).toEqual([`blobs/${ETAG}`, 'refs/main', `snapshots/${COMMIT}/tokenizer.json`])
  })

  test('without the commit, as some mirrors send it, is of use once', async () => {
    const server = stage.serve(() => new Response(BODY))
    const told: string[] = []
    expect((await stage.openFrom(server, { onWait: (sentence) => told.push(sentence) })).from).toBe('download')
    expect((await stage.openFrom(server)).from).toBe('download')
    expect(told).toEqual([
      expect.stringMatching(/^downloading/),
      expect.stringMatching(/came without a commit, .*: it is downloaded again by each run$/),
    ])
    expect(existsSync(home.cache)).toBe(false)
  })

  test('goes where HF_HUB_CACHE says, and holds no links when none are wanted', async () => {
    const variables = { HF_HUB_CACHE: join(home.folder, 'elsewhere'), HF_HUB_DISABLE_SYMLINKS: '1' }
    await stage.openFrom(stage.serve(file()), { variables })
    const path = join(home.folder, 'elsewhere', 'models--acme--small-model', 'snapshots', COMMIT, 'tokenizer.json')
    expect(readFileSync(path, 'utf8')).toBe(BODY)
    expect(existsSync(home.cache)).toBe(false)
  })

  test('is of use where the cache cannot be written', async () => {
    mkdirSync(join(home.folder, '.cache'))
    writeFileSync(join(home.folder, '.cache', 'huggingface'), 'a file in the place of the folder')
    const server = stage.serve(file())
    const told: string[] = []
    const onWait = (sentence: string) => told.push(sentence)
    expect(await stage.openFrom(server, { onWait })).toEqual({ from: 'download', text: BODY })
    expect(await stage.openFrom(server)).toEqual({ from: 'download', text: BODY })
    expect(told).toEqual([
      expect.stringMatching(/^downloading/),
      expect.stringMatching(/cannot be kept in the cache .*: it is downloaded again by each run$/),
    ])
  })

  test('is of use where only the last step into the cache fails', async () => {
    home.write('refs', 'a file in the place of the folder')
    expect(await stage.openFrom(stage.serve(file()))).toEqual({ from: 'download', text: BODY })
  })

  test('twice at once in one process is the same twice', async () => {
    const server = stage.serve(file())
    const both = await Promise.all([stage.openFrom(server), stage.openFrom(server)])
    expect(both.map(({ text }) => text)).toEqual([BODY, BODY])
    expect(home.files.filter((path) => path.endsWith('.incomplete'))).toEqual([])
    expect((await stage.openFrom(server)).from).toBe('cache')
  })
})

describe('offline', () => {
  test.each([['HF_HUB_OFFLINE'], ['TRANSFORMERS_OFFLINE']])('%s asks nobody, and says so', async (variable) => {
    const server = stage.serve(file())
    const error = await faultOf(server, { variables: { [variable]: '1' } })
    expect(error).toMatchObject({ code: 'tokenizer_unavailable', resumable: true })
    expect(error.message).toBe(
      `tokenizer "${NAME}": it is not in the cache ${home.cache}, and ${variable} forbids to ask the hub; ` +
        `unset ${variable} to download it, or give the path of a tokenizer.json`,
    )
    expect(server.requests).toEqual([])
  })

  test('tells of what is damaged', async () => {
    const path = cached('')
    const error = await faultOf(stage.serve(file()), { variables: { HF_HUB_OFFLINE: '1' } })
    expect(error.message).toContain(`: ${path.replaceAll('\\', '/')} is damaged, and HF_HUB_OFFLINE`)
  })
})

test.each([['gpt2'], ['../x/y'], ['a/b@../c'], ['']])('%p is no name of the hub', async (name) => {
  const server = stage.serve(file())
  const error = await faultOf(server, {}, name)
  expect(error).toMatchObject({ code: 'tokenizer_unavailable', resumable: true })
  expect(error.message).toContain('it is no name of the Hugging Face hub; write org/name or org/name@revision')
  expect(server.requests).toEqual([])
})

describe.each(['bun', 'deno'])('under %s', (runtime) => {
  const runtimeArgs = runtimeArguments(runtime)

  function start(server: HubServer) {
    const command = ['node', ...(runtimeArgs ?? []), DOWNLOADER, NAME]
    const env = processEnvironment(server)
    return Bun.spawn(command, { env, cwd: REPOSITORY, stdout: 'pipe', stderr: 'pipe' })
  }

  async function answerOf(server: HubServer): Promise<unknown> {
    const child = start(server)
    const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    if ((await child.exited) !== 0) throw new Error(error)
    return JSON.parse(out)
  }

  test.skipIf(runtimeArgs === null)(
    'four processes at once each have the file, and the fifth has it from the cache',
    async () => {
      // Nobody is answered before all have asked, so that all of them write.
      const { promise: allAsked, resolve } = Promise.withResolvers<void>()
      const server: HubServer = stage.serve(async (request) => {
        if (server.requests.length === 4) resolve()
        await allAsked
        return file()(request)
      })
      const all = await Promise.all([1, 2, 3, 4].map(() => answerOf(server)))
      expect(all).toEqual(all.map(() => ({ from: 'download', text: BODY })))
      expect(await answerOf(server)).toEqual({ from: 'cache', text: BODY })
      expect(server.requests).toHaveLength(4)
      expect(home.files.filter((path) => path.endsWith('.incomplete'))).toEqual([])
    },
    PROCESS_TIMEOUT_MS,
  )

  test.skipIf(runtimeArgs === null)(
    'a file that comes in part, then by a redirect, is had',
    async () => {
      const server = stage.serve(file(BODY.slice(0, 20)), redirect('/again'), file())
      expect(await answerOf(server)).toEqual({ from: 'download', text: BODY })
      expect(server.requests).toHaveLength(3)
    },
    PROCESS_TIMEOUT_MS,
  )
})

test(
  'a process that is killed in the middle of a download leaves nothing',
  async () => {
    const { promise: isAsked, resolve } = Promise.withResolvers<void>()
    const server = stage.serve(() => {
      resolve()
      return new Response(new ReadableStream({ start: (c) => c.enqueue(new TextEncoder().encode('{"version')) }))
    }, file())
    const env = processEnvironment(server)
    const child = Bun.spawn([process.execPath, DOWNLOADER, NAME], { env, stdout: 'ignore', stderr: 'ignore' })
    await isAsked
    child.kill('SIGKILL')
    await child.exited
    expect(existsSync(home.cache)).toBe(false)
    expect(await stage.openFrom(server)).toEqual({ from: 'download', text: BODY })
  },
  PROCESS_TIMEOUT_MS,
)

/** Without the settings of the person at the keyboard, whose cache is none of a test's business. */
function processEnvironment(server: HubServer): Record<string, string | undefined> {
  const foreign = /^(?:HF|HUGGING\w*|TRANSFORMERS|XDG)_/
  const kept = Object.entries(process.env).filter(([name]) => !foreign.test(name))
  return { ...Object.fromEntries(kept), ...home.environment({ HF_ENDPOINT: server.address }) }
}

function runtimeArguments(runtime: string): readonly string[] | null {
  const args = runtime === 'deno' ? ['run', '-A', '--quiet'] : ['run']
  const { status } = spawnSync('node', [LAUNCHER, runtime, '--version'], { stdio: 'ignore' })
  if (status === 0) return [LAUNCHER, runtime, ...args]
  console.warn(`notice: there is no ${runtime} here, so the tests that need it are skipped`)
  return null
}
