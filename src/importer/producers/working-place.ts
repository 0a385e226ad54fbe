/** Where the commands of a session ran, as far as its log shows it: the folder, and the shell of another host or user. */
import type { Step } from './run.ts'
import { commandShape } from './shell-command.ts'

export interface PlaceOptions {
  /** Where the first command ran; null when unknown. */
  readonly folder: string | null
  /** Whether `cd a && make` leaves the session in `a`: so in a terminal, but not with most tools. */
  readonly linesStay: boolean
  /** By step: the place that the log itself names, in a prompt or a record; null where it says nothing. */
  readonly named: readonly (string | null)[]
}

const GOING = /^(?:cd|pushd|Set-Location)(?: (?:--? )?("[^"]*"|'[^']*'|\S+))?$/
// Only where no command follows that would run in it and come back.
const OTHER_SHELL = new RegExp(
  [
    'ssh(?: -[bceilmopDEFIJLQRSwW] ?\\S+| -[^\\sbceilmopDEFIJLQRSwW]\\S*)* [^\\s-]\\S*',
    '(?:sudo )?(?:docker|docker-compose|podman|kubectl)(?: compose)? (?:exec|run) .* (?:/\\S{0,40}/)?(?:ba|z|a|da|fi|k)?sh(?: -\\w+)?',
    '(?:docker|podman) attach .*',
    'vagrant ssh(?: [^\\s-]\\S*)?',
    '(?:sudo )?chroot \\S+(?: (?:/\\S{0,40}/)?\\w{0,3}sh)?',
    'sudo(?: -u \\S+)? -[is]',
    '(?:sudo )?su(?: (?!-c)\\S+){0,3}',
  ]
    .map((form) => `^${form}$`)
    .join('|'),
)
const NOWHERE = /\bcd\b.{0,200}(?:no such|not a directory|permission denied|not found|cannot find|does not exist)/i

interface Shell {
  /** The command that opened it. */
  readonly entered: string
  folder: string
  before: string
}

/** @param steps in the order of time */
export function withPlaces(steps: readonly Step[], { folder, linesStay, named }: PlaceOptions): readonly Step[] {
  const first: Shell = { entered: '', folder: folder ?? '', before: '' }
  const shells: Shell[] = [first]
  return steps.map((step, index) => {
    if (!step.shell) return step
    const shell = shells.at(-1) ?? first
    shell.folder = named[index] ?? shell.folder
    const place = [...shells.map(({ entered }) => entered), shell.folder].join('\n')
    const { segments } = commandShape(step.command)
    const isSingle = segments.length === 1
    if (isSingle && step.outcome !== 'failed' && OTHER_SHELL.test(step.command)) {
      shells.push({ entered: step.command, folder: '', before: '' })
    } else if (/^(?:exit|logout)(?: \d+)?$/.test(step.command)) {
      if (shells.length > 1) shells.pop()
    } else if ((isSingle || linesStay) && GOING.test(segments[0] ?? '') && !NOWHERE.test(step.output)) {
      follow(shell, segments)
    }
    // Claude Code goes back by itself, and says so.
    const back = /^Shell cwd was reset to (\S.*)$/m.exec(step.output)?.[1]
    if (back !== undefined) shell.folder = back.trim()
    return { ...step, place }
  })
}

/** Changes the folder as the `cd`s at the front of a command line do. */
function follow(shell: Shell, segments: readonly string[]): void {
  for (const segment of segments) {
    const going = GOING.exec(segment)
    if (going === null) return
    const target = (going[1] ?? '~').replace(/^["']|["']$/g, '')
    const next = target === '-' ? shell.before : folderBelow(shell.folder, target)
    shell.before = shell.folder
    shell.folder = next
  }
}

/** A place, or the one below it. @param folder of a leading `cd`; null without one */
export function placeBelow(place: string, folder: string | null): string {
  if (folder === null) return place
  const start = place.lastIndexOf('\n') + 1
  return place.slice(0, start) + folderBelow(place.slice(start), folder)
}

/** `../b` below `/srv/a` is `/srv/b`. */
function folderBelow(folder: string, target: string): string {
  const whole = /^(?:[/\\~]|[A-Za-z]:)/.test(target) ? target : `${folder}/${target}`
  const parts: string[] = []
  for (const part of whole.split(/[/\\]/)) {
    if (part === '' || part === '.') continue
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop()
    else parts.push(part)
  }
  const isAbsolute = /^[/\\]/.test(whole) && (folder !== '' || target.startsWith('/'))
  return `${isAbsolute ? '/' : ''}${parts.join('/')}`
}
