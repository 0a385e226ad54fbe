/** What stands in front of a command: the same command with and without it, and what a reader is told of it. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'

const words = (text: string): number => text.match(/\S+/g)?.length ?? 0
const LIMITS = { count: words, description: 140, when_to_use: 563, content: 2_252 }
const contents = (...calls: readonly (readonly [command: string, code: number])[]) => {
  const log = calls.map(([command, code]) => `$ ${command}\nwell\n[exit ${code}]\n`)
  return extractOffline({ text: log.join(''), format: 'log' }, LIMITS).experiences.map(({ content }) => content)
}

describe('what the passing call has in front', () => {
  test.each([
    ['make', 'FOO=1 make', 'run it with `FOO=1` in front'],
    [
      'cd /a && make',
      'export FOO=/x && export BAR=$FOO/y && cd /a && make',
      'run it with `export FOO=/x` and `export BAR=$FOO/y` in front',
    ],
    ['make', '. venv/bin/activate && make', 'run it with `. venv/bin/activate` in front'],
    ['make install', 'sudo make install', 'run it with `sudo` in front'],
    ['make install', 'cd core && make install', 'run it in the folder `core`'],
    ['FOO=1 BAR=2 make', 'BAR=2 make', 'run it without `FOO=1` in front'],
    ['FOO=1 make', 'FOO=2 make', 'run it with `FOO=2` in front, without `FOO=1` in front'],
    ['pytest -q', 'python -m pytest -q', 'run it with `python -m` in front'],
    ['python3 -m mypy .', 'mypy .', 'run it without `python3 -m` in front'],
  ])('and the failing one had not, is told: %j, %j', (before, after, told) => {
    const [content, ...others] = contents([before, 2], ['ls', 0], [after, 0])
    expect(others).toEqual([])
    expect(content).toContain(`Done in between:\n1. look: \`ls\`\n2. ${told}\n\nCheck that passed: \`${after}\``)
  })

  test('is not told where both calls have it', () => {
    const [content] = contents(['cd /a && FOO=1 make', 2], ['vi x', 0], ['FOO=1 make', 0])
    expect(content).not.toContain('in front')
  })
})

describe('a bound on its time', () => {
  test.each([
    ['timeout 60 make test', 'make test'],
    ['make test', 'timeout -k 5 2m make test'],
    ['timeout --foreground --signal=INT 60s make test', 'timeout 90 make test'],
  ])('makes no other command: %j, %j', (before, after) => {
    expect(contents([before, 2], ['vi x', 0], [after, 0])).toHaveLength(1)
  })

  test.each([
    'nice -n 10 make test',
    'stdbuf -oL -eL make test',
    'gtimeout -s KILL 60 make test',
    'time timeout 60 make test',
  ])('or anything else that leaves it alone makes no other command: %s', (before) => {
    const [content] = contents([before, 2], ['vi x', 0], ['make test', 0])
    expect(content).toContain(`What failed: \`${before}\``)
    expect(content).not.toContain('in front')
  })

  test('that was over leaves open whether the pass only had more of it', () => {
    const after = (later: string) => contents(['timeout 60 make test', 124], ['vi x', 0], [later, 0]).length
    expect([after('make test'), after('timeout 600 make test'), after('timeout 60 make test')]).toEqual([0, 0, 1])
  })

  test('that is lifted is no change of what it bounds', () => {
    expect(contents(['timeout 60 make test', 2], ['ls', 0], ['make test', 0])).toEqual([])
  })
})

describe('another command stays', () => {
  test.each([
    ['a program under another Python', 'python3.11 -m pytest', 'python3.12 -m pytest'],
    ['a module that is no program of its name', 'shop', 'python -m shop'],
    ['a program with other arguments', 'sudo make', 'sudo make install'],
    ['a program that has the name of a person', 'ann status', 'sudo -u ann status'],
  ])('%s', (_, before, after) => {
    expect(contents([before, 2], ['vi x', 0], [after, 0])).toEqual([])
  })
})
