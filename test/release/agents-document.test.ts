/** docs/agents.md: what people copy out of it works. */
import { afterAll, describe, expect, test } from 'bun:test'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AGENT_CLIENTS, setupFor } from '../../src/surfaces/agent-setup.ts'
import { readCommandLine } from '../../src/surfaces/command-line.ts'

const TEXT = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')

const blocks = (language: string) =>
  [...TEXT.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, block = '']) => block)

interface Step {
  readonly name?: string
  readonly run?: string
}

const [github, gitlab] = blocks('yaml').map((block) => Bun.YAML.parse(block)) as [
  { readonly jobs: { readonly remember: { readonly steps: readonly Step[] } } },
  { readonly remember: { readonly script: readonly string[] } },
]

const SCRIPTS = {
  'GitHub Actions': github.jobs.remember.steps.find(({ name }) => name?.startsWith('Import') === true)?.run ?? '',
  GitLab: gitlab.remember.script.at(-1) ?? '',
}

const folder = mkdtempSync(join(tmpdir(), 'knowhow-agents-'))

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Programs of these names that tell of two jobs, of their logs, and end an import as asked. */
function fakePrograms(): void {
  const write = (name: string, body: string) => {
    writeFileSync(join(folder, name), `#!/bin/bash\n${body}\n`)
    chmodSync(join(folder, name), 0o755)
  }
  const served = 'case "$*" in *logs*|*trace*) echo log ;; *) echo 7; echo 8 ;; esac'
  write('gh', served)
  write('curl', served)
  write('jq', 'cat')
  write('knowhow', 'echo "$@" >> calls; exit "$ENDS_WITH"')
}

describe.each(Object.entries(SCRIPTS))('the script for %s', (_, script) => {
  test.each([
    [0, 0, 2],
    [1, 1, 1],
    [2, 2, 1],
    [3, 0, 2],
    [4, 0, 2],
  ])('after an import that ends with %i ends with %i', (code, expected, imports) => {
    fakePrograms()
    rmSync(join(folder, 'calls'), { force: true })
    const env = { PATH: `${folder}:${process.env.PATH}`, ENDS_WITH: String(code) }
    const { exitCode } = Bun.spawnSync(['bash', '-eo', 'pipefail', '-c', script], { cwd: folder, env })
    expect(exitCode).toBe(expected)
    const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n')
    expect(calls).toEqual(
      ['7', '8'].slice(0, imports).map((id) => `import job-${id}.log --request-id job-${id} --json`),
    )
  })

  test('calls the program as it wants to be called', () => {
    const argv = 'import job-7.log --request-id job-7 --json'.split(' ')
    expect(readCommandLine(argv)).toMatchObject({ kind: 'run', input: { files: ['job-7.log'], request_id: 'job-7' } })
  })
})

test('every client is named with the file that its snippet is for', () => {
  for (const client of AGENT_CLIENTS) {
    const { file } = setupFor(client, { program: ['/opt/knowhow'], flags: [] })
    expect(TEXT).toContain(`| \`${client}\` | \`${file}\``)
  }
})

test('the session in it is made of commands there are', () => {
  const [lines = ''] = blocks('sh')
  for (const line of lines.trim().split('\n')) {
    const words = (line.match(/"[^"]*"|\S+/g) ?? []).map((word) => word.replaceAll('"', ''))
    expect(readCommandLine(words.slice(1))).toMatchObject({ kind: 'run' })
  }
})

test('is short enough to be read', () => {
  expect(TEXT.split('\n').length).toBeLessThan(200)
})
