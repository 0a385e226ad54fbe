/** What only a real disk can show; the rest is in test/contracts. */
import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { diskFiles } from '../../src/adapters/disk-files.ts'
import { errnoOf, fileFault } from '../../src/adapters/file-fault.ts'

const isRoot = process.getuid?.() === 0
const onWindows = process.platform === 'win32'
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'knowhow-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('diskFiles', () => {
  test.skipIf(onWindows)('a FIFO is refused without waiting for its writer', () => {
    const path = join(root, 'pipe')
    execFileSync('mkfifo', [path])
    expect(diskFiles.stat(path)?.kind).toBe('other')
    expect(() => diskFiles.read(path)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
    expect(() => diskFiles.openAppend(path)).toThrow(expect.objectContaining({ code: 'not_a_file' }))
  })

  test.skipIf(onWindows)('tells a link from a circle of links in the path', () => {
    symlinkSync('a', join(root, 'a'))
    expect(() => diskFiles.read(join(root, 'a'))).toThrow('is a symbolic link, not a file; move it away')
    expect(() => diskFiles.read(join(root, 'a', 'b'))).toThrow('its symbolic links lead in a circle')
  })

  test('two handles append to one file without overwriting each other', () => {
    const path = join(root, 'log')
    using first = diskFiles.openAppend(path)
    using second = diskFiles.openAppend(path)
    first.append(bytes('one\n'))
    second.append(bytes('two\n'))
    expect(new TextDecoder().decode(diskFiles.read(path) ?? new Uint8Array())).toBe('one\ntwo\n')
  })

  test('what another program appended is never counted as ours', () => {
    const path = join(root, 'log')
    using log = diskFiles.openAppend(path)
    appendFileSync(path, 'foreign\n')
    log.append(bytes('one\n'))
    expect(log.bytes).toBe(4)
  })

  test.skipIf(isRoot || onWindows)('a folder without permission is permission_denied', () => {
    chmodSync(root, 0o500)
    expect(() => diskFiles.create(join(root, 'a'), bytes('x'))).toThrow(
      expect.objectContaining({ code: 'permission_denied' }),
    )
    chmodSync(root, 0o700)
  })

  test('stat has nanoseconds and inode as bigints', () => {
    diskFiles.create(join(root, 'a'), bytes('x'))
    const stat = diskFiles.stat(join(root, 'a'))
    expect(typeof stat?.mtimeMs).toBe('number')
    expect(typeof stat?.ctimeMs).toBe('number')
    expect(stat?.inode).toBeGreaterThan(0n)
  })

  test('a failed creation leaves nothing behind', () => {
    expect(() => diskFiles.create(join(root, 'n'.repeat(300)), bytes('x'))).toThrow(
      expect.objectContaining({ code: 'invalid_name' }),
    )
    expect(readdirSync(root)).toEqual([])
  })
})

describe('fileFault', () => {
  test.each([
    ['ENOSPC', 'disk_full'],
    ['EDQUOT', 'disk_full'],
    ['EACCES', 'permission_denied'],
    ['EPERM', 'permission_denied'],
    ['EROFS', 'read_only'],
    ['EISDIR', 'not_a_file'],
    ['ENOTDIR', 'not_a_file'],
    ['ELOOP', 'not_a_file'],
    ['ENAMETOOLONG', 'invalid_name'],
    ['EIO', 'io_failed'],
    ['', 'io_failed'],
  ])('%s is %s', (errno, code) => {
    const cause = Object.assign(new Error('call failed'), { code: errno })
    const fault = fileFault('write', '/some/file', cause)
    expect(fault).toMatchObject({ code, cause, details: { path: '/some/file' } })
    expect(fault.message).toMatch(/^cannot write \/some\/file: .+; .+/)
    expect(errnoOf(cause)).toBe(errno)
  })

  const errnos = `ENOSPC EDQUOT EFBIG EACCES EPERM EROFS EISDIR ENOTDIR ELOOP ENXIO EEXIST ENOTEMPTY ENOENT EBUSY EMFILE
    ENFILE ENAMETOOLONG EIO EINVAL`.split(/\s+/)
  test.each(errnos)('%s says what, where and a next step that loses nothing', (errno) => {
    const { message } = fileFault('create', '/some/.knowhow-1.tmp', Object.assign(new Error(), { code: errno }))
    const [what = '', next = ''] = message.split(/; (.*)/)
    expect(what).toMatch(new RegExp(`^cannot create /some/\\.knowhow-1\\.tmp: [a-z -]+ \\(${errno}\\)$`))
    expect(next).toMatch(/^(?:free|use|check|name|run|move|end|raise|choose) /)
    expect(next).not.toMatch(/remov|delet|overwrit|\brm\b/)
  })
})
