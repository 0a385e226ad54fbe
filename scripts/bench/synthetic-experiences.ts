/**
 * Experiences that nobody had, as many as a benchmark wants: prose mixed with identifiers, paths, commands and error
 * lines. Words follow Zipf's law over an endless vocabulary, so that every further text brings words of its own, and a
 * text repeats its subject. Deterministic: number n of a seed is the same text in every count.
 */

export interface SyntheticExperience {
  /** Unique; without `.json`. */
  readonly name: string
  readonly description: string
  /** About 300 bytes. */
  readonly 'when-to-use': string
  /** About 1.4 KB. */
  readonly content: string
}

export function* syntheticExperiences(count: number, seed: number): Generator<SyntheticExperience> {
  for (let index = 0; index < count; index += 1) yield syntheticExperience(index, seed)
}

export function syntheticExperience(index: number, seed: number): SyntheticExperience {
  const writer = new Writer(index, seed)
  const [first, second] = [writer.plainWord(), writer.plainWord()]
  return {
    name: `${first}-${second}-${index.toString(36).padStart(4, '0')}`,
    description: writer.prose(8 + writer.below(10)),
    'when-to-use': situation(writer),
    content: instructions(writer),
  }
}

/** What someone would ask of the first `experienceCount` experiences of the seed: words of one of them, in other order. */
export function* syntheticQueries(count: number, seed: number, experienceCount: number): Generator<string> {
  for (let index = 0; index < count; index += 1) {
    const dice = new Dice(index, seed ^ 0x51ab)
    const experience = syntheticExperience(dice.below(experienceCount), seed)
    const field = dice.below(3) === 0 ? experience.content : experience['when-to-use']
    const words = field.split(/\s+/).filter((word) => word.length > 3)
    const chosen = Array.from({ length: 2 + dice.below(5) }, () => words[dice.below(words.length)] ?? '')
    yield [dice.pick(OPENINGS), ...chosen].join(' ').trim().replace(/[`"]/g, '')
  }
}

const OPENINGS = ['', '', 'how to fix', 'why does', 'what to do when', 'error:'] as const

const FUNCTION_WORDS =
  'the a to and of in is it that for on with as not when this be are by from at if or an so but then can was all has no which only before after into out will its there does one same more also than other where any use still because how first they do each without over until would been next between while must both under again'.split(
    ' ',
  )

/** The most frequent words of the subject; all rarer ones are made up. */
const SUBJECT_WORDS =
  'file error test build run version package module command path server type request directory import config function data user key value log output line port database cache token branch commit install script process service container image string test query table index memory thread timeout connection client response message event queue worker job deploy cluster node host network proxy certificate permission account secret variable environment default option flag argument parameter return exception stack trace failure retry lock write read update delete create change check fix remove add set get start stop restart missing unknown invalid expected found failed wrong empty large slow old new local remote main root home temporary folder library dependency compiler linker runtime interpreter shell terminal editor plugin extension template schema migration column row record field object array list map number integer float boolean date time zone format encoding byte character parser syntax expression statement loop condition class method interface property attribute annotation decorator macro header footer page view component style layout button form input label route handler controller middleware session cookie login password hash signature digest checksum archive backup restore snapshot volume mount disk partition device driver kernel signal socket stream buffer pipe descriptor limit quota rate threshold metric alert dashboard report trace span sample profile benchmark latency throughput load balance replica shard leader follower election quorum consensus transaction isolation deadlock conflict merge rebase checkout tag release changelog review approval pipeline stage artifact registry mirror repository upstream fork patch diff hunk'.split(
    ' ',
  )

const ONSETS = 'b br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sp st str t th tr v w z'.split(
  ' ',
)
const NUCLEI = 'a e i o u ai ea ee ia io oa oo ou ue'.split(' ')
const CODAS = ['', '', '', '', '', '', '', 'ck', 'd', 'l', 'm', 'n', 'nt', 'r', 's', 'st', 't', 'x']
const ENDINGS = ['', '', '', '', 's', 's', 'ed', 'ing', 'er', 'tion', 'able', 'ly', 'ment']

/** The word of a rank, from 0: the same rank always has the same word. */
function wordOfRank(rank: number): string {
  const known = SUBJECT_WORDS[rank]
  if (known !== undefined) return known
  let rest = mixed(rank)
  const take = (list: readonly string[]) => {
    const chosen = list[rest % list.length] ?? ''
    rest = Math.floor(rest / list.length)
    return chosen
  }
  let word = take(ENDINGS)
  // The syllables spell the rank, so that two ranks never share a stem by chance alone.
  const syllableCount = ONSETS.length * NUCLEI.length
  for (let left = rank; left > 0; left = Math.floor(left / syllableCount)) {
    const syllable = left % syllableCount
    word = `${ONSETS[syllable % ONSETS.length]}${NUCLEI[Math.floor(syllable / ONSETS.length)]}${take(CODAS)}${word}`
  }
  return word
}

function mixed(value: number): number {
  let bits = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97)
  return (bits ^ (bits >>> 15)) >>> 0
}

/** Numbers that look random: the splitmix32 generator. */
class Dice {
  #state: number

  constructor(index: number, seed: number) {
    this.#state = mixed(index + 1) ^ mixed(Math.imul(seed + 1, 0x9e3779b9))
  }

  /** 0 ≤ result < 1 */
  next(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    return mixed(this.#state) / 2 ** 32
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit)
  }

  pick<T>(list: readonly [T, ...T[]]): T
  pick(list: readonly string[]): string
  pick(list: readonly unknown[]): unknown {
    return list[this.below(list.length)]
  }
}

// Head and tail of the vocabulary: 10,000 experiences have some 200,000 distinct terms, 100,000 some 1,500,000, most of
// them names and paths.
const ZIPF_EXPONENT = 1.45
const HEAD_SIZE = 30
const RANKS_MAX = 2 ** 31

const SUBJECT_SIZE = 20
const NAMES_PER_SUBJECT = 4

class Writer extends Dice {
  readonly #subject: readonly string[]
  readonly #identifiers: readonly string[]
  readonly #paths: readonly string[]

  constructor(index: number, seed: number) {
    super(index, seed)
    this.#subject = Array.from({ length: SUBJECT_SIZE }, () => this.anyWord())
    this.#identifiers = Array.from({ length: NAMES_PER_SUBJECT }, () => this.#newIdentifier())
    this.#paths = Array.from({ length: NAMES_PER_SUBJECT }, () => this.#newPath())
  }

  anyWord(): string {
    const rank = HEAD_SIZE * ((1 - this.next()) ** (1 / (1 - ZIPF_EXPONENT)) - 1)
    return wordOfRank(Math.floor(Math.min(rank, RANKS_MAX)))
  }

  identifier(): string {
    return this.pick(this.#identifiers)
  }

  path(): string {
    return this.pick(this.#paths)
  }

  plainWord(): string {
    return this.next() < 0.6 ? this.pick(this.#subject) : this.anyWord()
  }

  functionWord(): string {
    return FUNCTION_WORDS[Math.floor(FUNCTION_WORDS.length ** this.next()) - 1] ?? 'the'
  }

  prose(wordCount: number): string {
    const words: string[] = []
    for (let at = 0; at < wordCount; at += 1) words.push(this.#proseWord())
    const text = words.join(' ')
    return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
  }

  #proseWord(): string {
    const chance = this.next()
    if (chance < 0.4) return this.functionWord()
    if (chance < 0.94) return this.plainWord()
    if (chance < 0.97) return `\`${this.identifier()}\``
    return chance < 0.985 ? this.path() : String(this.below(10_000))
  }

  #newIdentifier(): string {
    const [first, second] = [this.plainWord(), this.plainWord()]
    switch (this.below(4)) {
      case 0:
        return `${first}_${second}`
      case 1:
        return `${first}.${second}`
      case 2:
        return `${first}${capital(second)}${capital(this.plainWord())}`
      default:
        return `${first}${capital(second)}`
    }
  }

  #newPath(): string {
    const folders = this.pick(['src', 'lib', '/etc', '/var/log', 'packages', 'tests', '~/.config'])
    const ending = this.pick(['ts', 'py', 'rs', 'go', 'json', 'yaml', 'log', 'sh', 'c'])
    return `${folders}/${this.plainWord()}/${this.plainWord()}_${this.plainWord()}.${ending}`
  }

  command(): string {
    const program = this.pick(['npm', 'git', 'docker', 'cargo', 'kubectl', 'make', 'pip', 'psql', 'curl', 'systemctl'])
    return `${program} ${this.plainWord()} --${this.plainWord()}-${this.plainWord()} ${this.path()}`
  }

  errorLine(): string {
    const code = this.pick(['E0', 'TS2', 'ENO', 'ORA-', 'HTTP ', 'SIG', 'errno '])
    switch (this.below(3)) {
      case 0:
        return `${code}${this.below(1000)}: ${this.plainWord()} ${this.plainWord()} in ${this.path()}:${this.below(900)}`
      case 1:
        return `${capital(this.plainWord())}Error: ${this.identifier()} is not ${this.plainWord()}`
      default:
        return `fatal: ${this.plainWord()} ${this.below(2 ** 32).toString(16)} ${this.plainWord()}`
    }
  }
}

function capital(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1)
}

function situation(writer: Writer): string {
  const error = writer.below(2) === 0 ? ` The message is "${writer.errorLine()}".` : ` ${writer.prose(8)}`
  return `When ${writer.prose(12 + writer.below(8))}${error} ${writer.prose(8 + writer.below(8))}`
}

function instructions(writer: Writer): string {
  const steps = Array.from({ length: 4 + writer.below(3) }, (_, at) => {
    const command = writer.below(2) === 0 ? ` Run \`${writer.command()}\`.` : ''
    return `${at + 1}. ${writer.prose(16 + writer.below(14))}${command}`
  })
  const pitfall = `Pitfall: ${writer.prose(10 + writer.below(12))} It ends in \`${writer.errorLine()}\`.`
  const check = `Check: \`${writer.command()}\` prints ${writer.plainWord()} ${writer.below(100)}. ${writer.prose(12)}`
  return [...steps, pitfall, check].join('\n')
}
