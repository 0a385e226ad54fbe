import { expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { isRunning } from '../../src/adapters/running-process.ts'

test('this process runs, one of root does, one that was waited for does not', () => {
  expect(isRunning(process.pid)).toBe(true)
  expect(isRunning(1)).toBe(true)
  const { pid } = spawnSync(process.execPath, ['--version'])
  expect(isRunning(pid)).toBe(false)
})
