import { beforeEach, describe, expect, test } from 'bun:test'
import type { ImportResult } from '../../src/importer/import-result.ts'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import type { Experience } from '../../src/model/experience.ts'
import { type ActionsAttempt, actionsLog } from '../fakes/actions-log.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'
import { rewriteLog } from '../fakes/rewritten-log.ts'
import { say } from '../fakes/scripted-chat.ts'
import { GROWTH_MAX, growthOf } from './offline-growth.ts'

const DAY = 86_400_000
const START = Date.parse('2026-03-01T10:00:00Z')
const FAILURE = ['TypeError: price is not a number']
const SHELF = 'session/trajectories'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
})

type Options = Readonly<Record<string, unknown>>

async function importText(name: string, text: string, options: Options = {}): Promise<ImportResult> {
  machine.files.write(`/logs/${name}`, text)
  machine.clock.advance(1_000)
  return machine.run<ImportResult>('procedure_import', {
    files: [`/logs/${name}`],
    extractor: 'offline',
    request_id: name.replace('.log', ''),
    ...options,
  })
}

const on = (day: number, commit: string, attempt: Partial<ActionsAttempt> = {}) =>
  actionsLog({ commit, at: START + day * DAY, ...attempt })

const failing = (name: string, day: number, commit: string, attempt: Partial<ActionsAttempt> = {}) =>
  importText(name, on(day, commit, { failure: FAILURE, ...attempt }))
const passing = (name: string, day: number, commit: string, attempt: Partial<ActionsAttempt> = {}) =>
  importText(name, on(day, commit, attempt))

function written(): readonly Experience[] {
  const folder = `${ROOT}/procedures`
  return (machine.files.list(folder) ?? []).map(({ name }) => JSON.parse(machine.files.text(`${folder}/${name}`)))
}

