import { describe, expect, test } from 'bun:test'
import { confinePath, nameDirectlyIn } from '../../src/workspace/confinement.ts'
import { layoutOf, WORKSPACE_FOLDERS } from '../../src/workspace/layout.ts'
import { MemoryFiles } from '../fakes/memory-files.ts'

const layout = layoutOf('/w', WORKSPACE_FOLDERS)

function workspaceFiles(): MemoryFiles {
  const files = new MemoryFiles()
  files.write('/w/procedures/a.json', '{}')
  files.write('/etc/passwd', 'root')
  return files
}

describe('a supplied path', () => {
  test('inside its folder is taken as it is', () => {
    expect(confinePath(workspaceFiles(), layout, 'procedures', 'procedures/a.json')).toBe('procedures/a.json')
  })

  test.each([
    ['/etc/passwd'],
    ['C:/Windows/win.ini'],
    ['C:procedures/a.json'],
    ['\\\\server\\share'],
    ['../etc/passwd'],
    ['procedures/../../etc/passwd'],
    ['procedures/./a.json'],
    ['procedures//a.json'],
    ['procedures/'],
    ['procedures'],
    [''],
    ['session/trajectories/run.log'],
    ['Procedures/a.json'],
    ['procedures\\..\\..\\etc'],
    ['procedures/a.json\u0000.png'],
    ['procedures/CON.json'],
    ['procedures/com1'],
    ['procedures/a.json.'],
    ['procedures/a.json '],
    ['procedures/a.json:stream'],
    [`procedures/${'x'.repeat(201)}`],
  ])('such as %j is refused', (path) => {
    expect(() => confinePath(workspaceFiles(), layout, 'procedures', path)).toThrow(
      expect.objectContaining({ code: 'path_outside' }),
    )
  })

  test('through a symbolic link is refused, file and folder alike', () => {
    const files = workspaceFiles()
    files.linkTo('/w/procedures/link.json', '/etc/passwd')
    files.linkTo('/w/session/trajectories', '/etc')
    expect(() => confinePath(files, layout, 'procedures', 'procedures/link.json')).toThrow('symbolic link')
    expect(() => confinePath(files, layout, 'session/trajectories', 'session/trajectories/passwd')).toThrow(
      'symbolic link',
    )
  })

  test('in a folder of its own is no name directly in the folder', () => {
    const files = workspaceFiles()
    files.write('/w/procedures/deep/b.json', '{}')
    expect(() => nameDirectlyIn(files, layout, 'procedures', 'procedures/deep/b.json')).toThrow(
      expect.objectContaining({ code: 'path_outside' }),
    )
    expect(nameDirectlyIn(files, layout, 'procedures', 'procedures/a.json')).toBe('a.json')
  })
})
