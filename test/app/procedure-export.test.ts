import { beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { skillNames } from '../../src/app/export/skill-names.ts'
import { skillText } from '../../src/app/export/skill-text.ts'
import type { Experience } from '../../src/model/experience.ts'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { digest } from '../fakes/digest.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

const DIR = '/home/dev/skills'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
})

function keep(name: string, fields: Partial<Experience> = {}): void {
  const experience = {
    description: 'Rebuild the index',
    'when-to-use': 'After a change of its settings.',
    content: 'Rebuild, then repeat a known query.',
    sources: ['session/trajectories/run.jsonl'],
    ...fields,
  }
  machine.files.write(`${ROOT}/procedures/${name}.json`, JSON.stringify(experience))
}

const run = (...argv: string[]) => runCaptured(argv, machine)
const exported = async (format = 'skills', dir = DIR) => {
  const { exit, out, error } = await run('export', format, dir, '--json')
  return { exit, error, ...JSON.parse(out) }
}

interface Skill {
  readonly head: Readonly<Record<string, unknown>>
  readonly body: string
}

/** What a loader of skills makes of the file. */
function loaded(text: string): Skill {
  const [, head = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? []
  return { head: Bun.YAML.parse(head) as Skill['head'], body }
}

const skill = (name: string) => loaded(machine.files.text(`${DIR}/${name}/SKILL.md`))

describe('export skills', () => {
  test('makes a folder of each experience, with its situation in the description', async () => {
    keep('rebuild-index')
    keep('another', { 'when-to-use': 'when it rains', sources: [] })
    expect(await exported()).toMatchObject({
      ...{ exit: 0, format: 'skills', dir: DIR, experiences: 2 },
      ...{ files: ['another/SKILL.md', 'rebuild-index/SKILL.md'], stale: [], pending: [], invalid: [] },
    })
    const { head, body } = skill('rebuild-index')
    expect(head).toMatchObject({
      name: 'rebuild-index',
      description: 'Rebuild the index. Use when: After a change of its settings.',
      metadata: { 'exported-by': 'knowhow', experience: 'procedures/rebuild-index.json' },
    })
    for (const part of [
      '## What to do\n\nRebuild, then repeat',
      '> - session/trajectories/run.jsonl',
      'not an instruction',
    ])
      expect(body).toContain(part)
    expect(skill('another').head.description).toBe('Rebuild the index. Use when it rains')
    expect(skill('another').body).toContain('> Sources: none')
  })

  test('tells people where they are and what was left out', async () => {
    keep('rebuild-index')
    machine.files.write(`${ROOT}/procedures/broken.json`, '{')
    const { exit, out } = await run('export', 'skills', DIR)
    expect({ exit, out }).toEqual({
      exit: 0,
      out: expect.stringMatching(/^\/home\/dev\/skills {2}skills, 1 experience\nnot an experience: .*broken\.json/),
    })
    expect(await exported()).toMatchObject({ invalid: [{ path: 'procedures/broken.json' }] })
  })

  test('of what does not fit into the description keeps all in the body', async () => {
    const when = 'while 🗂 something long is going on '.repeat(60).trim()
    keep('long', { description: `${'d'.repeat(500)} end`, 'when-to-use': when })
    await exported()
    const { head, body } = skill('long')
    const description = String(head.description)
    expect(description.length).toBeLessThanOrEqual(1024)
    expect(description).toMatch(/^d{399}… Use when: while .* \S+…$/)
    expect(description.isWellFormed()).toBe(true)
    expect(body).toContain(`## When to use\n\n${when}\n`)
  })

  test('makes the missing folders above it', async () => {
    keep('a')
    expect(await exported('skills', '/home/dev/new/.agent/skills')).toMatchObject({ exit: 0, experiences: 1 })
  })

  test('of a workspace that is not there makes an empty folder', async () => {
    expect(await exported()).toMatchObject({ exit: 0, experiences: 0, files: [] })
    expect(machine.files.names(DIR)).toEqual([])
  })

  test('gives every name that reads as something else in YAML in quotes', async () => {
    for (const name of ['null', 'true', 'no', '12', '1e3', '2026-01-02', '0x1f']) keep(name)
    const { files } = await exported()
    for (const file of files) expect(skill(file.split('/')[0]).head.name).toBe(file.split('/')[0])
  })
})

describe('a skill that is there', () => {
  const path = `${DIR}/a/SKILL.md`

  beforeEach(async () => {
    keep('a')
    await exported()
    keep('a', { content: 'another way' })
  })

  test('is replaced where it is as it was exported, whatever git did to its line ends', async () => {
    machine.files.write(path, machine.files.text(path).replaceAll('\n', '\r\n'))
    expect(await exported()).toMatchObject({ exit: 0 })
    expect(skill('a').body).toContain('another way')
  })

  test.each([
    ['was changed by hand', (text: string) => `${text}my own words\n`],
    ['has another front matter', (text: string) => text.replace('Use when', 'Use as')],
    ['is somebody else’s', () => '---\nname: a\ndescription: mine\n---\nmine\n'],
    ['only claims to be exported', () => '---\nname: a\ndescription: d\nmetadata:\n  exported-by: knowhow\n---\n'],
    ['is empty', () => ''],
  ])('and %s is left alone, and nothing is written', async (_, changed) => {
    const mine = changed(machine.files.text(path))
    machine.files.write(path, mine)
    keep('0-before')
    const { exit, error } = await exported()
    expect({ exit, error }).toMatchObject({ exit: 1, error: { code: 'name_taken' } })
    expect(error.message).toContain(path)
    expect(machine.files.text(path)).toBe(mine)
    expect(machine.files.names(DIR)).toEqual(['a'])
  })

  test.each([
    ['a file', () => machine.files.write(`${DIR}/b`, 'mine')],
    ['a link', () => machine.files.linkTo(`${DIR}/b`, '/elsewhere')],
  ])('%s in the place of its folder is left alone', async (_, make) => {
    make()
    keep('b')
    expect(await exported()).toMatchObject({ exit: 1, error: { code: 'name_taken' } })
  })

  test('whose experience is gone is told, and left where it is', async () => {
    machine.files.remove(`${ROOT}/procedures/a.json`)
    machine.files.write(`${DIR}/own/SKILL.md`, 'mine')
    keep('b')
    expect(await exported()).toMatchObject({ files: ['b/SKILL.md'], stale: ['a/SKILL.md'] })
    expect((await run('export', 'skills', DIR)).out).toContain('left as it is: a/SKILL.md')
    expect(machine.files.names(`${DIR}/a`)).toEqual(['SKILL.md'])
  })

  test('is not written again where nothing changed', async () => {
    await exported()
    const before = machine.files.stat(path)
    await exported()
    expect(machine.files.stat(path)).toEqual(before)
  })
})

describe('export refuses', () => {
  test.each([
    ['the workspace', ROOT],
    ['a folder in the workspace', `${ROOT}/skills`],
  ])('%s', async (_, dir) => {
    keep('a')
    const { exit, error } = await exported('skills', dir)
    expect({ exit, code: error.code }).toEqual({ exit: 2, code: 'invalid_argument' })
    expect(machine.files.stat(`${ROOT}/a`)).toBeNull()
  })

  test('a folder around the workspace where a skill would lie in it', async () => {
    keep('w')
    const { exit, error } = await runCaptured(['export', 'skills', '/x', '--workspace', '/x/w'], machine)
    expect({ exit, error }).toMatchObject({ exit: 0 })
    machine.files.write('/x/w/procedures/w.json', machine.files.text(`${ROOT}/procedures/w.json`))
    const refused = await runCaptured(['export', 'skills', '/x', '--workspace', '/x/w'], machine)
    expect(refused).toMatchObject({ exit: 2, error: expect.stringContaining('lies in the workspace') })
  })

  test('a file, an unknown format and no folder', async () => {
    machine.files.write(DIR, 'mine')
    expect(await exported()).toMatchObject({ exit: 1, error: { code: 'not_a_file' } })
    expect((await run('export', 'zip', DIR)).exit).toBe(2)
    expect((await run('export', 'skills')).exit).toBe(2)
    expect((await run('export', 'skills', '')).exit).toBe(2)
  })
})

describe('export jsonl', () => {
  const lines = () => machine.files.text(`${DIR}/experiences.jsonl`).split('\n').slice(0, -1)

  test('writes one experience a line, sorted, and their sum', async () => {
    keep('b', { content: 'two\nlines\u2028' })
    keep('a')
    const files = ['experiences.jsonl', 'experiences.jsonl.sha256']
    expect(await exported('jsonl')).toMatchObject({ exit: 0, format: 'jsonl', experiences: 2, files })
    const [first, second] = lines().map((line) => JSON.parse(line))
    expect(Object.keys(first)).toEqual(['path', 'version', 'description', 'when-to-use', 'content', 'sources'])
    expect([first.path, second.path]).toEqual(['procedures/a.json', 'procedures/b.json'])
    expect(second.content).toBe('two\nlines\u2028')
    const bytes = new TextEncoder().encode(machine.files.text(`${ROOT}/procedures/a.json`))
    expect(first.version).toBe(digest.sha256(bytes))
    const sum = digest.sha256(machine.files.read(`${DIR}/experiences.jsonl`) ?? new Uint8Array())
    expect(machine.files.text(`${DIR}/experiences.jsonl.sha256`)).toBe(`${sum}  experiences.jsonl\n`)
  })

  test('replaces what it wrote, and nothing that was changed since', async () => {
    keep('a')
    await exported('jsonl')
    keep('b')
    expect(await exported('jsonl')).toMatchObject({ exit: 0, experiences: 2 })
    machine.files.write(`${DIR}/experiences.jsonl`, `${lines()[0]}\n`)
    const { exit, error } = await exported('jsonl')
    expect({ exit, code: error.code }).toEqual({ exit: 1, code: 'name_taken' })
    expect(lines()).toHaveLength(1)
  })

  test('goes on where a run was stopped between the lines and their sum', async () => {
    keep('a')
    await exported('jsonl')
    const sum = machine.files.text(`${DIR}/experiences.jsonl.sha256`)
    keep('b')
    await exported('jsonl')
    machine.files.write(`${DIR}/experiences.jsonl.sha256`, sum)
    expect(await exported('jsonl')).toMatchObject({ exit: 0, experiences: 2 })
    expect(machine.files.text(`${DIR}/experiences.jsonl.sha256`)).not.toBe(sum)
  })
})

const HOSTILE = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc
    .array(
      fc.constantFrom(
        ...[
          '---',
          '\n---\n',
          '```',
          '\n```js\n',
          '\n~~~~\n',
          '"',
          "'",
          '\\',
          ': ',
          '# ',
          '<system>',
          '</skill>',
          '\r\n',
          '\u0000',
        ],
        ...[
          '\u001b[2J',
          '\u202e',
          '\u2028',
          '\u0085',
          '\ufeff',
          '*x',
          '&y',
          '{{',
          '%',
          '@',
          '`',
          '- ',
          '!!js',
          '💾',
          'word ',
        ],
      ),
      { maxLength: 40 },
    )
    .map((parts) => parts.join('')),
)

