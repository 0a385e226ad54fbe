import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ExperienceWriter } from '../../src/experiences/experience-writer.ts'
import { type Intent, OperationJournal } from '../../src/experiences/operation-journal.ts'
import { recoverOperations } from '../../src/experiences/recovery.ts'
import { experienceBytes } from '../../src/model/experience.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { RequestId } from '../../src/model/request-id.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'
import type { Files } from '../../src/ports.ts'
import type { TakenIn } from '../../src/search/vector-supply.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { openForWriting, type WritableWorkspace } from '../../src/workspace/workspace.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { wordTokenizer } from '../fakes/word-tokenizer.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)
const SOURCE = 'session/trajectories/run.log'
const texts = { description: 'Clear the cache', 'when-to-use': 'When builds are stale', content: 'Remove .cache.' }
const PATH = 'procedures/clear-cache.json'

let files: MemoryFiles
let workspace: WritableWorkspace
let writer: ExperienceWriter
let indexed: string[]
let mayWait = false
let takesIn: (path: string) => TakenIn

beforeEach(() => {
  files = new MemoryFiles()
  mayWait = false
  takesIn = () => 'whole'
  reopen()
})

afterEach(() => workspace[Symbol.dispose]())

/** Ends the process, in effect, and begins another. @param port what the new one sees of the disk */
function reopen(port: Files = files): void {
  workspace?.[Symbol.dispose]()
  const ports = { files: port, lock: new MemoryLock(), clock: new FixedClock(), ids: new CountingIds(), digest }
  workspace = openForWriting(ports, layout, { pid: 1, command: 'test' })
  indexed = []
  writer = new ExperienceWriter(workspace, {
    request: 'r' as RequestId,
    tokenizer: wordTokenizer,
    limits: { ...TOKEN_LIMITS, description: 10, when_to_use: 20, content: 30 },
    views: {
      mayWait,
      takeIn: async (path) => {
        indexed.push(path)
        return takesIn(path)
      },
    },
  })
}

const stored = () => JSON.parse(files.text(`/w/${PATH}`))
const hashOf = (text: string) => digest.sha256(new TextEncoder().encode(text))
const setup = {
  views: { mayWait: false, takeIn: async (path: string) => takesIn(path) },
  hasSecret: (text: string) => text.includes('hunter2'),
  asksAgain: true,
}
const words = (count: number) => 'word '.repeat(count).trim()
const refusal = (code: string) => expect.objectContaining({ code })

describe('create', () => {
  test('writes the four fields, names its source, and answers with the hash of the bytes', async () => {
    const result = await writer.create('k', 'clear-cache', texts, [SOURCE])
    expect(stored()).toEqual({ ...texts, sources: [SOURCE] })
    expect(result).toEqual({
      status: 'committed',
      path: PATH,
      version: hashOf(files.text(`/w/${PATH}`)),
    })
    expect(indexed).toEqual([PATH])
  })

  test('accepts a tenth over a target, rounded down, and not one token more', async () => {
    for (const [field, target] of [
      ['description', 10],
      ['when-to-use', 20],
      ['content', 30],
    ] as const) {
      const accepted = Math.floor(target * 1.1)
      await writer.create(`${field}-fits`, `fits-${field}`, { ...texts, [field]: words(accepted) }, [SOURCE])
      await expect(
        writer.create(`${field}-over`, `over-${field}`, { ...texts, [field]: words(accepted + 1) }, [SOURCE]),
      ).rejects.toEqual(
        expect.objectContaining({
          code: 'field_too_long',
          details: { fields: [{ field, tokens: accepted + 1, target }] },
        }),
      )
    }
  })

  test.each(['', 'Upper', 'two words', 'a--b', '-a', 'a-', 'a_b', 'ü', 'a/b', '../a', 'a.b', 'x'.repeat(101)])(
    'refuses the name %j',
    async (name) => {
      await expect(writer.create('k', name, texts, [SOURCE])).rejects.toEqual(refusal('invalid_name'))
    },
  )

  test('refuses a name that is already on the shelf', async () => {
    await writer.create('k', 'clear-cache', texts, [SOURCE])
    await expect(writer.create('other', 'clear-cache', texts, [SOURCE])).rejects.toEqual(refusal('name_taken'))
  })

  test('refuses an empty text', async () => {
    await expect(writer.create('k', 'a', { ...texts, content: ' \n' }, [SOURCE])).rejects.toEqual(
      refusal('invalid_experience'),
    )
  })

  test('repeated with the same key and payload gives the earlier result and writes nothing', async () => {
    const first = await writer.create('k', 'clear-cache', texts, [SOURCE])
    reopen()
    const before = files.tree()
    expect(await writer.create('k', 'clear-cache', texts, [SOURCE])).toEqual(first)
    expect(files.tree()).toEqual(before)
  })

  test('repeated with the same key and another payload is a conflict', async () => {
    await writer.create('k', 'clear-cache', texts, [SOURCE])
    await expect(writer.create('k', 'clear-cache', { ...texts, content: 'Other.' }, [SOURCE])).rejects.toEqual(
      refusal('operation_conflict'),
    )
  })
})

