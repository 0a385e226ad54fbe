/** Findings of linters that end without a summary: nothing but the list, and an exit code, tells that they failed. */
import { commandShape, unwrapped } from './shell-command.ts'

const LINTERS =
  /^(?:\S*\/)?(?:flake8|pylint|pycodestyle|pydocstyle|shellcheck|yamllint|hadolint|markdownlint\S*|cppcheck|staticcheck|go vet|(?:dart|flutter) analyze)(?:\s|$)/

const FINDINGS: readonly RegExp[] = [
  // a.py:1:2: F401 … · a.py:1:0: C0114: … · Dockerfile:3 DL3008 … · a.md:1 MD041 …
  /^\S[^:\n]{0,200}:\d+(?::\d+)?:? \[?[A-Z]{1,4}\d{2,5}\b/,
  /^In \S+ line \d+:$/,
  /^\s*(?:error|warning|info) [•-] \S/,
  /^\s+\d+:\d+\s+(?:error|warning)\s+\S/,
  /^\S+\.(?:go|[ch]|cc|cpp|hpp):\d+:\d+: \S/,
]

/** Whether a linter is one of several commands in the line, and its list is in what they printed. */
export function listsFindings(command: string, lines: readonly string[]): boolean {
  const isLinting = commandShape(command).segments.some((segment) => LINTERS.test(unwrapped(segment)))
  return isLinting && lines.some((line) => FINDINGS.some((sign) => sign.test(line)))
}