test('no text breaks the file of a skill', () => {
  fc.assert(
    fc.property(HOSTILE, HOSTILE, HOSTILE, HOSTILE, (description, whenToUse, content, source) => {
      const experience = { description, 'when-to-use': whenToUse, content, sources: [source] }
      const text = skillText('a', { path: 'procedures/a.json', version: 'f'.repeat(64), experience }, digest)
      const { head, body } = loaded(text)
      expect(Object.keys(head)).toEqual(['name', 'description', 'metadata'])
      expect(Object.keys(head.metadata as object)).toEqual(['exported-by', 'experience', 'version', 'checksum'])
      const shown = String(head.description)
      expect(shown).not.toMatch(/[<>\n]/)
      expect(shown.trim()).not.toBe('')
      expect(shown.length).toBeLessThanOrEqual(1024)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be left
      expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\ufeff]/)
      expect(headings(body)).toEqual(expect.arrayContaining(['## When to use', '## What to do']))
    }),
  )
})

/** Lines that are headings for a reader of Markdown: those in no block of code. */
function headings(body: string): readonly string[] {
  let open = ''
  return body.split('\n').filter((line) => {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    const rest = line.trimStart().slice(fence.length)
    if (open !== '') {
      if (fence.startsWith(open) && rest.trim() === '') open = ''
      return false
    }
    if (fence !== '' && !(fence.startsWith('`') && rest.includes('`'))) open = fence
    return open === '' && line.startsWith('## ')
  })
}