describe('a log of a job that passes', () => {
  test('teaches with the failing log that was imported before, and says which', async () => {
    expect(await failing('monday.log', 0, 'a')).toMatchObject({ experiences: [] })
    const { experiences, reply } = await passing('tuesday.log', 1, 'b')
    expect(experiences).toHaveLength(1)
    expect(reply).toBe(
      `none of 3 calls failed; 1 failing command was later seen passing, compared with a log imported before: ${SHELF}/monday.log`,
    )
    expect(written()).toEqual([
      {
        description:
          'Get `npm run test` to pass after it failed with: TypeError: price is not a number; it passed at the commit “Change number b” (bbbbbbb)',
        'when-to-use': 'When `npm run test` fails with: TypeError: price is not a number',
        content: expect.stringContaining(`What failed, in ${SHELF}/monday.log: \`npm run test\``),
        sources: [`${SHELF}/tuesday.log`, `${SHELF}/monday.log`],
      },
    ])
  })

  test('teaches the same as one of several files of a command', async () => {
    await failing('monday.log', 0, 'a')
    await passing('tuesday.log', 1, 'b')
    const apart = written()
    const texts = ['monday.log', 'tuesday.log'].map((name) => machine.files.text(`/logs/${name}`))
    machine = new FakeMachine()
    for (const [index, name] of ['monday.log', 'tuesday.log'].entries())
      machine.files.write(`/logs/${name}`, texts[index] ?? '')
    const files = ['/logs/monday.log', '/logs/tuesday.log']
    await machine.run('procedure_import', { files, extractor: 'offline' })
    expect(written()).toEqual(apart)
    expect(apart).toHaveLength(1)
  })

  test.each<[string, Partial<ActionsAttempt>]>([
    ['of another job', { job: 'lint', command: 'npm run test' }],
    ['of another command', { command: 'npm run build' }],
    ['of the same commit', { commit: 'a' }],
    ['that began before', { at: START - DAY }],
    ['that began at the same time', { at: START }],
    ['of another branch', { ref: 'pull/7/merge' }],
  ])('teaches nothing with one %s', async (_, change) => {
    await failing('one.log', 0, 'a')
    await passing('two.log', 1, 'b', change)
    expect(written()).toEqual([])
  })

  test('teaches nothing of what failed before the job last came through', async () => {
    await failing('1.log', 0, 'a')
    await passing('2.log', 1, 'b', { command: 'npm run other' })
    await passing('3.log', 2, 'c')
    expect(written()).toEqual([])
  })

  test('tells of the runs that failed in between', async () => {
    await failing('1.log', 0, 'a')
    await failing('2.log', 1, 'b', { failure: ['RangeError: price is negative'] })
    await passing('3.log', 2, 'c')
    expect(written()).toMatchObject([{ sources: [`${SHELF}/3.log`, `${SHELF}/1.log`, `${SHELF}/2.log`] }])
    expect(written()[0]?.content).toContain(`Then the same, in ${SHELF}/2.log, failed with:\n    RangeError`)
  })

  test('tells of such a run by its command line too where that is another', async () => {
    await failing('1.log', 0, 'a')
    await failing('2.log', 1, 'b', { failure: ['RangeError: price is negative'], command: 'npm run test 2>&1' })
    await passing('3.log', 2, 'c')
    expect(written()[0]?.content).toContain(
      `Then the same, as \`npm run test 2>&1\`, in ${SHELF}/2.log, failed with:\n`,
    )
  })

  test('teaches with a failing log as gh prints it, of several jobs', async () => {
    const printed = (job: string, text: string) => text.replace(/^/gm, `${job}\tUNKNOWN STEP\t`).trimEnd()
    const jobs = ['lint', 'test'].map((job) => printed(job, on(0, 'a', { job, failure: FAILURE })))
    await importText('1.log', `${jobs.join('\n')}\n`)
    await passing('2.log', 1, 'b')
    expect(written()).toMatchObject([{ sources: [`${SHELF}/2.log`, `${SHELF}/1.log`] }])
  })

  test.each([
    [199, 1],
    [200, 0],
  ])('with %i imports in between teaches %i experiences', async (others, learnt) => {
    await failing('first.log', 0, 'a')
    for (let other = 0; other < others; other++) await importText(`${other}.log`, 'nothing')
    expect((await passing('last.log', 1, 'b')).experiences).toHaveLength(learnt)
  })

  test('teaches whatever number of imports in between is not complete', async () => {
    await failing('first.log', 0, 'a')
    machine.watcher = ({ name, path }) => {
      if (name === 'openAppend' && path.includes('/processing/')) throw new Error('stopped')
    }
    for (let other = 0; other < 200; other++) await importText(`${other}.log`, 'nothing').catch(() => null)
    machine.watcher = null
    expect((await passing('last.log', 1, 'b')).experiences).toHaveLength(1)
  })

  const MIB = 1024 * 1024
  test.each([
    ['are counted to the last byte', 64 * MIB, ['2.log']],
    ['that are too many are left out for shorter ones', 64 * MIB + 1, ['1.log']],
  ])('reads earlier logs of 64 MiB; bytes that %s', async (_, bytes, names) => {
    await failing('1.log', 0, 'a')
    await failing('2.log', 1, 'b', { failure: ['RangeError: price is negative'] })
    rewriteLog(machine.files, `${ROOT}/metadata/procedure/default/imports/2.jsonl`, (lines) =>
      lines.map((line) => ({
        ...line,
        ...('bytes' in line ? { bytes } : {}),
        ...('result' in line ? { result: { ...(line.result as object), bytes } } : {}),
      })),
    )
    await passing('3.log', 2, 'c')
    expect(written()[0]?.sources).toEqual(['3.log', ...names].map((name) => `${SHELF}/${name}`))
  })

  test('tells of the latest 20 runs that failed', async () => {
    const digits = Array.from({ length: 22 }, (_, index) => (16 + index).toString(16))
    for (const [day, commit] of digits.slice(0, -1).entries()) await failing(`${day}.log`, day, commit)
    await passing('last.log', 21, digits.at(-1) ?? '')
    const earlier = Array.from({ length: 20 }, (_, index) => `${SHELF}/${index + 1}.log`)
    expect(written()[0]?.sources).toEqual([`${SHELF}/last.log`, ...earlier])
  })

  test('teaches with a failing log that is imported after it', async () => {
    await passing('tuesday.log', 1, 'b')
    const { reply } = await failing('monday.log', 0, 'a')
    expect(reply).toStartWith('1 of 3 calls failed; 1 failing command was later seen passing, compared with a log')
    expect(await machine.run('inspect', { file: '/logs/monday.log' })).toMatchObject({ tools: 3, failures: 1 })
    expect(written()).toMatchObject([{ sources: [`${SHELF}/monday.log`, `${SHELF}/tuesday.log`] }])
    expect(written()[0]?.content).toContain(`What failed, in ${SHELF}/monday.log: \`npm run test\``)
    expect(written()[0]?.content).toContain(`Check that passed, in ${SHELF}/tuesday.log: \`npm run test\``)
  })
})