describe('update', () => {
  let version: string

  beforeEach(async () => {
    version = (await writer.create('k', 'clear-cache', texts, [SOURCE])).version
  })

  test('changes the given text, keeps the others, and adds its source once', async () => {
    const other = 'session/trajectories/other.log'
    const second = await writer.update('u', PATH, version, { content: 'Remove it.' }, [other])
    await writer.update('u2', PATH, second.version, { description: 'Clear it' }, [other])
    expect(stored()).toEqual({ ...texts, content: 'Remove it.', description: 'Clear it', sources: [SOURCE, other] })
  })

  test('names each source once, those beside its own included', async () => {
    const before = 'session/trajectories/before.log'
    const later = 'session/trajectories/later.log'
    await writer.update('m', PATH, hashOf(files.text(`/w/${PATH}`)), {}, [later, before, SOURCE, before])
    expect(stored().sources).toEqual([SOURCE, later, before])
    await writer.create('n', 'empty-cache', texts, [later, later, before])
    expect(JSON.parse(files.text('/w/procedures/empty-cache.json')).sources).toEqual([later, before])
    await expect(writer.create('n', 'empty-cache', texts, [later])).rejects.toThrow(refusal('operation_conflict'))
  })

  test('refuses another version than the current one, and says which that is', async () => {
    await expect(writer.update('u', PATH, 'f'.repeat(64), { content: 'x' }, [SOURCE])).rejects.toEqual(
      expect.objectContaining({ code: 'version_conflict', details: { path: PATH, version } }),
    )
  })

  test('sees an edit by hand as another version', async () => {
    files.write(`/w/${PATH}`, JSON.stringify({ ...texts, content: 'By hand.', sources: [] }))
    await expect(writer.update('u', PATH, version, { content: 'x' }, [SOURCE])).rejects.toEqual(
      refusal('version_conflict'),
    )
    expect(stored().content).toBe('By hand.')
  })

  test('leaves a text that is too long by hand alone when it changes another', async () => {
    files.write(`/w/${PATH}`, JSON.stringify({ ...texts, content: words(500), sources: [] }))
    const current = hashOf(files.text(`/w/${PATH}`))
    await writer.update('u', PATH, current, { description: 'Clear it' }, [SOURCE])
    expect(stored()).toMatchObject({ content: words(500), description: 'Clear it' })
  })

  test.each([
    ['procedures/none.json', 'not_found'],
    ['procedures/a/b.json', 'path_outside'],
    ['/w/procedures/clear-cache.json', 'path_outside'],
    ['../x.json', 'path_outside'],
    ['procedures/My_Notes.txt', 'invalid_name'],
    ['procedures/My_Notes.json', 'invalid_name'],
  ])('refuses the path %j as %s', async (path, code) => {
    files.write('/w/procedures/My_Notes.txt', JSON.stringify({ ...texts, sources: [] }))
    files.write('/w/procedures/My_Notes.json', JSON.stringify({ ...texts, sources: [] }))
    const before = files.tree()
    const version = hashOf(files.text('/w/procedures/My_Notes.txt'))
    await expect(writer.update('u', path, version, { content: 'x' }, [SOURCE])).rejects.toEqual(refusal(code))
    expect(files.tree()).toEqual(before)
  })
})

