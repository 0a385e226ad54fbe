/** The table of what goes wrong in an extraction, as Markdown for people. */
import type { ExtractionFault, Outcome } from './extraction-faults.ts'

const OPENING = `# When extraction goes wrong

What \`knowhow import\` makes of a chat model that fails. Each row is played to the compiled program by
\`test/surfaces/extraction-faults.test.ts\`, which also writes this file
(\`EXTRACTION_FAULTS=write npm test -- test/surfaces/extraction-faults.test.ts\`) and fails when it says something else.

In the test a request that fails in passing is tried twice (\`llm.retries\` 1 instead of 5), and a summary has 30 tokens.
**Requests** are what the import counts, the one that failed included. **Exit**: 0 complete, 1 refused before anything was
stored, 3 incomplete, 130 interrupted. **Told** is the code of the failure that the model is answered with, and may mend.

Everything incomplete or killed goes on with \`knowhow import --resume ID\` once the server behaves; what is complete is told
again without a request. In each row the server repeats the API key in headers, texts and calls: it stands neither in the
workspace nor in what the program prints. Secrets of the log are masked in every request.
`

export function faultsDocument(groups: Readonly<Record<string, readonly ExtractionFault[]>>): string {
  const sections = Object.entries(groups).map(([title, faults]) => `## ${title}\n\n${tableOf(faults)}`)
  return `${[OPENING.trimEnd(), ...sections].join('\n\n')}\n`
}

function tableOf(faults: readonly ExtractionFault[]): string {
  const rows = faults.map(({ fault, outcome }) => `| ${[escaped(fault), ...cellsOf(outcome)].join(' | ')} |`)
  return ['| fault | requests | exit | code | resumable | told |', '|---|---|---|---|---|---|', ...rows].join('\n')
}

function cellsOf({ requests, exit, code, resumable, told }: Outcome): readonly string[] {
  const wayOn = resumable === null ? '' : resumable ? 'yes' : 'no'
  return [String(requests), exit === null ? 'killed' : String(exit), named(code), wayOn, named(told)]
}

function named(code: string | null): string {
  return code === null ? '' : `\`${code}\``
}

/** Tags would vanish where Markdown is shown. */
function escaped(fault: string): string {
  return fault.replaceAll('<', '&lt;')
}
