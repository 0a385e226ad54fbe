import { beforeEach, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnyOrama, create, insert, search } from '@orama/orama'
import { persist, restore } from '@orama/plugin-data-persistence'
import { runOperation } from '../../src/app/operation.ts'
import { operationContext } from '../../src/app/operation-table.ts'
import { indexExport } from '../../src/app/operations/index.ts'
import type { Running } from '../../src/importer/running.ts'
import { MemoryError } from '../../src/model/memory-error.ts'
import { diskMachine, runOnDisk } from '../fakes/disk-machine.ts'
import { FakeMachine, ROOT } from '../fakes/fake-machine.ts'

const FILE = '/home/dev/view.json'

let machine: FakeMachine

beforeEach(() => {
  machine = new FakeMachine()
  machine.files.write('/home/dev/notes.txt', 'a folder needs a file')
})

function write(name: string, whenToUse: string, content = 'c'): string {
  const path = `procedures/${name}.json`
  machine.files.write(
    `${ROOT}/${path}`,
    JSON.stringify({ description: 'd', 'when-to-use': whenToUse, content, sources: [] }),
  )
  return path
}

async function restored(): Promise<AnyOrama> {
  return restore('json', new TextDecoder().decode(machine.files.read(FILE) ?? new Uint8Array()))
}

async function found(database: AnyOrama, term: string): Promise<readonly unknown[]> {
  const { hits } = await search(database, { term })
  return hits.map(({ document }) => document)
}

const exportView = (view = 'when_to_use', file = FILE) => machine.run('index_export', { view, file })

async function exportWith(surroundings: Partial<Running>): Promise<unknown> {
  using workspace = machine.open()
  const signal = new AbortController().signal
  const quiet = { progress: () => {}, say: () => {}, yieldToSignals: async () => {}, signal }
  const context = operationContext(workspace, { ...quiet, ...surroundings })
  return await runOperation(indexExport, context, { view: 'when_to_use', file: FILE })
}