describe('names of skills', () => {
  const word = fc.stringMatching(/^[a-z0-9]{1,30}$/)
  const name = fc
    .array(word, { minLength: 1, maxLength: 9 })
    .map((words) => words.join('-').slice(0, 100).replace(/-$/, ''))

  test('are of 64 characters at most, distinct, and those of the experiences where they fit', () => {
    fc.assert(
      fc.property(fc.uniqueArray(name, { maxLength: 40 }), (names) => {
        const found = skillNames(names, digest)
        expect(new Set(found.values()).size).toBe(names.length)
        for (const [from, to] of found) {
          expect(to).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/)
          expect(to.length).toBeLessThanOrEqual(64)
          if (from.length <= 64) expect(to).toBe(from)
        }
      }),
    )
  })

  test('stay what they are when other experiences come', () => {
    const long = `${'long-'.repeat(16)}name`
    expect(skillNames([long, `${long}-2`, 'x'], digest).get(long)).toBe(skillNames([long], digest).get(long))
  })

  test('are distinct where somebody has taken a shortened one', () => {
    const long = `${'long-'.repeat(16)}name`
    const short = skillNames([long], digest).get(long) ?? ''
    const both = skillNames([long, short], digest)
    expect(both.get(short)).toBe(short)
    expect(both.get(long)).not.toBe(short)
  })
})