describe('nothing is told twice:', () => {
  test('a failing log that is imported again', async () => {
    await failing('1.log', 0, 'a')
    await failing('2.log', 0, 'a')
    await passing('3.log', 1, 'b')
    await failing('4.log', 0, 'a')
    expect(written()).toMatchObject([{ sources: [`${SHELF}/3.log`, `${SHELF}/1.log`] }])
  })

  test('a passing log that is imported again is one more source', async () => {
    await failing('1.log', 0, 'a')
    await passing('2.log', 1, 'b')
    await passing('3.log', 1, 'b')
    expect(written()).toMatchObject([{ sources: [`${SHELF}/2.log`, `${SHELF}/1.log`, `${SHELF}/3.log`] }])
  })

  test('a later pass', async () => {
    await failing('1.log', 0, 'a')
    await passing('2.log', 1, 'b')
    expect(await passing('3.log', 2, 'c')).toMatchObject({ experiences: [] })
  })

  test('a failure that comes late to a pass that has one', async () => {
    await failing('1.log', 0, 'a')
    await passing('3.log', 2, 'c')
    expect(await failing('2.log', 1, 'b')).toMatchObject({ experiences: [] })
  })

  test('what two logs have told, joined in one', async () => {
    await failing('1.log', 0, 'a')
    await passing('2.log', 1, 'b')
    expect(await importText('both.log', on(0, 'a', { failure: FAILURE }) + on(1, 'b'))).toMatchObject({
      experiences: [],
    })
  })

  test('what one log has told, in two', async () => {
    await importText('both.log', on(0, 'a', { failure: FAILURE }) + on(1, 'b'))
    expect(written()).toHaveLength(1)
    await failing('1.log', 0, 'a')
    await passing('2.log', 1, 'b')
    expect(written()).toHaveLength(1)
  })
})

describe('an earlier log', () => {
  const shelved = `${ROOT}/${SHELF}/1.log`

  test.each<[string, () => void]>([
    ['gone', () => machine.files.remove(shelved)],
    ['changed', () => machine.files.write(shelved, machine.files.text(shelved).replace('TypeError', 'RangeError'))],
    ['no text', () => machine.files.write(shelved, '\u0000'.repeat(99))],
    ['without its import log', () => machine.files.remove(`${ROOT}/metadata/procedure/default/imports/1.jsonl`)],
  ])('that is %s is left out', async (_, damage) => {
    await failing('1.log', 0, 'a')
    damage()
    expect(await passing('2.log', 1, 'b')).toMatchObject({ status: 'complete', experiences: [] })
  })

  test('whose import is not complete is left out', async () => {
    machine.watcher = ({ name, path }) => {
      if (name === 'openAppend' && path.includes('/processing/')) throw new Error('stopped')
    }
    await expect(failing('0.log', 0, 'a')).rejects.toThrow('stopped')
    machine.watcher = null
    expect(await passing('2.log', 1, 'b')).toMatchObject({ status: 'complete', experiences: [] })
  })

  test('shows no secret, also where it was imported unmasked', async () => {
    const token = `ghp_${'a1B2'.repeat(9)}`
    const text = on(0, 'a', { failure: [`TypeError: price is not a number, token ${token}`] })
    await importText('1.log', text, { redact: false })
    await importText('2.log', on(1, 'b'), { redact: false })
    expect(written()).toHaveLength(1)
    expect(JSON.stringify(written())).not.toContain(token)
    expect(JSON.stringify(written())).toContain('[secret:github-token:1]')
  })

  test('counts where a model extracted from it too', async () => {
    machine.files.write('/logs/1.log', on(0, 'a', { failure: FAILURE }))
    machine.script(say('Nothing to keep.'))
    await machine.run('procedure_import', { files: ['/logs/1.log'], extractor: 'llm' })
    await passing('2.log', 1, 'b')
    expect(written()).toHaveLength(1)
  })
})

test.each(['Complete job name', 'repository'])('a log that tells no %s learns from no other', async (trait) => {
  const cut = (text: string) => text.replace(new RegExp(`^.* ${trait}: .*\n`, 'm'), '')
  await importText('1.log', cut(on(0, 'a', { failure: FAILURE })))
  await importText('2.log', cut(on(1, 'b')))
  expect(written()).toEqual([])
})