describe('index export', () => {
  test('writes a view that any Orama program restores and searches', async () => {
    const path = write('clear-cache', 'builds are stale', 'Remove the directory.')
    write('other', 'a whale is blue')
    const bytes = machine.files.read(`${ROOT}/${path}`) ?? new Uint8Array()
    const answer = await exportView()
    expect(answer).toEqual({
      view: 'when_to_use',
      file: FILE,
      documents: 2,
      bytes: machine.files.stat(FILE)?.bytes,
      words_left_out: 0,
      pending: [],
    })
    const version = machine.digest.sha256(bytes)
    const database = await restored()
    expect(await found(database, 'stale')).toEqual([{ id: path, path, version, text: 'builds are stale' }])
    // Contents belong to the other view, and names and versions are no text.
    for (const term of ['directory', 'procedures', version]) expect(await found(database, term)).toEqual([])
  })

  test('of the view with contents holds both texts', async () => {
    write('clear-cache', 'builds are stale', 'Remove the directory.')
    await exportView('when_to_use_content')
    expect(await found(await restored(), 'directory')).toMatchObject([
      { text: 'builds are stale\n\nRemove the directory.' },
    ])
  })

  test('gives documents that can be chosen by path', async () => {
    const path = write('a', 'stale')
    write('b', 'stale')
    await exportView()
    const { hits } = await search(await restored(), { term: 'stale', where: { path: { eq: path } } })
    expect(hits.map(({ id }) => id)).toEqual([path])
  })

  test('survives words that every JavaScript object knows', async () => {
    write('a', 'constructor, toString, hasOwnProperty and __proto__')
    await exportView()
    expect(await found(await restored(), 'constructor')).toHaveLength(1)
  })

  test('is what stock Orama makes of the same texts', async () => {
    const texts = ["don't run the tests", 'Naïve CAFÉS: foo_bar, fooBar', 'when when when it fails']
    const paths = texts.map((text, at) => write(`n${at}`, text))
    await exportView()
    const stock = create({ schema: { path: 'enum', version: 'enum', text: 'string' }, sort: { enabled: false } })
    for (const [at, path] of paths.entries()) {
      const version = machine.digest.sha256(machine.files.read(`${ROOT}/${path}`) ?? new Uint8Array())
      await insert(stock, { id: path, path, version, text: texts[at] ?? '' })
    }
    expect(new TextDecoder().decode(machine.files.read(FILE) ?? undefined)).toBe(
      (await persist(stock, 'json')) as string,
    )
  })

  test('leaves words out that are too long for Orama, and says how many; the documents keep them', async () => {
    const monster = 'x'.repeat(2_000_000)
    const longest = 'y'.repeat(500)
    const text = `stale ${monster} builds ${longest} ${longest}y`
    write('a', text)
    write('b', 'blue whale')
    expect(await exportView()).toMatchObject({ documents: 2, words_left_out: 2 })
    const database = await restored()
    for (const term of ['stale', 'builds', longest]) expect(await found(database, term)).toMatchObject([{ text }])
    for (const term of ['xxx', `${longest}y`]) expect(await found(database, term)).toEqual([])
  })

  test('counts the words in letters that its tokenizer does not know', async () => {
    write('a', 'stale кеш кеш 缓存 é2e naïve')
    expect(await exportView()).toMatchObject({ documents: 1, words_left_out: 3 })
    const database = await restored()
    expect(await found(database, 'naïve')).toHaveLength(1)
    expect(await found(database, 'кеш')).toEqual([])
  })

  test('leaves out what is no experience', async () => {
    write('a', 'stale')
    machine.files.write(`${ROOT}/procedures/broken.json`, '{')
    expect(await exportView()).toMatchObject({ documents: 1 })
  })

  test('reads the same from the packed base and from files alone', async () => {
    write('b', 'stale builds')
    write('a', 'stale caches')
    await exportView('when_to_use', '/home/dev/files.json')
    await machine.run('procedure_reindex', {})
    await exportView('when_to_use', '/home/dev/base.json')
    expect(machine.files.read('/home/dev/base.json')).toEqual(machine.files.read('/home/dev/files.json'))
  })

  test('of an empty workspace is an empty database, and makes no workspace', async () => {
    expect(await exportView()).toMatchObject({ documents: 0 })
    expect(await found(await restored(), 'stale')).toEqual([])
    expect(machine.files.stat(ROOT)).toBeNull()
  })

  test('never touches a file that exists', async () => {
    machine.files.write(FILE, 'mine')
    await expect(exportView()).rejects.toMatchObject({
      code: 'name_taken',
      message: `${FILE} exists already and is left as it is; name another file`,
    })
    expect(new TextDecoder().decode(machine.files.read(FILE) ?? undefined)).toBe('mine')
  })

  test('that cannot be written names the file that was asked for, and no other', async () => {
    using _ = spyOn(machine.files, 'create').mockImplementation((path) => {
      throw new MemoryError('disk_full', `cannot write ${path}: the disk is full; free space`, { path })
    })
    const path = '/home/dev/export.json'
    await expect(machine.run('index_export', { view: 'when_to_use', file: path })).rejects.toMatchObject({
      code: 'disk_full',
      message: `cannot write ${path}: the disk is full; free space`,
      details: { path },
    })
  })

  test('leaves nothing beside a file that came into being meanwhile', async () => {
    machine.files.write(FILE, 'mine')
    const after = machine.files.tree()
    machine.files.remove(FILE)
    const yieldToSignals = async () => machine.files.write(FILE, 'mine')
    await expect(exportWith({ yieldToSignals })).rejects.toMatchObject({ code: 'name_taken' })
    expect(machine.files.tree()).toEqual(after)
  })

  test('removes what killed exports left beside the file, and nothing of those that still run', async () => {
    const leftOf = (name: string) => machine.files.write(`/home/dev/${name}`, 'half')
    machine.running.add(4712)
    for (const name of ['.knowhow-4700-a1.tmp', '.knowhow-4712-b2.tmp', '.knowhow-note.tmp', '.other-4700-a1.tmp'])
      leftOf(name)
    await exportView()
    expect(machine.files.names('/home/dev')?.toSorted()).toEqual([
      '.knowhow-4712-b2.tmp',
      '.knowhow-note.tmp',
      '.other-4700-a1.tmp',
      'notes.txt',
      'view.json',
    ])
  })

  test('that is killed before its file has its name leaves what the next one removes', async () => {
    const link = spyOn(machine.files, 'link').mockImplementation(() => {
      throw new Error('killed')
    })
    const remove = spyOn(machine.files, 'remove').mockImplementation(() => {})
    await expect(exportView()).rejects.toThrow('killed')
    link.mockRestore()
    remove.mockRestore()
    expect(machine.files.names('/home/dev')).toHaveLength(2)
    machine.running.delete(machine.pid)
    await exportView()
    expect(machine.files.names('/home/dev')?.toSorted()).toEqual(['notes.txt', 'view.json'])
  })

  test.each(['permission_denied', 'io_failed'] as const)(
    'works in a folder whose names cannot be read: %s',
    async (code) => {
      const list = machine.files.list.bind(machine.files)
      spyOn(machine.files, 'list').mockImplementation((path) => {
        if (path === '/home/dev') throw new MemoryError(code, `cannot list ${path}`)
        return list(path)
      })
      expect(await exportView()).toMatchObject({ file: FILE })
    },
  )

  test.each(['permission_denied', 'read_only'] as const)(
    'works where one leftover cannot be removed, and removes the others: %s',
    async (code) => {
      const [stuck, other] = ['/home/dev/.knowhow-4700-a1.tmp', '/home/dev/.knowhow-4701-b2.tmp']
      for (const path of [stuck, other]) machine.files.write(path, 'half')
      const remove = machine.files.remove.bind(machine.files)
      spyOn(machine.files, 'remove').mockImplementation((path) => {
        if (path === stuck) throw new MemoryError(code, `cannot remove ${path}`)
        remove(path)
      })
      expect(await exportView()).toMatchObject({ file: FILE })
      expect([machine.files.stat(stuck), machine.files.stat(other)]).toEqual([expect.anything(), null])
    },
  )

  test('writes nothing when interrupted', async () => {
    await expect(exportWith({ signal: AbortSignal.abort() })).rejects.toMatchObject({ code: 'interrupted' })
    expect(machine.files.stat(FILE)).toBeNull()
  })

  test.each([
    ['a folder that is missing', '/home/none/view.json', 'not_found'],
    ["the workspace's own folders", `${ROOT}/procedures/view.json`, 'invalid_argument'],
  ])('refuses %s', async (_, file, code) => {
    await expect(exportView('when_to_use', file)).rejects.toMatchObject({ code })
  })

  test('refuses an unknown view and names those that there are', async () => {
    await expect(exportView('content')).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'view: takes "when_to_use" or "when_to_use_content", not "content"',
    })
  })

  test('writes to the disk, through a link to a folder, one file and no more', async () => {
    const root = mkdtempSync(join(tmpdir(), 'knowhow-'))
    try {
      mkdirSync(join(root, 'out'))
      symlinkSync(join(root, 'out'), join(root, 'link'))
      const file = join(root, 'link', 'view.json')
      await runOnDisk(diskMachine(), join(root, 'workspace'), 'index_export', { view: 'when_to_use', file })
      expect(readdirSync(join(root, 'out'))).toEqual(['view.json'])
      expect(existsSync(join(root, 'workspace'))).toBe(false)
      await restore('json', readFileSync(file, 'utf8'))
    } finally {
      rmSync(root, { recursive: true, force: true })
    }
  })
})

