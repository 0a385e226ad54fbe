/** One reusable experience: four fields and the rules they obey. Pure; files and tokens are other rooms' business. */
import * as v from 'valibot'
import { fileNameFault } from './file-name.ts'
import { ruleOf } from './issue-words.ts'
import { malformedJsonLine } from './json-grammar.ts'
import { MemoryError } from './memory-error.ts'

export const EXPERIENCE_NAME_BYTES_MAX = 100
/** An experience of 2,252 tokens has about 10 KB; what is larger by far is no experience. */
export const EXPERIENCE_FILE_BYTES_MAX = 4 * 1024 * 1024
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

const wellFormedText = () =>
  v.pipe(
    v.string(),
    v.check((text) => text.isWellFormed(), 'must be valid Unicode; it holds half of a surrogate pair'),
  )
const filledText = (about: string) => v.pipe(wellFormedText(), v.regex(/\S/, 'must not be empty'), v.description(about))

const madeSchema = () =>
  v.pipe(
    v.strictObject({
      description: filledText('What this experience achieves, in one sentence.'),
      'when-to-use': filledText('The situation in which to use it, as someone in it would describe it.'),
      content: filledText('What to do: steps, pitfalls, and the check that shows success.'),
      sources: v.pipe(
        v.array(wellFormedText()),
        v.readonly(),
        v.description('Workspace paths of the trajectories it was learnt from; written by the program.'),
      ),
    }),
    v.title('Experience'),
    v.description('One reusable experience of an agent: a file procedures/<name>.json.'),
  )
let schema: ReturnType<typeof madeSchema> | null = null

/** Made once, and only for who reads an experience. */
export function experienceSchema(): ReturnType<typeof madeSchema> {
  schema ??= madeSchema()
  return schema
}

export type Experience = Readonly<v.InferOutput<ReturnType<typeof madeSchema>>>

export const TEXT_FIELDS = ['description', 'when-to-use', 'content'] as const
export type TextField = (typeof TEXT_FIELDS)[number]
export type ExperienceTexts = Pick<Experience, TextField>

/** @returns why `name` (without `.json`) cannot name an experience, or null when it can. */
export function experienceNameFault(name: string): string | null {
  if (name.length > EXPERIENCE_NAME_BYTES_MAX) return `it is longer than ${EXPERIENCE_NAME_BYTES_MAX} bytes`
  if (!NAME.test(name)) return 'it must be lower-case words of a-z and 0-9 joined by single hyphens'
  return fileNameFault(`${name}.json`)
}

/** Throws `invalid_experience` naming the first offending field. */
export function parseExperience(value: unknown): Experience {
  const parsed = v.safeParse(experienceSchema(), value)
  if (parsed.success) return parsed.output
  const issue = parsed.issues[0]
  const field = v.getDotPath(issue)
  throw new MemoryError('invalid_experience', experienceFault(field, issue))
}

function experienceFault(field: string | null, issue: v.BaseIssue<unknown>): string {
  const all = 'an experience has exactly description, when-to-use, content and sources'
  if (field === null) return `it is no JSON object; ${all}`
  if (issue.type === 'strict_object' && issue.expected === 'never')
    return `there is a field ${JSON.stringify(field)}; ${all}`
  if (issue.received === 'undefined') return `the field ${JSON.stringify(field)} is missing; ${all}`
  return `${field}: ${ruleOf(issue)}`
}

/** @returns why a file of `bytes` bytes is no experience, or null when it may be one. */
export function experienceSizeFault(bytes: number): string | null {
  return bytes > EXPERIENCE_FILE_BYTES_MAX
    ? `it has ${bytes} bytes, more than the ${EXPERIENCE_FILE_BYTES_MAX} of an experience file`
    : null
}

/** Throws `invalid_experience` for a file that is larger than any experience. */
export function requireExperienceSize(bytes: number): void {
  const fault = experienceSizeFault(bytes)
  if (fault !== null) throw new MemoryError('invalid_experience', fault)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

/** Reads the bytes of an experience file. Throws `invalid_experience`. A byte order mark is allowed. */
export function readExperience(bytes: Uint8Array): Experience {
  requireExperienceSize(bytes.length)
  let text: string
  try {
    text = strictUtf8.decode(bytes)
  } catch (cause) {
    throw new MemoryError('invalid_experience', 'the file is not valid UTF-8', { cause })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    const line = malformedJsonLine(text)
    const where = line === null ? '' : ` from line ${line} on`
    throw new MemoryError('invalid_experience', `the file is not valid JSON${where}`, { cause })
  }
  return parseExperience(value)
}

/** The bytes of an experience file: UTF-8, two spaces of indent, fields in their fixed order, one line end. Throws `invalid_experience`. */
export function experienceBytes(experience: Experience): Uint8Array {
  const ordered: Experience = {
    description: experience.description,
    'when-to-use': experience['when-to-use'],
    content: experience.content,
    sources: experience.sources,
  }
  const bytes = new TextEncoder().encode(`${JSON.stringify(ordered, null, 2)}\n`)
  requireExperienceSize(bytes.length)
  return bytes
}

/** The two texts that the views index: `when-to-use` alone, and with the content after a blank line. */
export function viewText(view: ViewName, experience: ExperienceTexts): string {
  return view === 'when_to_use' ? experience['when-to-use'] : `${experience['when-to-use']}\n\n${experience.content}`
}

export const VIEW_NAMES = ['when_to_use', 'when_to_use_content'] as const
export type ViewName = (typeof VIEW_NAMES)[number]
