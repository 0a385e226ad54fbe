/** Files that were written and that no view takes: what the journal remembers of them, and how they come to an end. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { ExperienceWriter } from '../../src/experiences/experience-writer.ts'
import { OperationJournal } from '../../src/experiences/operation-journal.ts'
import { PendingFiles } from '../../src/experiences/pending-files.ts'
import { recoverOperations } from '../../src/experiences/recovery.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import type { RequestId } from '../../src/model/request-id.ts'
import { TOKEN_LIMITS } from '../../src/model/token-limits.ts'
import type { Files } from '../../src/ports.ts'
import type { TakenIn } from '../../src/search/vector-supply.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { openForWriting, type WorkspacePorts, type WritableWorkspace } from '../../src/workspace/workspace.ts'
import { CountingIds } from '../fakes/counting-ids.ts'
import { digest } from '../fakes/digest.ts'
import { FixedClock } from '../fakes/fixed-clock.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'
import { MemoryLock } from '../fakes/memory-lock.ts'
import { watchedFiles } from '../fakes/watched-files.ts'
import { wordTokenizer } from '../fakes/word-tokenizer.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)
const SOURCE = 'session/trajectories/run.log'
const PATH = 'procedures/clear-cache.json'
const TEXTS = { description: 'Clear the cache', 'when-to-use': 'When builds are stale', content: 'Remove .cache.' }
const REFUSED = { refused: 'it does not like caches' }

const ids = new CountingIds()
let files: MemoryFiles
let workspace: WritableWorkspace
let writer: ExperienceWriter
/** What the views say of each file they are shown; what they were shown, and whether as a repetition. */
let answer: TakenIn | MemoryError
let shown: boolean[]

beforeEach(() => {
  files = new MemoryFiles()
  answer = REFUSED
  reopen()
})

afterEach(() => workspace[Symbol.dispose]())

const views = {
  mayWait: true,
  takeIn: async (_path: string, _read: unknown, asksAgain: boolean): Promise<TakenIn> => {
    shown.push(asksAgain)
    if (answer instanceof MemoryError) throw answer
    return answer
  },
}

function portsOver(port: Files): WorkspacePorts {
  return { files: port, lock: new MemoryLock(), clock: new FixedClock(), ids, digest }
}

/** Ends the process, in effect, and begins another. */
function reopen(request = 'r'): void {
  workspace?.[Symbol.dispose]()
  shown = []
  workspace = openForWriting(portsOver(files), layout, {
    pid: 1,
    command: 'test',
  })
  writer = new ExperienceWriter(workspace, {
    request: request as RequestId,
    tokenizer: wordTokenizer,
    limits: TOKEN_LIMITS,
    views,
  })
}

const create = () => writer.create('k', 'clear-cache', TEXTS, [SOURCE])
const recover = () => recoverOperations(workspace, { views, hasSecret: () => false, asksAgain: true })
async function pendingForReaders() {
  const pending = new PendingFiles(portsOver(files), layout)
  await pending.prepare()
  return [...pending.now().values()].flat()
}

const pendingHere = () => writer.pending(() => true)

/** As a refused write leaves it. */
async function createRefused(): Promise<string> {
  const { version } = await create()
  return version
}

test('a refused file stays where it is, and readers are told of it', async () => {
  const written = await create()
  expect(written).toEqual({
    status: 'index_pending',
    path: PATH,
    version: expect.any(String),
    error: REFUSED.refused,
  })
  expect(JSON.parse(files.text(`/w/${PATH}`))).toMatchObject(TEXTS)
  expect(await pendingForReaders()).toEqual([{ path: PATH, version: written.version, error: REFUSED.refused }])
})

test('the same write repeated asks again, and is committed once it is taken', async () => {
  const version = await createRefused()
  expect(await create()).toMatchObject({ status: 'index_pending', version })
  answer = 'whole'
  expect(await create()).toEqual({ status: 'committed', path: PATH, version })
  expect(shown).toEqual([false, true, true])
  expect(await pendingForReaders()).toEqual([])
})

test('an embedder that cannot be had makes nothing pending, and ends nothing that is', async () => {
  answer = 'owing'
  expect(await create()).toMatchObject({ status: 'committed' })
  answer = REFUSED
  const { version } = await writer.update(
    'u',
    PATH,
    digest.sha256(files.read(`/w/${PATH}`) ?? new Uint8Array()),
    { content: 'New.' },
    [SOURCE],
  )
  answer = 'owing'
  expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'pending', error: REFUSED.refused }])
  expect(await pendingForReaders()).toMatchObject([{ version }])
})