describe.each(['skills', 'jsonl'])('a run of export %s that is stopped at any moment', (format) => {
  async function stopped(left: (files: FakeMachine['files'], seed: number) => FakeMachine['files']) {
    keep('a')
    keep('b')
    await exported(format)
    keep('a', { content: 'another way' })
    keep('c')
    const found: FakeMachine['files'][] = []
    machine.watcher = ({ changes, path }) => {
      if (changes && path.startsWith(DIR)) found.push(left(machine.files, found.length))
    }
    await machine.run('procedure_export', { format, dir: DIR })
    expect(found.length).toBeGreaterThan(5)
    return found
  }

  async function requireWhole(files: FakeMachine['files']): Promise<void> {
    const next = new FakeMachine(files, machine.ids)
    next.running.clear()
    const before = files.text(`${DIR}/${format === 'skills' ? 'a/SKILL.md' : 'experiences.jsonl'}`)
    expect(before).toMatch(/Rebuild, then repeat|another way/)
    await next.run('procedure_export', { format, dir: DIR })
    expect(JSON.stringify(files.tree())).not.toContain('.tmp')
    const after = files.text(`${DIR}/${format === 'skills' ? 'c/SKILL.md' : 'experiences.jsonl'}`)
    expect(after.endsWith('\n')).toBe(true)
  }

  test('leaves every file whole, old or new, and the next one ends it', async () => {
    for (const files of await stopped((all) => all.killed())) await requireWhole(files)
  })

  test('by a power cut does so too', async () => {
    for (const files of await stopped((all, seed) => all.crash({ seed }))) await requireWhole(files)
  })
})