describe('index stats', () => {
  test('of an empty workspace are zeros, and make no workspace', async () => {
    expect(await machine.run('index_stats', {})).toEqual({
      generation: 0,
      bytes: 0,
      documents: 0,
      invalid: 0,
      terms: 0,
      beside: 0,
      pending: 0,
      analyzer: expect.any(Number),
    })
    expect(machine.files.stat(ROOT)).toBeNull()
  })

  test('tell the packed base and what lies beside it', async () => {
    write('a', 'red apple')
    write('b', 'blue whale')
    expect(await machine.run('index_stats', {})).toMatchObject({ generation: 0, documents: 0, beside: 2 })
    await machine.run('procedure_reindex', {})
    write('c', 'green tree')
    const stats = await machine.run('index_stats', {})
    // red, apple, blue, whale, and the c of the contents.
    expect(stats).toMatchObject({ generation: 1, documents: 2, terms: 5, beside: 1 })
    expect(stats).not.toHaveProperty('vectors')
    expect(stats.bytes).toBe(machine.files.stat(`${ROOT}/metadata/index/base-00000001.knw`)?.bytes)
  })

  test('with an embedder tell the vectors that are there and those that are owed, and ask it nothing', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    write('a', 'red apple')
    await machine.run('procedure_reindex', {})
    write('b', 'blue whale')
    machine.embedder.outage = () => 'the server is away'
    const { vectors } = await machine.run<{ vectors: unknown }>('index_stats', {})
    const one = { documents: 2, present: 1, owed: 1 }
    const onDisk = (machine.files.names(`${ROOT}/metadata/index`) ?? [])
      .filter((name) => name.startsWith('vectors-'))
      .map((name) => machine.files.stat(`${ROOT}/metadata/index/${name}`)?.bytes ?? 0)
    const bytes = onDisk.reduce((sum, each) => sum + each, 0)
    expect(vectors).toEqual({
      packs: onDisk.length,
      bytes,
      embedder_changed: false,
      embedder: 'fake',
      when_to_use: one,
      when_to_use_content: one,
    })
  })
})

