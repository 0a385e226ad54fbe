/** Runs the tests in a home folder of their own and closes with `N passed, N failed[, N skipped]`. Arguments go to `bun test`. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ownEnvironment } from './own-environment.ts'
import { closingLine, countsOf, type TestCounts } from './test-summary.ts'

const TEST_TIMEOUT_MS = 120_000

function testEnvironment(home: string): Record<string, string | undefined> {
  return { ...ownEnvironment(), HOME: home, USERPROFILE: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home }
}

/** Shows what the tests print as it comes. */
function runTests(home: string): Promise<TestCounts> {
  const args = ['test', `--timeout=${TEST_TIMEOUT_MS}`, ...process.argv.slice(2)]
  const child = spawn(process.execPath, args, { env: testEnvironment(home), stdio: ['ignore', 'inherit', 'pipe'] })
  // Bun writes its report, the summary included, to the error stream.
  let report = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text)
    report += text
  })
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code) => resolve(countsOf(report, code)))
  })
}

const home = mkdtempSync(join(tmpdir(), 'knowhow-test-home-'))
try {
  const counts = await runTests(home)
  process.exitCode = counts.failed === 0 && counts.passed > 0 ? 0 : 1
  console.log(closingLine(counts))
} finally {
  rmSync(home, { recursive: true, force: true })
}
