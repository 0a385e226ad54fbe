/** Logs as GitHub Actions keeps them: one attempt of a job a file. */

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

const STEP_MS = 1_000

export function actionsLog(attempt: ActionsAttempt): string {
  const { job = 'test', commit, at, ref = 'origin/main', failure, command = `npm run ${job}` } = attempt
  const id = commit.repeat(40).slice(0, 40)
  const lines = [
    "Current runner version: '2.329.0'",
    '##[group]Operating System',
    'Ubuntu',
    '##[endgroup]',
    `Complete job name: ${job}`,
    ...group('actions/checkout@v4', 'with:', '  repository: o/shop'),
    `[command]/usr/bin/git fetch --depth=1 origin +${id}:refs/remotes/${ref}`,
    `[command]/usr/bin/git checkout --progress --force refs/remotes/${ref}`,
    `HEAD is now at ${id.slice(0, 7)} Change number ${commit}`,
    ...script('npm ci'),
    'added 3 packages in 2s',
    ...script(command),
    ...(failure === undefined ? ['12 passed'] : [...failure, '##[error]Process completed with exit code 1.']),
    'Post job cleanup.',
    'Cleaning up orphan processes',
  ]
  return lines.map((line, index) => `${stamp(at + index * STEP_MS)} ${line}\n`).join('')
}

function group(title: string, ...heading: readonly string[]): readonly string[] {
  return [`##[group]Run ${title}`, ...heading, '##[endgroup]']
}

function script(command: string): readonly string[] {
  return group(command, command, 'shell: /usr/bin/bash -e {0}')
}

/** With seven digits behind the second, as the runner writes it. */
function stamp(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '0000Z')
}