/** The disk, with some of its members replaced. */
function withMembers(members: Partial<Files>): Files {
  return new Proxy<Files>(files, {
    get(target, name) {
      const member = Reflect.get(name in members ? members : target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}

/** A disk that, once armed, fails at its n-th change of any kind. */
function failingAt(step: number): { readonly files: Files; readonly arm: () => void } {
  let armed = false
  let steps = 0
  const count = () => {
    if (armed && ++steps === step) throw new MemoryError('disk_full', 'the test disk is full')
  }
  const counted =
    (name: 'create' | 'link' | 'rename' | 'remove' | 'syncFolder') =>
    (...args: unknown[]) => {
      count()
      return Reflect.apply(files[name], files, args)
    }
  const port = withMembers({
    create: counted('create'),
    link: counted('link'),
    rename: counted('rename'),
    remove: counted('remove'),
    syncFolder: counted('syncFolder'),
    openAppend: (path) => {
      const file = files.openAppend(path)
      return new Proxy(file, {
        get(_, name) {
          const member = Reflect.get(file, name)
          if (typeof member !== 'function') return member
          return (...args: unknown[]) => {
            if (name === 'append' || name === 'sync') count()
            return member.apply(file, args)
          }
        },
      })
    },
  })
  return {
    files: port,
    arm: () => {
      armed = true
    },
  }
}

describe('stopped at any step', () => {
  test('a create is finished by the next writer, or never began', async () => {
    let finished = false
    for (let step = 1; !finished; step++) {
      files = new MemoryFiles()
      reopen()
      const disk = failingAt(step)
      reopen(disk.files)
      disk.arm()
      try {
        await writer.create('k', 'clear-cache', texts, [SOURCE])
        finished = true
      } catch (error) {
        expect(error).toMatchObject({ code: 'disk_full' })
      }
      reopen()
      await recoverOperations(workspace, setup)
      if (files.stat(`/w/${PATH}`) !== null) expect(stored()).toEqual({ ...texts, sources: [SOURCE] })
      expect(files.tree().filter((path) => path.includes('.tmp'))).toEqual([])
      // The model asks again, of who reads the journal after recovery: the same operation, once.
      reopen()
      expect(await writer.create('k', 'clear-cache', texts, [SOURCE])).toMatchObject({
        status: 'committed',
        path: PATH,
      })
      expect((await recoverOperations(workspace, setup)).operations).toEqual([])
    }
  })
})

describe('an open intent', () => {
  /** The journal knows of it, the file is not there yet. */
  async function leaveOpen(action: () => Promise<unknown>): Promise<void> {
    const pull = () => {
      throw new MemoryError('io_failed', 'pulled the plug')
    }
    const broken = withMembers({
      link: pull,
      rename: (from: string, to: string) => (to.endsWith('clear-cache.json') ? pull() : files.rename(from, to)),
    })
    reopen(broken)
    await expect(action()).rejects.toThrow('pulled the plug')
    reopen()
  }

  test('is finished when the destination is as it was', async () => {
    await leaveOpen(() => writer.create('k', 'clear-cache', texts, [SOURCE]))
    expect((await recoverOperations(workspace, setup)).operations).toEqual([
      { path: PATH, outcome: 'finished', error: null },
    ])
    expect(stored()).toEqual({ ...texts, sources: [SOURCE] })
  })

  test('never overwrites what a hand put there', async () => {
    await leaveOpen(() => writer.create('k', 'clear-cache', texts, [SOURCE]))
    files.write(`/w/${PATH}`, '{"mine":true}')
    expect((await recoverOperations(workspace, setup)).operations).toEqual([
      { path: PATH, outcome: 'superseded', error: null },
    ])
    expect(stored()).toEqual({ mine: true })
    expect((await recoverOperations(workspace, setup)).operations).toEqual([])
  })

  test('never recreates what was in place when the folder could not be synced, and was deleted by hand', async () => {
    reopen(
      withMembers({
        syncFolder: (path: string) => {
          if (path === '/w/procedures') throw new MemoryError('io_failed', 'no sync')
          files.syncFolder(path)
        },
      }),
    )
    await expect(writer.create('k', 'clear-cache', texts, [SOURCE])).rejects.toThrow('no sync')
    reopen()
    files.remove(`/w/${PATH}`)
    expect((await recoverOperations(workspace, setup)).operations).toMatchObject([{ outcome: 'superseded' }])
    expect(files.stat(`/w/${PATH}`)).toBeNull()
  })

  test('never recreates what a hand deleted', async () => {
    const { version } = await writer.create('k', 'clear-cache', texts, [SOURCE])
    await leaveOpen(() => writer.update('u', PATH, version, { content: 'New.' }, [SOURCE]))
    files.remove(`/w/${PATH}`)
    expect((await recoverOperations(workspace, setup)).operations).toEqual([
      { path: PATH, outcome: 'superseded', error: null },
    ])
    expect(files.stat(`/w/${PATH}`)).toBeNull()
  })
})

describe('an intent in a journal that came from someone else', () => {
  const LOG = 'metadata/procedure/default/operations/theirs.jsonl'
  const text = new TextDecoder().decode(experienceBytes({ ...texts, sources: [SOURCE] }))

  function journalIntent(changes: Partial<Intent>, key = '0/k'): void {
    using journal = new OperationJournal(workspace.ports, layout, 'theirs' as RequestId)
    const target = { path: PATH, prior: null, version: hashOf(changes.text ?? text), text }
    journal.begin({ key, action: 'created', payload: '0'.repeat(64), ...target, ...changes })
  }

  const recover = () => recoverOperations(workspace, setup)

  test.each([
    ['../../bashrc', { prior: hashOf('old') }],
    ['../evil.json', {}],
    ['/evil.json', {}],
    ['procedures/../../evil.json', {}],
    ['knowhow.json', {}],
    ['procedures/.git', {}],
    ['procedures/con.json', {}],
    ['procedures/A.json', {}],
    ['procedures/a--b.json', {}],
    ['procedures/evil.txt', {}],
    ['procedures/linked/a.json', {}],
    ['procedures/linked.json', {}],
    ['procedures/folder.json', {}],
    ['', {}],
    [PATH, { text: 'not json' }],
    [PATH, { text: '{"description":"d"}' }],
    [PATH, { version: '0'.repeat(64) }],
    [PATH, { text: text.replace('Remove .cache.', 'The password is hunter2.') }],
  ])('is closed, reported and not carried out: %j %j', async (path, changes) => {
    files.write('/bashrc', 'old')
    files.write('/elsewhere/x', '')
    files.linkTo('/w/procedures/linked', '/elsewhere')
    files.linkTo('/w/procedures/linked.json', '/elsewhere/x')
    files.makeFolder('/w/procedures/folder.json')
    journalIntent({ path, ...changes })
    journalIntent({ path: 'procedures/good.json' }, '0/good')
    const before = files.tree()
    expect(await recover()).toEqual({
      operations: [{ path: 'procedures/good.json', outcome: 'finished', error: null }],
      refused: [{ path: LOG, error: expect.stringMatching(/\w/), wasPublished: false }],
      damaged: [],
    })
    expect(files.tree().filter((found) => !before.includes(found))).toEqual(['/w/procedures/good.json'])
    expect(files.text('/bashrc')).toBe('old')
    expect(await recover()).toEqual({ operations: [], refused: [], damaged: [] })
  })

  test('waits for its folder to be the configured one again, and holds nothing else up', async () => {
    journalIntent({ path: 'old/place/waits.json' })
    journalIntent({ path: 'procedures/good.json' }, '0/good')
    const refused = [{ path: LOG, error: expect.stringMatching(/old\/place\/waits.json.*procedure_dir/) }]
    expect(await recover()).toMatchObject({ operations: [{ path: 'procedures/good.json' }], refused })
    expect(await recover()).toMatchObject({ operations: [], refused })
    files.makeFolder('/w/old')
    files.makeFolder('/w/old/place')
    const restored = { ...workspace, layout: { ...layout, procedures: 'old/place' } }
    expect(await recoverOperations(restored, setup)).toMatchObject({
      operations: [{ outcome: 'finished' }],
      refused: [],
    })
    expect(files.text('/w/old/place/waits.json')).toBe(text)
  })
})
