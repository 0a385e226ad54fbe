import { describe, expect, test } from 'bun:test'
import { MemoryError } from '../../../src/model/memory-error.ts'
import { type CompletionSources, completedLine } from '../../../src/surfaces/repl/completion.ts'

const NAMES = {
  path: ['procedures/fix-a.json', 'procedures/fix-b.json', 'session/trajectories/run 1.log'],
  experience: ['procedures/fix-a.json', 'procedures/fix-b.json'],
  session: ['fix-1', 'other'],
  concept: ['build cache', 'retries'],
}

const sources: CompletionSources = {
  known: async (source) => NAMES[source],
  filesIn: (folder) => (folder === 'logs/' ? ['a.log', 'old/'] : ['logs/', 'x.txt']),
  resultCount: () => 2,
}

const complete = async (line: string) => (await completedLine(line, sources)).candidates

describe('Tab', () => {
  test.each([
    ['/rec', ['recall']],
    ['/memory re', ['recall', 'remember']],
    ['/session l', ['list']],
    ['/session fix', ['fix-1']],
    ['/session d', ['default']],
    ['/index ', ['stats', 'export', 'when_to_use', 'when_to_use_content', 'default'].slice(2)],
    ['/limit ', ['default']],
    ['/help rea', ['read']],
    ['/read p', ['procedures/fix-a.json', 'procedures/fix-b.json']],
    ['/read procedures/fix-b', ['procedures/fix-b.json']],
    ['/read s', ['"session/trajectories/run 1.log"']],
    ['/read "session/tr', ['"session/trajectories/run 1.log"']],
    ['/read ', ['1', '2', ...NAMES.path.slice(0, 2), '"session/trajectories/run 1.log"']],
    ['/read x --ki', ['--kind']],
    ['/read x --kind ', ['experience', 'trajectory']],
    ['/read --kind experience procedures/fix-a', ['procedures/fix-a.json']],
    ['/read x ', ['--kind', '--offset', '--length']],
    ['/search x --index when_to_use_', ['when_to_use_content']],
    ['/search x --q', ['--quiet']],
    ['/recall x --session ', ['fix-1', 'other']],
    ['/recall x --types e', ['episodic']],
    ['/memory history b', ['"build cache"']],
    ['/show o', ['other']],
    ['/used ', ['1', '2', ...NAMES.experience]],
    ['/inspect l', ['logs/']],
    ['/inspect logs/', ['logs/a.log', 'logs/old/']],
    ['/tokens x.txt l', ['logs/']],
    ['/status ', []],
    ['/nope x', []],
    ['words of a search', []],
    ['//read', []],
  ] as const)('behind %j offers %j', async (line, candidates) => {
    expect(await complete(line)).toEqual([...candidates])
  })

  test('goes on from the part of the line that it stands for', async () => {
    expect((await completedLine('/read "session/tr', sources)).typed).toBe('"session/tr')
    expect((await completedLine('/memory re', sources)).typed).toBe('re')
    expect((await completedLine('/read ', sources)).typed).toBe('')
  })

  test('offers no name that would steer the terminal, nor one of two lines', async () => {
    const hostile = { ...sources, known: async () => ['fix-\u001b[2J', 'fix-\nx', 'fix-1'] }
    for (const line of ['/session fix', '/show fix', '/memory history fix'])
      expect((await completedLine(line, hostile)).candidates).toEqual(['fix-1'])
  })

  test('offers nothing where the workspace cannot be asked', async () => {
    const broken = { ...sources, known: () => Promise.reject(new MemoryError('memory_corrupt', 'broken')) }
    for (const line of ['/read p', '/session fix', '/show o'])
      expect((await completedLine(line, broken)).candidates.filter((one) => one !== 'default')).toEqual([])
  })
})
