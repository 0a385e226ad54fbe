/** The shells themselves, asked what they would offer for a line that is typed up to its end. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Shell } from '../../src/surfaces/completion/shells.ts'

/** Null, with a notice, where the shell is not installed. */
export function installedShell(shell: Shell): string | null {
  const path = Bun.which(shell)
  if (path === null) console.warn(`notice: there is no ${shell} here, so the tests that need it are skipped`)
  return path
}

/** What readline would do by itself shows as FILES or FOLDERS, as it completes nothing for a script. */
const BASH = `source "$1"
compopt() { case $2 in default) echo FILES ;; dirnames) echo FOLDERS ;; esac; }
COMP_LINE=$2 COMP_POINT=\${#2}
shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_knowhow
for word in "\${COMPREPLY[@]}"; do printf '%s\\n' "$word"; done`

/** Of zsh's completion system, which works in its line editor alone, what the script calls prints what it is given. */
const ZSH = `compdef() { : }
compset() { words[CURRENT]=\${words[CURRENT]#*=} }
starting() { local one; for one; do [[ $one == "\${words[CURRENT]}"* ]] && print -r -- "$one"; done }
compadd() { [[ $1 == -- ]] && shift; starting "$@" }
_describe() { local name=\${@[-1]}; starting "\${(@P)name}" }
_files() { [[ $1 == -/ ]] && print FOLDERS || print FILES }
source "$1"
shift
words=("$@") CURRENT=$#
_knowhow`

const FISH = `source $argv[1]
function __fish_complete_path; echo FILES; end
function __fish_complete_directories; echo FOLDERS; end
complete -C "$argv[2]"`

/** Offers, sorted; a description stands behind a tab. @param typed words, the last one as far as it is typed */
export async function offers(shell: Shell, program: string, script: string, typed: readonly string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'knowhow-shell-'))
  try {
    const file = join(folder, 'script')
    const asking = join(folder, 'asking')
    writeFileSync(file, script)
    writeFileSync(asking, { bash: BASH, zsh: ZSH, fish: FISH }[shell])
    const line = typed.join(' ')
    // readline takes a flag and its value apart.
    const words = typed.flatMap((word) =>
      /^--[^=]+=/.test(word) ? word.split(/(=)/).filter((part) => part !== '') : word,
    )
    const argv = {
      bash: ['--norc', '--noprofile', asking, file, line, ...words],
      zsh: ['-f', asking, file, ...typed],
      fish: ['--no-config', asking, file, line],
    }[shell]
    const child = Bun.spawn([program, ...argv], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
    const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    await child.exited
    if (error !== '') throw new Error(error)
    const told = out.split('\n').filter((one) => one !== '')
    return told.map((one) => (shell === 'zsh' ? one.replace(/(?<!\\):/, '\t') : one)).sort()
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
