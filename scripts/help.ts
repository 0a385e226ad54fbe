/**
 * Writes docs/help.md, all that `--help` says: `node scripts/run.mjs bun scripts/help.ts`. With `--check` it writes nothing and
 * fails where the committed page is not what the program says.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type HelpTopic, readCommandLine } from '../src/surfaces/command-line.ts'
import { COMMANDS, namesOf } from '../src/surfaces/commands.ts'
import { helpText } from '../src/surfaces/help.ts'

const PAGE = join(resolve(import.meta.dir, '..'), 'docs', 'help.md')
const COMMAND = 'node scripts/run.mjs bun scripts/help.ts'
const VERSION = '0'

const HEAD = `# Help

What \`knowhow --help\` and \`knowhow COMMAND --help\` say, for reading and searching in one piece. Made by \`scripts/help.ts\`; do not
edit.
`

function topicOf(words: readonly string[]): HelpTopic {
  const line = readCommandLine([...words, '--help'])
  if (line.kind !== 'help') throw new Error(`${words.join(' ')} --help is no question for help`)
  return line.topic
}

/** Without the name and version that each text begins with. */
function section(title: string, words: readonly string[]): string {
  const text = helpText(topicOf(words), VERSION).replace(`knowhow ${VERSION}: `, '')
  return `## ${title}\n\n\`\`\`text\n${text.trim()}\n\`\`\`\n`
}

function page(): string {
  const names = namesOf(COMMANDS)
  const groups = new Set(names.flatMap((name) => (name.includes(' ') ? [name.split(' ')[0] ?? ''] : [])))
  const sections = names.flatMap((name) => {
    const [first = ''] = name.split(' ')
    const begins = groups.delete(first) ? [section(`knowhow ${first}`, [first])] : []
    return [...begins, section(`knowhow ${name}`, name.split(' '))]
  })
  return [HEAD, section('knowhow', []), ...sections].join('\n')
}

const text = page()
if (process.argv[2] !== '--check') {
  writeFileSync(PAGE, text)
  console.log(`docs/help.md: ${text.split('\n').length} lines`)
} else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error(`docs/help.md is not what the program says: run "${COMMAND}"`)
  process.exitCode = 1
}