describe('reindex in a folder that cannot be written', () => {
  beforeEach(() => {
    write('a', 'red fox')
  })

  test('fails, naming why, and before it pays for a vector', async () => {
    machine.environment = { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL_NAME: 'small' }
    machine.files.write(`${ROOT}/metadata/index`, 'in the way')
    await expect(machine.run('procedure_reindex', {})).rejects.toMatchObject({
      code: 'index_corrupt',
      message: expect.stringMatching(
        /^the index could not be written to metadata\/index \(.*metadata\/index.*\); mend that/,
      ),
    })
    expect(machine.embedder.texts).toEqual([])
  })

  test('leaves searches and what they tell right', async () => {
    machine.files.makeFolder('/elsewhere')
    machine.files.makeFolder(`${ROOT}/metadata`)
    machine.files.linkTo(`${ROOT}/metadata/index`, '/elsewhere')
    await expect(machine.run('procedure_reindex', {})).rejects.toMatchObject({ code: 'index_corrupt' })
    expect(await machine.run('procedure_search', { query: 'fox' })).toMatchObject({
      results: [{ path: 'procedures/a.json' }],
    })
    expect(await machine.run('status', {})).toMatchObject({
      experiences: 1,
      index: { generation: 0, bytes: 0, documents: 0, terms: 0, beside: 1 },
    })
    expect(machine.files.names('/elsewhere')).toEqual([])
  })
})

describe.each(['status', 'index_stats', 'procedure_search'])('%s', (operation) => {
  const look = () => machine.run(operation, operation === 'procedure_search' ? { query: 'fox' } : {})
  const derived = () => machine.files.tree().filter((path) => /\/base-\d+\.knw$/.test(path))

  test('writes the index where many files are new, and not where few are', async () => {
    for (let count = 0; count < 64; count++) write(`fox-${count}`, `the fox ${count}`)
    await look()
    expect(derived()).toEqual([])
    write('last', 'the last fox')
    await look()
    expect(derived()).toEqual([`${ROOT}/metadata/index/base-00000001.knw`])
  })

  test('makes no .gitignore, which the first reindex does', async () => {
    write('a', 'a red fox')
    await look()
    expect(machine.files.stat(`${ROOT}/.gitignore`)).toBeNull()
    await machine.run('procedure_reindex', {})
    expect(machine.files.text(`${ROOT}/.gitignore`)).toContain('/metadata/index/\n')
  })
})

test('a file in the place of the folder of experiences is named, not taken for none', async () => {
  machine.files.write(`${ROOT}/procedures`, 'in the way')
  for (const operation of ['status', 'procedure_reindex'])
    await expect(machine.run(operation, {})).rejects.toMatchObject({ code: 'not_a_file' })
  await expect(machine.run('procedure_search', { query: 'fox' })).rejects.toMatchObject({ code: 'not_a_file' })
})

test('a search among files that are no experiences does not tell to begin with an import', async () => {
  machine.files.write(`${ROOT}/procedures/a.json`, '{')
  expect(await machine.run('procedure_search', { query: 'fox' })).toMatchObject({
    notice: 'the one file in the folder of experiences is none; knowhow reindex says why',
    invalid: [{ path: 'procedures/a.json' }],
  })
})