test('a view that fails is one that does not take the file', async () => {
  answer = new MemoryError('io_failed', 'the folder of experiences cannot be listed')
  expect(await create()).toMatchObject({ status: 'index_pending', error: expect.stringContaining('cannot be listed') })
})

describe('a correction ends it for good', () => {
  test('by the model, under another key', async () => {
    const version = await createRefused()
    answer = 'whole'
    expect(await writer.update('mend', PATH, version, { content: 'Another text.' }, [SOURCE])).toMatchObject({
      status: 'committed',
    })
    expect(pendingHere()).toEqual([])
    // Also when somebody puts the refused bytes back.
    files.write(`/w/${PATH}`, new TextEncoder().encode(writer.operations[0]?.intent.text))
    expect(await pendingForReaders()).toEqual([])
    await expect(create()).rejects.toMatchObject({ code: 'version_conflict' })
  })

  test('by the model, in another import', async () => {
    const version = await createRefused()
    reopen('later')
    answer = 'whole'
    await writer.update('mend', PATH, version, { content: 'Another text.' }, [SOURCE])
    expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'corrected', error: null }])
    expect(await recover()).toEqual({ operations: [], refused: [], damaged: [] })
  })

  test('by hand', async () => {
    await createRefused()
    files.write(`/w/${PATH}`, JSON.stringify({ ...TEXTS, content: 'By hand.', sources: [] }))
    expect(pendingHere()).toEqual([])
    reopen()
    expect((await recover()).operations).toEqual([])
    expect(JSON.parse(files.text(`/w/${PATH}`))).toMatchObject({ content: 'By hand.' })
  })

  test('that was interrupted between its intent and its file, too', async () => {
    const version = await createRefused()
    answer = 'whole'
    const rename = files.rename
    files.rename = () => {
      throw new MemoryError('io_failed', 'pulled the plug')
    }
    const correction = () => writer.update('mend', PATH, version, { content: 'Another text.' }, [SOURCE])
    await expect(correction()).rejects.toThrow('pulled the plug')
    files.rename = rename
    reopen()
    const outcomes = (await recover()).operations.map(({ outcome }) => outcome)
    expect(outcomes.toSorted()).toEqual(['finished', 'taken_in'])
    expect(JSON.parse(files.text(`/w/${PATH}`))).toMatchObject({ content: 'Another text.' })
    expect(await pendingForReaders()).toEqual([])
  })

  test('which is refused itself, and then it is what is pending', async () => {
    const version = await createRefused()
    const second = await writer.update('mend', PATH, version, { content: 'No better.' }, [SOURCE])
    expect(second).toMatchObject({ status: 'index_pending' })
    expect(pendingHere()).toEqual([{ path: PATH, error: REFUSED.refused }])
    expect(await pendingForReaders()).toEqual([{ path: PATH, version: second.version, error: REFUSED.refused }])
  })
})

describe('the next writer', () => {
  test('asks again, and says what is still not taken', async () => {
    await createRefused()
    reopen()
    expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'pending', error: REFUSED.refused }])
    expect(shown).toEqual([true])
    answer = 'whole'
    expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'taken_in', error: null }])
    expect((await recover()).operations).toEqual([])
  })

  test('never makes a file again that a hand has deleted', async () => {
    await createRefused()
    files.remove(`/w/${PATH}`)
    reopen()
    expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'removed', error: null }])
    expect(files.stat(`/w/${PATH}`)).toBeNull()
  })

  test('nor one that was published by a run that was stopped while it asked the embedder', async () => {
    answer = new MemoryError('interrupted', 'interrupted')
    await expect(create()).rejects.toMatchObject({ code: 'interrupted' })
    expect(files.stat(`/w/${PATH}`)).not.toBeNull()
    files.remove(`/w/${PATH}`)
    answer = 'whole'
    reopen()
    expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'superseded', error: null }])
    expect(files.stat(`/w/${PATH}`)).toBeNull()
  })
})

