/**
 * Each producer's logs through `inspect`, an import without a model and one with a model: the project's own examples, and
 * real logs of others where they lie beside the checkout.
 */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { readIntake } from '../../src/importer/intake/intake.ts'
import { Redactor } from '../../src/importer/redaction/redactor.ts'
import type { ChatMessage } from '../../src/ports.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { runtimeArguments } from '../fakes/runtime.ts'
import { callTool, say } from '../fakes/scripted-chat.ts'
import { noticeWithout, samplesFolder } from '../fakes/shared-folder.ts'
import { readValue } from './json-logs.ts'

const PROJECT = join(import.meta.dir, '..', '..')
const EXAMPLES = join(PROJECT, 'examples', 'trajectories')
const MAIN = join(PROJECT, 'src', 'main.ts')

interface Expected {
  readonly producer: string
  /** What the model is told of the log. */
  readonly shape: string
  readonly failures: number
  /** What the import without a model writes, without `procedures/` and `.json`. */
  readonly experiences: readonly string[]
}

const OWN: Readonly<Record<string, Expected>> = {
  'claude-code.jsonl': {
    producer: 'claude-code',
    shape: 'a transcript of Claude Code',
    failures: 3,
    experiences: [
      'fix-eresolve-npm-install-unable-resolve-dependency-tree',
      'fix-ts2503-tsc-cannot-find-namespace-jsx',
    ],
  },
  'codex.jsonl': {
    producer: 'codex',
    shape: 'a rollout of Codex',
    failures: 1,
    experiences: ['fix-cargo-build-failed-run-custom-command'],
  },
  'gemini-cli.json': {
    producer: 'gemini-cli',
    shape: 'a chat of Gemini CLI',
    failures: 2,
    experiences: ['fix-playwright-test-host-system-missing-dependencies-run-browsers'],
  },
  'github-actions.txt': {
    producer: 'github-actions',
    shape: 'a log of GitHub Actions',
    failures: 1,
    experiences: ['fix-mypy-inventory-incompatible-return-value-type'],
  },
  'mini-swe-agent.traj.json': {
    producer: 'mini-swe-agent',
    shape: 'a trajectory of mini-SWE-agent',
    failures: 1,
    experiences: ['fix-go-test-missing-sum-entry'],
  },
  'openai-chat.jsonl': {
    producer: 'openai-chat',
    shape: "as OpenAI's chat has them",
    failures: 3,
    experiences: ['fix-alembic-upgrade-lock-not-available', 'fix-pytest-test-orders-assertion-export-order-json'],
  },
  'openhands.json': {
    producer: 'openhands',
    shape: 'a log of OpenHands',
    failures: 1,
    experiences: ['fix-docker-compose-port-already-allocated'],
  },
  'shell-session.log': {
    producer: 'shell-transcript',
    shape: 'seen in a terminal',
    failures: 4,
    experiences: [
      'fix-git-rebase-committing-not-possible',
      'fix-pytest-cannot-import-name-cart',
      'fix-docker-build-wheels-not-found',
    ],
  },
  'swe-agent.traj': {
    producer: 'swe-agent',
    shape: 'a trajectory of SWE-agent',
    failures: 1,
    experiences: ['fix-pytest-test-format-assertion-below-second'],
  },
}

/** A model that writes one experience and closes each piece; keeps what it was sent. */
function attentiveModel(machine: FakeMachine): { readonly opening: (readonly ChatMessage[])[] } {
  const opening: (readonly ChatMessage[])[] = []
  const step = (messages: readonly ChatMessage[]) => {
    if (messages.at(-1)?.role === 'tool') return say(`${opening.length} pieces read`)
    opening.push(messages)
    if (opening.length > 1) return say(`${opening.length} pieces read`)
    return callTool('procedure_create', {
      filename: 'read-the-log.json',
      description: 'Read a log',
      'when-to-use': 'When there is a log to read',
      content: 'Read it, then check that nothing is left.',
      operation_key: 'one',
    })
  }
  machine.script(...Array.from({ length: 10_000 }, () => step))
  return { opening }
}

function machineWith(path: string): { readonly machine: FakeMachine; readonly file: string } {
  const machine = new FakeMachine()
  machine.configure({ token_limits: { segment: 2_000, context: 40_000, reserve: 100, summary: 200 } })
  const file = `/logs/${basename(path)}`
  machine.files.write(file, readFileSync(path))
  return { machine, file }
}

/** Imports it with a model. @returns what the model was told of the log, null when nothing; the pieces, joined */
async function importWithModel(path: string) {
  const { machine, file } = machineWith(path)
  const { opening } = attentiveModel(machine)
  const result = await machine.run<ImportResult>('procedure_import', { files: [file] })
  const told = opening.map((messages) => {
    const [system = '', piece = ''] = messages.map(({ content }) => content)
    const [, fence = ''] = /^(===== log \w+ =====)$/m.exec(piece) ?? []
    const parts = piece.split(`${fence}\n`)
    expect(parts).toHaveLength(3)
    return { system, text: (parts[1] ?? '').slice(0, -1) }
  })
  const [, shape = null] = /\n# How this log is written\n\n(.*)\n/.exec(told[0]?.system ?? '') ?? []
  return { machine, result, shape, text: told.map(({ text }) => text).join('') }
}

