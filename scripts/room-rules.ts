/**
 * Holds src to the room rules of .dependency-cruiser.cjs, and the checker to its job: it must have seen every module
 * and every import, and must refuse exactly the forbidden ones of a tree planted in a temporary folder.
 */
import { spawnSync } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { ICruiseResult } from 'dependency-cruiser'
import { type PlantedImport, plantImports } from './planted-imports.ts'

const ROOT = resolve(import.meta.dir, '..')
const OUTPUT_BYTES_MAX = 256 * 1024 * 1024

const faults = [...faultsOfSource(), ...faultsOfPlanted()]
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1

function cruiseTree(root: string): ICruiseResult {
  const child = spawnSync('node', [join(import.meta.dir, 'cruise.mjs'), root], {
    encoding: 'utf8',
    maxBuffer: OUTPUT_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (child.status !== 0) throw new Error(`dependency-cruiser failed on ${root}`, { cause: child.error })
  return JSON.parse(child.stdout) as ICruiseResult
}

function faultsOfSource(): string[] {
  const result = cruiseTree(ROOT)
  const files = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => file.replaceAll('\\', '/'))
  const seen = new Set(result.modules.map(({ source }) => source).filter((source) => /^src\/.*\.ts$/.test(source)))
  const violations = result.summary.violations.map(
    ({ rule, from, to, comment }) =>
      `${from} imports ${to}: ${rule.name}${comment === undefined ? '' : ` (${comment})`}`,
  )
  const unseen = files.filter((file) => !seen.has(file)).map((file) => `${file} was not seen`)
  console.log(`${seen.size} of ${files.length} modules seen, ${violations.length} forbidden imports`)
  return [...violations, ...unseen, ...files.flatMap((file) => missedImports(file, result))]
}

/** Imports that Bun finds in a file and dependency-cruiser does not. */
function missedImports(file: string, result: ICruiseResult): string[] {
  const found = result.modules.find(({ source }) => source === file)
  const seen = new Set(found?.dependencies.map((dependency) => withoutScheme(dependency.module)))
  return new Bun.Transpiler({ loader: 'ts' })
    .scanImports(readFileSync(join(ROOT, file), 'utf8'))
    .filter(({ path }) => !seen.has(withoutScheme(path)))
    .map(({ path }) => `${file} imports ${path}, which was not seen`)
}

/** dependency-cruiser calls `node:fs` plain `fs`. */
function withoutScheme(specifier: string): string {
  return specifier.replace(/^node:/, '')
}

function faultsOfPlanted(): string[] {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'knowhow-rooms-'))
  try {
    const planted = plantImports(root)
    const { summary } = cruiseTree(root)
    // The planted rooms import one another in circles as well, which is not what is asked of them.
    const refused = new Set(
      summary.violations
        .filter(({ rule, from }) => rule.name !== 'circular' || from.includes('circle'))
        .map(({ from, to }) => `${from} ${to}`),
    )
    const isRight = ({ from, to, isAllowed }: PlantedImport) => refused.has(`${from} ${to}`) !== isAllowed
    const wrong = planted.filter((one) => !isRight(one))
    console.log(`${planted.length} planted imports, ${planted.length - wrong.length} judged rightly`)
    return wrong.map(
      ({ from, to, isAllowed }) => `planted: ${from} importing ${to} was ${isAllowed ? 'refused' : 'let through'}`,
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