test('a passing fault of the disk loses nothing that was begun', async () => {
  const rename = files.link
  files.link = () => {
    throw new MemoryError('io_failed', 'pulled the plug')
  }
  await expect(create()).rejects.toThrow('pulled the plug')
  files.link = rename
  reopen()
  const stat = files.stat
  files.stat = (path) => {
    if (path.endsWith('clear-cache.json')) throw new MemoryError('io_failed', 'it did not answer')
    return stat.call(files, path)
  }
  await expect(recover()).rejects.toThrow('it did not answer')
  files.stat = stat
  answer = 'whole'
  expect((await recover()).operations).toEqual([{ path: PATH, outcome: 'finished', error: null }])
})

test('a journal from elsewhere that speaks of a file outside is closed, and that file is not looked at', async () => {
  files.write('/secret/x.json', JSON.stringify({ ...TEXTS, sources: [] }))
  using journal = new OperationJournal(workspace.ports, layout, 'theirs' as RequestId)
  const text = files.text('/secret/x.json')
  const version = digest.sha256(new TextEncoder().encode(text))
  const path = 'procedures/../../secret/x.json'
  journal.begin({ key: '0/k', action: 'created', path, prior: null, version, text, payload: '0'.repeat(64) })
  journal.notePending('0/k', 'because')
  expect(await recover()).toMatchObject({ operations: [], refused: [{ error: expect.stringContaining('..') }] })
  expect(shown).toEqual([])
  expect(await pendingForReaders()).toEqual([])
})

describe('readers', () => {
  test('see what another process has appended meanwhile, and read only what has changed', async () => {
    const reads: string[] = []
    const noting = watchedFiles(files, ({ name, path }) => {
      if (name === 'read') reads.push(path)
    })
    const pending = new PendingFiles(portsOver(noting), layout)
    const now = async () => {
      await pending.prepare()
      return [...pending.now().values()].flat()
    }
    expect(await now()).toEqual([])
    const version = await createRefused()
    expect(await now()).toMatchObject([{ version }])
    reads.length = 0
    expect(await now()).toHaveLength(1)
    expect(reads).toEqual([])
    answer = 'whole'
    await create()
    expect(await now()).toEqual([])
  })

  test('read no journal that another process has read as it is', async () => {
    await createRefused()
    expect(await pendingForReaders()).toHaveLength(1)
    const reads: string[] = []
    const pending = new PendingFiles(
      portsOver(watchedFiles(files, ({ name, path }) => void (name === 'read' && reads.push(path)))),
      layout,
    )
    await pending.prepare()
    expect(pending.now().size).toBe(1)
    expect(reads.filter((path) => path.endsWith('.jsonl'))).toEqual([])
  })

  test.each(['', '{', '00000000{}', '12345678{"version":1,"names":[],"signatures":[],"pending":[]}'])(
    'do without what was kept of the journals when it is %j',
    async (kept) => {
      await createRefused()
      files.write(`/w/${layout.index}/journals.json`, kept)
      expect(await pendingForReaders()).toHaveLength(1)
    },
  )

  test('are told of each version that is pending in several journals', async () => {
    const version = await createRefused()
    reopen('a-later-one')
    const second = await writer.update('u', PATH, version, { content: 'No better.' }, [SOURCE])
    const found = await pendingForReaders()
    expect(found.map((file) => file.version).toSorted()).toEqual([version, second.version].toSorted())
  })

  test('try a journal again that could not be read for a moment, in every process', async () => {
    await createRefused()
    const failing = watchedFiles(files, ({ name, path }) => {
      if (name === 'read' && path.endsWith('r.jsonl')) throw new MemoryError('io_failed', 'too many files are open')
    })
    const pending = new PendingFiles(portsOver(failing), layout)
    await pending.prepare()
    expect(pending.now().size).toBe(0)
    expect(await pendingForReaders()).toHaveLength(1)
  })

  test('learn nothing from a journal that cannot be read, whatever was kept of it, and write nothing for it', async () => {
    await createRefused()
    expect(await pendingForReaders()).toHaveLength(1)
    const journal = `/w/${layout.operations}/r.jsonl`
    files.write(journal, files.text(journal).replace('clear-cache', 'clear-cashe'))
    expect(await pendingForReaders()).toEqual([])
    const changes: string[] = []
    const noting = watchedFiles(files, ({ name, changes: isChange }) => void (isChange && changes.push(String(name))))
    const pending = new PendingFiles(portsOver(noting), layout)
    await pending.prepare()
    pending.now()
    pending.now()
    expect(changes).toEqual([])
  })
})