/** Imports all examples without a model in a process of its own. @returns the experiences by name */
async function writtenBy(runtime: readonly string[], environment: Record<string, string>) {
  const home = mkdtempSync(join(tmpdir(), 'knowhow-matrix-'))
  try {
    const logs = Object.keys(OWN).map((name) => join(EXAMPLES, name))
    const argv = ['node', ...runtime, MAIN, 'import', ...logs, '--extractor', 'offline']
    const env = { ...environment, PATH: process.env.PATH, HOME: home, EMBEDDING_BACKEND: 'none', NO_COLOR: '1' }
    const child = Bun.spawn(argv, { cwd: home, env, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    const [exit, error] = await Promise.all([child.exited, new Response(child.stderr).text()])
    if (exit !== 0) throw new Error(error)
    const folder = join(home, '.knowhow', 'procedures')
    return Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
  } finally {
    rmSync(home, { recursive: true })
  }
}

test('each example is named here', () => {
  expect(Object.keys(OWN).sort()).toEqual(readdirSync(EXAMPLES).sort())
})

describe.each(Object.entries(OWN))('the example %s', (name, expected) => {
  const path = join(EXAMPLES, name)

  test('is recognised', async () => {
    const { machine, file } = machineWith(path)
    expect(await machine.run('inspect', { file })).toMatchObject({
      producer: expected.producer,
      failures: expected.failures,
    })
  })

  test('without a model gives what its evidence holds', async () => {
    const { machine, file } = machineWith(path)
    const result = await machine.run<ImportResult>('procedure_import', { files: [file], extractor: 'offline' })
    expect(result.status).toBe('complete')
    expect(result.experiences.map((each) => each.path.slice('procedures/'.length, -'.json'.length))).toEqual([
      ...expected.experiences,
    ])
  })

  test('comes to a model whole, with the shape of its records, and is the source of what it writes', async () => {
    const { machine, result, shape, text } = await importWithModel(path)
    expect(result).toMatchObject({ status: 'complete', extractor: 'llm' })
    expect(shape).toContain(expected.shape)
    expect(text).toBe(readIntake(name, readFileSync(path), 'fail').text)
    const written = JSON.parse(machine.files.text(`${ROOT}/procedures/read-the-log.json`))
    expect(written.sources).toEqual([result.trajectory])
  })
})

test('the guide shows an example as it comes out', async () => {
  const name = 'openhands.json'
  const { machine, file } = machineWith(join(EXAMPLES, name))
  const result = await machine.run<ImportResult>('procedure_import', { files: [file], extractor: 'offline' })
  const guide = readFileSync(join(PROJECT, 'docs', 'guide.md'), 'utf8')
  const [, shown] = /`examples\/trajectories\/openhands\.json`[^`]*```json\n([\s\S]*?)```/.exec(guide) ?? []
  expect(shown).toBe(machine.files.text(`${ROOT}/${result.experiences[0]?.path}`))
})

describe('all examples without a model give the same bytes', () => {
  const names = Object.keys(OWN)

  /** Name and text of each experience. */
  function writtenOn(machine: FakeMachine): readonly (readonly [string, string])[] {
    const folder = `${ROOT}/procedures`
    return (machine.files.list(folder) ?? []).map(
      ({ name }) => [name, machine.files.text(`${folder}/${name}`)] as const,
    )
  }

  test('on another day', async () => {
    const written = await Promise.all(
      [0, 400 * 24 * 3_600_000].map(async (laterMs) => {
        const machine = new FakeMachine()
        machine.clock.advance(laterMs)
        for (const name of names) machine.files.write(`/logs/${name}`, readFileSync(join(EXAMPLES, name)))
        await machine.run('procedure_import', { files: names.map((name) => `/logs/${name}`), extractor: 'offline' })
        return writtenOn(machine)
      }),
    )
    expect(written[0]).toHaveLength(Object.values(OWN).flatMap(({ experiences }) => experiences).length)
    expect(written[1]).toEqual(written[0] as never)
  })

  const [bun, deno] = [runtimeArguments('bun'), runtimeArguments('deno')]
  test.skipIf(bun === null || deno === null)(
    'in another zone, language and folder, and on another runtime',
    async () => {
      const first = await writtenBy(bun ?? [], { TZ: 'Asia/Kolkata', LC_ALL: 'de_DE.UTF-8' })
      expect(Object.keys(first)).toHaveLength(Object.values(OWN).flatMap(({ experiences }) => experiences).length)
      expect(await writtenBy(deno ?? [], { TZ: 'America/St_Johns', LC_ALL: 'C' })).toEqual(first)
    },
    60_000,
  )
})

const samples = samplesFolder()
if (samples === null) noticeWithout('samples')

describe.skipIf(samples === null)('a sample comes to a model whole and masked:', () => {
  const index = samples === null ? '' : readFileSync(join(samples, 'INDEX.tsv'), 'utf8')
  const paths = index
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t')[0] ?? '')

  test.each(paths)(
    '%s',
    async (path) => {
      const original = join(samples ?? '', path)
      const { result, shape, text } = await importWithModel(original)
      if (result.status === 'incomplete') {
        expect(['malformed_input', 'unsupported_format']).toContain(result.error?.code as string)
        return
      }
      const decoded = readIntake(basename(path), readFileSync(original), 'fail').text
      const masked = new Redactor().learn(decoded)
      if (decoded.trim() !== '') expect(text.trimEnd()).toBe(masked.whole().trimEnd())
      const { machine, file } = machineWith(original)
      const { producer } = await machine.run<{ producer: string | null }>('inspect', { file })
      expect(shape === null).toBe(producer === null)
    },
    60_000,
  )
})

test.each(['messages', 'trajectory', 'history', 'toolCalls', 'payload', 'parts', 'events'])(
  'hostile values under %s are skipped',
  (name) => {
    for (const value of [null, 1, 'x', [], [null, 1, 'x', [], {}], {}, { [name]: [null] }])
      for (const type of ['gemini', 'user', 'response_item', 'session_meta', 'function_call'])
        expect(() => readValue([{ type, source: 'agent', kind: 'ActionEvent', [name]: value }])).not.toThrow()
  },
)
