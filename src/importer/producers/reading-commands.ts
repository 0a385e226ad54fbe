/** Commands of common programs that only read, by the words behind the name: one table for looks, queries and inquiries. */

interface ReadingCommand {
  /** They understand the same words. */
  readonly programs: readonly string[]
  readonly words: readonly string[]
  /** A service may refuse: then it is the command itself that failed. */
  readonly reads: 'local' | 'service'
}

const READING_COMMANDS: readonly ReadingCommand[] = [
  {
    programs: ['git'],
    words: 'status log diff show blame grep ls-files rev-parse describe shortlog'.split(' '),
    reads: 'local',
  },
  { programs: ['npm', 'pnpm', 'yarn'], words: ['ls', 'list', 'view', 'info', 'why'], reads: 'local' },
  { programs: ['pip', 'pip3'], words: ['list', 'show', 'freeze', 'index'], reads: 'local' },
  { programs: ['docker'], words: ['ps', 'images', 'inspect'], reads: 'service' },
  {
    programs: ['docker'],
    words: ['logs', 'compose ps', 'compose images', 'compose logs', 'compose config'],
    reads: 'local',
  },
  { programs: ['kubectl'], words: ['get', 'describe'], reads: 'service' },
  { programs: ['kubectl'], words: ['logs'], reads: 'local' },
]

/** What a simple command reads; null when it is none of these. @param bare without what wraps it */
export function whatIsRead(bare: string): ReadingCommand['reads'] | null {
  const [program = '', ...rest] = bare.split(' ')
  const behind = `${(program === 'git' && rest[0] === '--no-pager' ? rest.slice(1) : rest).join(' ')} `
  const isMeant = ({ programs, words }: ReadingCommand): boolean =>
    programs.includes(program) && words.some((word) => behind.startsWith(`${word} `))
  return READING_COMMANDS.find(isMeant)?.reads ?? null
}

/** All words by which a program only reads, as alternatives of an expression. */
export function readingWords(program: string): string {
  return READING_COMMANDS.filter(({ programs }) => programs.includes(program))
    .flatMap(({ words }) => words)
    .join('|')
}