describe('an import that is stopped', () => {
  /** @param stop the change of the disk that is not made, from 0 on. @returns whether there was one */
  async function stopped(stop: number): Promise<boolean> {
    let changes = 0
    machine.watcher = ({ changes: isChange }) => {
      if (isChange && changes++ >= stop) throw new Error('killed')
    }
    try {
      await passing('3.log', 2, 'c')
      return false
    } catch (error) {
      expect(String(error)).toContain('killed')
      return true
    } finally {
      machine.watcher = null
    }
  }

  test('anywhere goes on with what it would have read, whatever was imported meanwhile', async () => {
    let wasStopped = true
    for (let stop = 0; wasStopped; stop++) {
      machine = new FakeMachine()
      await failing('1.log', 0, 'a')
      wasStopped = await stopped(stop)
      const log = machine.files.stat(`${ROOT}/metadata/procedure/default/imports/3.jsonl`)
      await failing('2.log', 1, 'b', { failure: ['RangeError: price is negative'] })
      if ((log?.bytes ?? 0) === 0) continue
      await machine.run('procedure_import', { resume: '3' })
      expect(written()).toMatchObject([{ sources: [`${SHELF}/3.log`, `${SHELF}/1.log`] }])
    }
  })

  test('after it has read keeps to that when the clock is set', async () => {
    await failing('1.log', 0, 'a')
    machine.watcher = ({ name, path }) => {
      if (name === 'openAppend' && path.includes('/operations/')) throw new Error('killed')
    }
    await expect(passing('3.log', 2, 'c')).rejects.toThrow('killed')
    machine.watcher = null
    machine.clock.advance(-DAY)
    await failing('2.log', 1, 'b', { failure: ['RangeError: price is negative'] })
    await machine.run('procedure_import', { resume: '3' })
    expect(written()).toMatchObject([{ sources: [`${SHELF}/3.log`, `${SHELF}/1.log`] }])
  })
})

test('many attempts of many jobs, each in an earlier log too, are read in time that grows as their number', () => {
  const build = (size: number) => {
    const attempts = Array.from({ length: size }, (_, index) =>
      on(index, 'abc'[index % 3] ?? '', { job: `job ${index % (size / 10)}`, failure: FAILURE }),
    )
    return { text: attempts.join(''), before: attempts.toReversed().join('').replaceAll('test', 'check') }
  }
  const limits = { count: () => 1, description: 2, when_to_use: 2, content: 2 }
  const read = ({ text, before }: ReturnType<typeof build>): void => {
    const earlier = () => [{ path: 'before.log', isSame: false, glance: () => before, masked: () => before }]
    extractOffline({ text, format: 'log', earlier }, limits)
  }
  expect(growthOf(build, read, 200)).toBeLessThan(GROWTH_MAX)
}, 60_000)

test('a month of job logs becomes a list of what each error was fixed by', async () => {
  const JOBS = ['test', 'lint', 'build']
  const ERRORS = ['TypeError: price is not a number', 'SyntaxError: cart has no end', 'RangeError: order is too old']
  const commits = '123456789abcdef'
  const paths: string[] = []
  const keep = (name: string, text: string): void => {
    machine.files.write(`/logs/${name}`, text)
    paths.push(`/logs/${name}`)
  }
  for (let pair = 0; pair < 12; pair++) {
    const job = JOBS[pair % 3] ?? ''
    const failure = [`${ERRORS[pair % 3]} (case ${'abcdefghijkl'[pair]})`]
    const commit = commits[pair] ?? ''
    keep(`${pair}-1.log`, actionsLog({ job, commit, at: START + 2 * pair * DAY, failure }))
    keep(`${pair}-other.log`, `$ make ${pair}\nmake: *** [all] Error 2\n$ ls\n`)
    keep(`${pair}-2.log`, actionsLog({ job, commit: commits[pair + 1] ?? '', at: START + (2 * pair + 1) * DAY }))
  }
  const imported = await runCaptured(['import', ...paths, '--extractor', 'offline'], machine)
  expect(imported.exit).toBe(0)
  expect(imported.out.match(/compared with a log imported before: session\/trajectories\/\d+-1\.log/g)).toHaveLength(12)
  const found = await runCaptured(['search', 'SyntaxError: cart has no end (case e)', '--limit', '1'], machine)
  expect(found.out).toContain(
    'Get `npm run lint` to pass after it failed with: SyntaxError: cart has no end (case e); it passed at the commit “Change number 6” (6666666)',
  )
})
