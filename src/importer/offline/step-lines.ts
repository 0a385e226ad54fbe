/** Steps of a run as short texts for a reader: a line a step, code below it, repeated ones folded, every cut told. */
import { tellsInterruption, tellsRefusal } from '../producers/refused-call.ts'
import type { Step } from '../producers/run.ts'
import { asCode, codeLine, truncated, withoutNames } from '../producers/shown-text.ts'
import { isPlace, signatureOf } from './error-signature.ts'
import { type Fix, isSameCall } from './fixes.ts'

const LOOKS_SHOWN_MAX = 4

/** The steps between, in order, without numbers. */
export function stepLines(fix: Fix, steps: readonly Step[]): readonly string[] {
  const lines: string[] = []
  let looks: string[] = []
  const closeLooks = (): void => {
    if (looks.length > 0) lines.push(looksLine([...new Set(looks)]))
    looks = []
  }
  for (const step of steps) {
    if (step.kind === 'look') {
      looks.push(shownStep(step, fix.run.folder))
      continue
    }
    closeLooks()
    const isAgain = isSameCall(fix, step) && step.place === fix.failed.place
    lines.push(isAgain ? againLine(fix, step) : actionLine(step, fix.run.folder))
  }
  closeLooks()
  return folded(lines)
}

function looksLine(looks: readonly string[]): string {
  const more = looks.length - LOOKS_SHOWN_MAX
  return `look: ${looks.slice(0, LOOKS_SHOWN_MAX).join(', ')}${more > 0 ? `, and ${more} more` : ''}`
}

function againLine({ failures: [first], run }: Fix, step: Step): string {
  const as = step.command === first?.command ? '' : `, as ${relativeCommand(codeLine(step.command), run.folder)}`
  if (step.outcome !== 'failed') return `run the same again${as}: no clear outcome`
  const [headline = ''] = signatureOf(step).headlines
  return `run the same again${as}: it failed ${isPlace(headline) ? `in ${asCode(headline.slice('in '.length))}` : `with ${asCode(headline)}`}`
}

function actionLine(step: Step, folder: string | null): string {
  const remark = remarkOn(step)
  const shown = shownStep(step, folder)
  if (remark === null) return shown
  const [line = '', ...block] = shown.split('\n')
  return [`${line} (${remark})`, ...block].join('\n')
}

/** What keeps a call from having done what it was to do. */
function remarkOn(step: Step): string | null {
  if (step.outcome === 'failed') return `this failed: ${truncated(signatureOf(step).headlines[0] ?? '', 160)}`
  if (step.finished) return null
  if (tellsRefusal(step.output)) return 'this was refused, and not done'
  return tellsInterruption(step.output) ? 'this was interrupted' : null
}

function folded(lines: readonly string[]): readonly string[] {
  const result: string[] = []
  let times = 1
  for (const [index, line] of lines.entries()) {
    if (line === lines[index + 1]) {
      times++
      continue
    }
    result.push(times === 1 ? line : `${line} (${times} times)`)
    times = 1
  }
  return result
}

function shownStep(step: Step, folder: string | null): string {
  const isWords = step.kind === 'call' || step.kind === 'edit'
  return (isWords ? relativeText : relativeCommand)(step.shown, folder).replace(UUID, '…')
}

// Such as of a lock or a request: one run's own.
const UUID = /\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b/gi

/** Paths below the run's folder become relative, homes `~`. The folder itself stays: in a sentence `.` would say nothing. */
export function relativeText(text: string, folder: string | null): string {
  const path = patternOf(folder)
  if (path === null) return withoutNames(text, folder)
  const below = new RegExp(`${path}/+(?=[^\\s/"'\`;&|),:])(?!\\.+(?:\\s|$))`, 'g')
  return withoutNames(text.replace(below, ''), folder)
}

/** A command, maybe as code, in the same way; to go into the run's folder says nothing when paths are relative to it. */
export function relativeCommand(text: string, folder: string | null): string {
  const path = patternOf(folder)
  // `/x/app` is no part of `/x/app-two`, nor of `/x/app:/y`.
  const itself = path === null ? null : new RegExp(`${path}/*(?=$|[\\s"'\`;&|)])`, 'gm')
  const short = itself === null ? text : text.replace(itself, '.')
  return relativeText(short, folder).replace(/^(`{1,2} ?|run:\n {4})?cd (["']?)\.\2\s*(?:&&|;|\n)\s*(?=[^\s`])/, '$1')
}

/** Of a folder in a text; null when it is too short to be known again. */
function patternOf(folder: string | null): string | null {
  const path = (folder ?? '').replace(/\/+$/, '')
  return path.length < 2 ? null : `(?<![\\w.~/-])${path.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`
}
