/** Logs as GitHub Actions keeps them: one attempt of a job a file, or any lines of one. */

export interface ActionsAttempt {
  readonly job?: string
  /** One or two hexadecimal digits, of which the commit's id consists. */
  readonly commit: string
  /** When it begins. Epoch milliseconds. */
  readonly at: number
  readonly ref?: string
  /** What the command prints, line by line, if it fails. */
  readonly failure?: readonly string[]
  readonly command?: string
}

const LINE_MS = 1_000

export function actionsLog(attempt: ActionsAttempt): string {
  const { job = 'test', commit, at, ref = 'origin/main', failure, command = `npm run ${job}` } = attempt
  const id = commit.repeat(40).slice(0, 40)
  const fetched = [
    `[command]/usr/bin/git fetch --depth=1 origin +${id}:refs/remotes/${ref}`,
    `[command]/usr/bin/git checkout --progress --force refs/remotes/${ref}`,
    `HEAD is now at ${id.slice(0, 7)} Change number ${commit}`,
  ]
  const ended = failure === undefined ? { output: '12 passed' } : { output: failure.join('\n'), exitCode: 1 }
  const lines = [
    ...jobHead(job),
    ...checkout(fetched, '  repository: o/shop'),
    ...stepLines({ command: 'npm ci', output: 'added 3 packages in 2s' }),
    ...stepLines({ command, ...ended }),
    ...JOB_END,
  ]
  return stamped(lines, (index) => new Date(at + index * LINE_MS).toISOString().replace('Z', '0000Z'))
}

export interface ActionsStep {
  readonly command: string
  readonly output?: string
  readonly exitCode?: number
  /** Lines such as `DB: mysql`. */
  readonly env?: readonly string[]
}

/** What the runner writes before the first step. */
export function jobHead(job: string): readonly string[] {
  return [
    "Current runner version: '2.329.0'",
    '##[group]Operating System',
    'Ubuntu',
    '##[endgroup]',
    `Complete job name: ${job}`,
  ]
}

export const JOB_END = ['Post job cleanup.', '##[warning]Node 16 is old', 'Cleaning up orphan processes']

export function group(title: string, ...heading: readonly string[]): readonly string[] {
  return [`##[group]Run ${title}`, ...heading, '##[endgroup]']
}

/** A script in the runner's colour, and what it printed. */
export function stepLines({ command, output = 'ok', exitCode = 0, env = [] }: ActionsStep): readonly string[] {
  const script = command.split('\n').map((line) => `\u001b[36;1m${line}\u001b[0m`)
  const failed = exitCode === 0 ? [] : [`##[error]Process completed with exit code ${exitCode}.`]
  const variables = ['CI: true', ...env].map((line) => `  ${line}`)
  const heading = group(command.split('\n')[0] ?? '', ...script, 'shell: /usr/bin/bash -e {0}', 'env:', ...variables)
  return [...heading, ...output.split('\n'), ...failed]
}

export function checkout(output: readonly string[], ...inputs: readonly string[]): readonly string[] {
  return [...group('actions/checkout@v4', 'with:', '  fetch-depth: 1', ...inputs), ...output]
}

/** @param stamp of a line, from 0 on; with seven digits behind the second, as the runner writes it */
export function stamped(lines: readonly string[], stamp: (index: number) => string): string {
  return lines.map((line, index) => `${stamp(index)} ${line}\n`).join('')
}
