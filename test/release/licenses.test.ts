import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runCaptured } from '../fakes/captured-terminal.ts'
import { FakeMachine } from '../fakes/fake-machine.ts'

const ROOT = resolve(import.meta.dir, '..', '..')

interface Licensed {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly text: string
}

const { packages } = JSON.parse((await runCaptured(['licenses', '--json'], new FakeMachine())).out) as {
  readonly packages: readonly Licensed[]
}

interface Locked {
  readonly version: string
  readonly dependencies?: Readonly<Record<string, string>>
}

const lock = (JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as { packages: Record<string, Locked> })
  .packages

/** Where a package finds one that it depends on: beside itself, or above. */
function lockedFor(path: string, name: string): string | null {
  for (let at = path; ; at = at.slice(0, Math.max(0, at.lastIndexOf('/node_modules/')))) {
    const candidate = `${at === '' ? '' : `${at}/`}node_modules/${name}`
    if (candidate in lock) return candidate
    if (at === '') return null
  }
}

/** What the dependencies lead to by the lock file, before any bundler has left something out. */
function production(): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  const visit = (path: string) => {
    for (const name of Object.keys(lock[path]?.dependencies ?? {})) {
      const next = lockedFor(path, name)
      if (next === null || found.has(next)) continue
      found.set(next, lock[next]?.version ?? '')
      visit(next)
    }
  }
  visit('')
  return found
}

describe('licenses', () => {
  test('name the program, its runtime, its packages and its data, each once and with a text', () => {
    const names = packages.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.slice(0, 2)).toEqual(['knowhow', 'Bun'])
    expect(names).toEqual(expect.arrayContaining(['@ladybugdb/core', 'Qwen3 tokenizer merges']))
    for (const { version, license, text } of packages) {
      for (const field of [version, license]) expect(field).toMatch(/\S/)
      expect(text.length).toBeGreaterThan(150)
    }
  })

  test('name every package that the bundler takes into the program', async () => {
    const { metafile } = await Bun.build({
      entrypoints: [join(ROOT, 'src', 'main.ts')],
      target: 'bun',
      splitting: true,
      metafile: true,
    })
    const inside = Object.keys(metafile?.inputs ?? {}).flatMap(
      (path) => path.split('node_modules/').slice(1).at(-1) ?? [],
    )
    const bundled = new Set(
      inside.map((path) =>
        path
          .split('/')
          .slice(0, path.startsWith('@') ? 2 : 1)
          .join('/'),
      ),
    )
    expect(bundled.size).toBeGreaterThan(5)
    expect(packages.map(({ name }) => name)).toEqual(expect.arrayContaining([...bundled]))
  })

  test('name no other version of a package than the lock file has', () => {
    const locked = production()
    for (const { name, version } of packages) {
      const path = `node_modules/${name}`
      if (existsSync(join(ROOT, path))) expect([name, locked.get(path)]).toEqual([name, version])
    }
  })

  test('are readable: a list, then each text under its name', async () => {
    const { exit, out } = await runCaptured(['licenses'], new FakeMachine())
    expect(exit).toBe(0)
    expect(out).toStartWith('knowhow ')
    expect(out.indexOf('\n== valibot ')).toBeGreaterThan(out.indexOf('\nvalibot '))
    expect(out).toContain('Permission is hereby granted, free of charge')
    expect(out).toContain('GNU LIBRARY GENERAL PUBLIC LICENSE')
    expect(out).toContain('GNU LESSER GENERAL PUBLIC LICENSE')
  })
})
