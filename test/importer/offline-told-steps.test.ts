/** How the offline extractor tells of calls that did not do what they were to do, and of what must not be shown as it stands. */
import { describe, expect, test } from 'bun:test'
import { extractOffline } from '../../src/importer/offline/extract-offline.ts'
import { fromLog, LIMITS } from './extracted-log.ts'

type Said = readonly [name: string, given: unknown, answer: string]

const chat = (...said: readonly Said[]) =>
  JSON.stringify({
    messages: [
      { role: 'user', content: 'Mend the build.' },
      ...said.flatMap(([name, given, content], at) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: `c${at}`, type: 'function', function: { name, arguments: JSON.stringify(given) } }],
        },
        { role: 'tool', tool_call_id: `c${at}`, content },
      ]),
    ],
  })

describe('an edit that was not made', () => {
  const EDIT = { path: 'a.mk', old_string: 'a', new_string: 'b' }
  const learnt = (answer: string, ...others: readonly Said[]) => {
    const text = chat(
      ['bash', { command: 'make' }, 'error: no rule x\nexit code: 2'],
      ['edit_file', EDIT, answer],
      ...others,
      ['bash', { command: 'make' }, 'built\nexit code: 0'],
    )
    return extractOffline({ text, format: 'json' }, LIMITS).experiences
  }
  const OTHER: Said = ['edit_file', { ...EDIT, path: 'b.mk' }, 'edited']

  test.each([
    [
      '<tool_use_error>String to replace not found in file.</tool_use_error>',
      'this failed: String to replace not found in file.',
    ],
    [
      '<tool_use_error>String to replace not found in file.\nString: a',
      'this failed: String to replace not found in file.',
    ],
    ['User rejected the edit.', 'this was refused, and not done'],
    ['The user declined this change.', 'this was refused, and not done'],
    ['[Request interrupted by user for tool use]', 'this was refused, and not done'],
    ['half of it\n[Request interrupted by user for tool use]', 'this was interrupted'],
  ])('is told as such, and is no change: %j', (answer, told) => {
    expect(learnt(answer)).toEqual([])
    expect(learnt(answer, OTHER)[0]?.content).toContain(
      `Done in between:\n1. edit a.mk: replace \`a\` with \`b\` (${told})\n2. edit b.mk: replace \`a\` with \`b\`\n`,
    )
  })
})

describe('an edit that the same tool takes back', () => {
  const edit = (before: string, after: string, path = 'a.mk'): Said => [
    'edit_file',
    { path, old_string: before, new_string: after },
    'edited',
  ]
  const FAILS: Said = ['bash', { command: 'make' }, 'error: no rule x\nexit code: 2']
  const PASSES: Said = ['bash', { command: 'make' }, 'built\nexit code: 0']
  const learnt = (...said: readonly Said[]) =>
    extractOffline({ text: chat(...said), format: 'json' }, LIMITS).experiences.length

  test('is no change between a failure and a pass, and no evidence where it goes after the pass', () => {
    expect(learnt(FAILS, edit('a', 'b'), edit('b', 'a'), PASSES)).toBe(0)
    expect(learnt(FAILS, edit('a', 'b'), PASSES, edit('b', 'a'))).toBe(0)
  })

  test('is one where something stays', () => {
    expect(learnt(FAILS, edit('a', 'b'), edit('c', 'd'), PASSES, edit('b', 'a'))).toBe(1)
    expect(learnt(FAILS, edit('a', 'b'), PASSES, edit('b', 'a', 'b.mk'))).toBe(1)
    expect(learnt(FAILS, edit('a', 'b'), edit('b', 'a'), edit('a', 'b'), PASSES)).toBe(1)
    expect(learnt(edit('a', 'b'), FAILS, edit('b', 'a'), PASSES)).toBe(1)
    expect(learnt(FAILS, edit('a', 'b'), PASSES, edit('b', 'a'), edit('a', 'b'), PASSES)).toBe(1)
  })
})

describe('a command that ran out of time', () => {
  const learnt = (command: string, output = 'listening on 3000') =>
    fromLog(`$ ${command}\n${output}\n[exit 124]\n$ vi a.js\n$ ${command}\ndone\n[exit 0]\n$ exit\n`).experiences

  test('is told so, by the time that it had', () => {
    expect(learnt('timeout 5 npm start')).toMatchObject([
      {
        description: 'Get `npm start` to pass after it failed with: out of time, stopped by `timeout 5`',
        content: expect.stringContaining('What failed: `timeout 5 npm start`\n    listening on 3000\n'),
      },
    ])
    expect(learnt('timeout -k 1 2m npm test', 'Error: no cart')[0]?.['when-to-use']).toBe(
      'When `npm test` fails with: out of time, stopped by `timeout 2m`',
    )
  })

  test('is one only where a bound stands in front of it', () => {
    expect(learnt('npm start')[0]?.description).toEndWith('with: no error message, exit code 124')
  })
})

test('no character that turns the direction of reading comes from a log into an experience', () => {
  const turned = '\u202e\u2066\u200f\u061c'
  const { experiences } = extractOffline(
    {
      text: chat(
        ['bash', { command: `make ${turned}all` }, `error: ${turned}no rule x\nexit code: 2`],
        ['edit_file', { path: 'a.mk', old_string: `a${turned}`, new_string: `${turned}b` }, 'edited'],
        ['bash', { command: `make ${turned}all` }, `built ${turned}all\nexit code: 0`],
      ).replace('the build', `the ${turned}build`),
      format: 'json',
    },
    LIMITS,
  )
  expect(experiences).toMatchObject([
    {
      description: 'Get `make all` to pass after it failed with: error: no rule x',
      'when-to-use': 'When `make all` fails with: error: no rule x, while asked to: "Mend the build."',
    },
  ])
  expect(JSON.stringify(experiences)).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
})
