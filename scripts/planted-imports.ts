/** A small tree with one of every import that could be written, and which of them the room rules must refuse. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** `to`: what dependency-cruiser calls the imported thing. */
export interface PlantedImport {
  readonly from: string
  readonly to: string
  readonly isAllowed: boolean
}

/** The rules written down a second time, on purpose: the rooms from which each room may import. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  main: ['surfaces', 'app', 'importer', 'graph', 'experiences', 'search', 'workspace', 'ports', 'model', 'adapters'],
  surfaces: ['surfaces', 'app', 'importer', 'graph', 'experiences', 'search', 'workspace', 'ports', 'model'],
  app: ['app', 'importer', 'graph', 'experiences', 'search', 'workspace', 'ports', 'model'],
  importer: ['importer', 'experiences', 'search', 'workspace', 'ports', 'model'],
  graph: ['graph', 'search', 'workspace', 'ports', 'model'],
  experiences: ['experiences', 'search', 'workspace', 'ports', 'model'],
  search: ['search', 'workspace', 'ports', 'model'],
  workspace: ['workspace', 'ports', 'model'],
  adapters: ['adapters', 'ports', 'model'],
  ports: ['model'],
  model: ['model'],
  // No such room: whatever stands outside the rooms is refused.
  helpers: [],
}
const ROOMS = Object.keys(ALLOWED)

interface Outsider {
  readonly specifier: string
  readonly to: string
  readonly rooms: readonly string[]
}

const inPackage = (name: string, rooms: readonly string[]): Outsider => ({
  specifier: name,
  to: `node_modules/${name}/index.js`,
  rooms,
})
const KNOWN_ROOMS = ROOMS.filter((room) => room !== 'helpers')
const PACKAGES = [
  inPackage('openai', ['adapters']),
  inPackage('@huggingface/tokenizers', ['adapters']),
  inPackage('@orama/orama', ['search']),
  inPackage('cac', ['surfaces']),
  inPackage('valibot', KNOWN_ROOMS),
]
const DEVELOPMENT_PACKAGE = inPackage('typescript', [])
const OUTSIDERS: readonly Outsider[] = [
  ...PACKAGES,
  DEVELOPMENT_PACKAGE,
  { specifier: 'node:fs', to: 'fs', rooms: ['main', 'surfaces', 'adapters'] },
  { specifier: 'node:sqlite', to: 'node:sqlite', rooms: ['main', 'surfaces', 'adapters'] },
  { specifier: 'bun:sqlite', to: 'bun:sqlite', rooms: [] },
  { specifier: 'not-installed', to: 'not-installed', rooms: [] },
  { specifier: '../../test/target.ts', to: 'test/target.ts', rooms: [] },
  { specifier: '../../scripts/target.ts', to: 'scripts/target.ts', rooms: [] },
]

/** Writes the tree into the empty folder `root`. */
export function plantImports(root: string): PlantedImport[] {
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  writePackages(write)
  for (const path of ['test/target.ts', 'scripts/target.ts', ...ROOMS.map(targetOf)]) write(path, 'export type T = 1\n')
  const planted = ROOMS.flatMap((room) => {
    const from = sourceOf(room)
    const found = importsOf(room)
    write(from, found.map(({ line }) => line).join('\n'))
    return found.map(({ to, isAllowed }) => ({ from, to, isAllowed }))
  })
  return [...planted, ...plantHidden(write)]
}

type Write = (path: string, text: string) => void

const isOneFile = (room: string): boolean => room === 'main' || room === 'ports'
const sourceOf = (room: string): string => (isOneFile(room) ? `src/${room}.ts` : `src/${room}/source.ts`)
const targetOf = (room: string): string => (isOneFile(room) ? `src/${room}.ts` : `src/${room}/target.ts`)

function importsOf(room: string): { line: string; to: string; isAllowed: boolean }[] {
  const up = isOneFile(room) ? './' : '../'
  const toRooms = ROOMS.filter((other) => !(other === room && isOneFile(room))).map((other) => ({
    // Type imports leave no trace at run time and are forbidden all the same.
    line: `import type { T as ${other} } from '${targetOf(other).replace('src/', up)}'`,
    to: targetOf(other),
    isAllowed: ALLOWED[room]?.includes(other) ?? false,
  }))
  const toOutsiders = OUTSIDERS.map(({ specifier, to, rooms }) => ({
    line: `import '${isOneFile(room) ? specifier.replace('../../', '../') : specifier}'`,
    to,
    isAllowed: rooms.includes(room),
  }))
  return [...toRooms, ...toOutsiders]
}

/** Circles, and imports in places where a parser may not look. */
function plantHidden(write: Write): PlantedImport[] {
  write('src/model/circle-a.ts', `import './circle-b.ts'\n`)
  write('src/model/circle-b.ts', `import './circle-a.ts'\n`)
  write('src/model/lazy-circle-a.ts', `import './lazy-circle-b.ts'\n`)
  write('src/model/lazy-circle-b.ts', `export const open = () => import('./lazy-circle-a.ts')\n`)
  write('src/model/re-export.ts', `export type { T } from '../search/target.ts'\n`)
  write('src/model/star.ts', `export * from '../search/target.ts'\n`)
  write(
    'src/model/dynamic.ts',
    `export class Opener {
      async open() {
        await using opened = await import('../adapters/target.ts')
        return [1].map(async (n) => ({ n, ...(await import('../search/target.ts')) }), opened satisfies object)
      }
    }\n`,
  )
  return [
    { from: 'src/model/circle-a.ts', to: 'src/model/circle-b.ts', isAllowed: false },
    { from: 'src/model/lazy-circle-a.ts', to: 'src/model/lazy-circle-b.ts', isAllowed: true },
    { from: 'src/model/re-export.ts', to: 'src/search/target.ts', isAllowed: false },
    { from: 'src/model/star.ts', to: 'src/search/target.ts', isAllowed: false },
    { from: 'src/model/dynamic.ts', to: 'src/adapters/target.ts', isAllowed: false },
    { from: 'src/model/dynamic.ts', to: 'src/search/target.ts', isAllowed: false },
  ]
}

function writePackages(write: Write): void {
  const versions = (packages: readonly Outsider[]) =>
    Object.fromEntries(packages.map(({ specifier }) => [specifier, '1.0.0']))
  write('tsconfig.json', '{}\n')
  write(
    'package.json',
    JSON.stringify({
      type: 'module',
      dependencies: versions(PACKAGES),
      devDependencies: versions([DEVELOPMENT_PACKAGE]),
    }),
  )
  for (const { specifier } of [...PACKAGES, DEVELOPMENT_PACKAGE]) {
    write(`node_modules/${specifier}/package.json`, JSON.stringify({ name: specifier, version: '1.0.0' }))
    write(`node_modules/${specifier}/index.js`, '')
  }
}
