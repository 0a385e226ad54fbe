/**
 * A disk that is full at every write of an import in turn: a small file system with ever more room. Needs the right to
 * mount one.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { AgentServer } from '../fakes/agent-server.ts'
import { AS_INSTALLED, compiledProgram, newWorkspace, start, writeConfig } from '../fakes/compiled-program.ts'
import { bytesOf, FINAL, LOG, PLAN, REQUEST, TRAJECTORY } from '../fakes/crash-scenario.ts'
import { PlannedAgent } from '../fakes/planned-agent.ts'

const DISK_KIB = 1024
/** Of the file system: a write takes a page or none. */
const PAGE_KIB = 4
const TIMEOUT_MS = 10 * 60_000
/** So that each write needs pages of its own. */
const PADDING = ` ${'word '.repeat(900)}.`
const LONG_PLAN = PLAN.map((writes) => writes.map((write) => ({ ...write, text: write.text + PADDING })))
/** So many in a row that were not disturbed: every write has found room. */
const UNDISTURBED = 3

const folder = mkdtempSync(join(tmpdir(), 'knowhow-full-'))
const disk = join(folder, 'disk')
mkdirSync(disk)
const canMount = mount()
if (!canMount) console.log('skipped: a full disk at every write, as this user may not mount a file system')

function mount(): boolean {
  if (process.platform !== 'linux') return false
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_KIB}k`, 'tmpfs', disk]).status === 0
}

let program: string
let server: AgentServer

beforeAll(async () => {
  if (!canMount) return
  program = await compiledProgram()
  server = new AgentServer(new PlannedAgent(LONG_PLAN))
}, TIMEOUT_MS)

afterAll(() => {
  if (canMount) {
    spawnSync('umount', [disk])
    server[Symbol.dispose]()
    rmSync(dirname(program), { recursive: true, force: true })
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Takes all room but so many KiB. @returns whether there was more than that */
function fillBut(kib: number): boolean {
  const ballast = join(disk, 'ballast')
  const { stdout } = spawnSync('df', ['--output=avail', '-k', disk], { encoding: 'utf8' })
  const free = Number(stdout.split('\n')[1])
  if (free <= kib) return false
  writeFileSync(ballast, new Uint8Array((free - kib) * 1024))
  return true
}

test.skipIf(!canMount)(
  'an import that finds the disk full at any write says so, and goes on when there is room',
  async () => {
    const outcomes: Record<string, number> = {}
    const { file } = newWorkspace(folder, LOG)
    const config = writeConfig(folder)
    const root = join(disk, 'workspace')
    const importRun = () => {
      server.agent = new PlannedAgent(LONG_PLAN)
      const argv = ['import', file, '--request-id', REQUEST, '--workspace', root, '--config', config, '--json']
      return start(program, argv, { ...server.environment, ...AS_INSTALLED }).finished
    }
    let undisturbed = 0
    for (let kib = 0; undisturbed < UNDISTURBED; kib += PAGE_KIB) {
      rmSync(root, { recursive: true, force: true })
      expect(fillBut(kib)).toBe(true)
      const { exit, out } = await importRun()
      const answer = JSON.parse(out)
      const code = answer.error?.code ?? answer.status
      outcomes[code] = (outcomes[code] ?? 0) + 1
      expect(['disk_full', 'complete']).toContain(code)
      expect(exit).toBe(code === 'complete' ? 0 : answer.status === 'incomplete' ? 3 : 1)
      rmSync(join(disk, 'ballast'))
      const resumed = await importRun()
      expect(resumed).toMatchObject({ exit: 0 })
      expect(JSON.parse(resumed.out)).toMatchObject({ status: 'complete' })
      expect(readFileSync(join(root, TRAJECTORY), 'utf8')).toBe(LOG)
      expect(readdirSync(join(root, 'session/trajectories'))).toEqual(['run.log'])
      expect(readdirSync(join(root, 'procedures')).sort()).toEqual(Object.keys(FINAL).map((name) => `${name}.json`))
      for (const [name, content] of Object.entries(FINAL))
        expect(new Uint8Array(readFileSync(join(root, 'procedures', `${name}.json`)))).toEqual(
          bytesOf(content + PADDING),
        )
      undisturbed = code === 'complete' ? undisturbed + 1 : 0
    }
    console.log(`full disk: ${JSON.stringify(outcomes)}`)
    expect(outcomes.disk_full).toBeGreaterThan(20)
  },
  TIMEOUT_MS,
)
