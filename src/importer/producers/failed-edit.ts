/** Whether the answer of a tool that edits files says, in words alone, that nothing was edited. */
import { asRecord, fieldOf, parsedValue, textField } from './json-records.ts'

/**
 * Only the first line is looked at: what follows may be the file itself, in which any words stand.
 * @param output of a tool whose answer has no flag, or a good one
 */
export function tellsFailedEdit(output: string): boolean {
  const record = /^\s*\{/.test(output) ? asRecord(parsedValue(output)[0]) : null
  if (record !== null && changedNothing(record)) return true
  const text = record === null ? output : (textField(record, 'message', 'result', 'detail', 'content', 'output') ?? '')
  const first = text
    .split('\n', LINES_SOUGHT)
    .map((line) => line.trim().replace(MARKUP, '').replace(HEADING, ''))
    .find((line) => line !== '')
  if (first === undefined || first.length > LINE_UNITS_MAX) return false
  const said = first.replace(STATUS, '')
  if (DONE.test(said)) return false
  return said.length < first.length || UNCHANGED.some((sign) => sign.test(said))
}

const LINES_SOUGHT = 10
const MARKUP = /^(?:[*_`]+|⚠️?)\s*|`{3}\w*$/gu
/** Says no more than that an answer follows. */
const HEADING = /^(?:\[[^\]]{1,200}\] )?(?:(?:tool )?(?:result|output|response)|warning|note):\s*/i
const LINE_UNITS_MAX = 1_000

function changedNothing(record: unknown): boolean {
  return (
    ['applied', 'changed', 'modified', 'updated', 'edited', 'written'].some(
      (name) => fieldOf(record, name) === false,
    ) ||
    ['replacements', 'occurrences', 'edits_applied', 'changes', 'matches'].some((name) => fieldOf(record, name) === 0)
  )
}

// What marks an answer as an error whatever it goes on with: `Error: …`, `[error] …`, `Error while writing a.ts: …`, or nothing but `ERROR`.
const STATUS =
  /^(?:[❌✗✘]\s*|[[(<](?:tool[_ ](?:use[_ ])?)?(?:error|failure|failed)[\])>]:?\s*|(?:(?:edit|patch|tool|write|operation) )?(?:error|failure|failed)\**(?:[:!]\**\s*|\.?$| (?:while |when |during |in )?\w+ing\b[^:]{0,80}: ))+/iu

/** Words of success that stand first, whatever follows them. */
const DONE =
  /^(?:the file .{0,300} has been (?:updated|edited|created|written|overwritten)|success|done|ok\b|edited|updated|applied (?!0|no )|wrote|written|created|saved|replaced (?!0|no )|made [1-9]|patched)/i

const SOUGHT =
  '(?:(?:the|your|exact|given|provided|specified|requested) ){0,3}(?:old[_ ]?str(?:ing)?|old[_ ]?text|search(?:\\/replace)?(?:[_ ](?:text|string|block|pattern))?|strings?(?: to replace)?|text(?: to replace)?|pattern|target(?: content)?|anchor|context|snippet|block|lines?|hunks?|match(?:es)?|occurrences?)\\b(?!\\s*[=(.{])'
const ABSENT =
  "(?:(?:was |were |is |are )?not (?:found|present|unique)|(?:did|does|do)(?: not|n't) (?:match|appear|exist|occur)|(?:could|can)(?: ?not|n't) be found|failed to match|appears? (?:more than once|multiple|[2-9])|must be unique)"
const ACT =
  '(?:(?:the|your|this|proposed|requested|file) ){0,3}(?:edits?|changes?|patch(?:es)?|diffs?|replacements?|modifications?|updates?|hunks?|writes?|operation|request|action|tool call|(?:tool )?execution)'
const DENIED =
  '(?:rejected|refused|denied|declined|cancell?ed|abort(?:ed|ing)|not approved|blocked|skipped|discarded|reverted|rolled back)'

/** Each is tried on the first line, behind what marks it as an error. */
const UNCHANGED: readonly RegExp[] = [
  // No changes made. · No replacement was performed
  /^no (?:\w+ )?(?:edits?|changes?|replacements?|modifications?|updates?)(?:[.!]?$| (?:(?:was|were|is|are|has been|have been) )?(?:made|performed|applied|done|needed|required|to (?:make|apply)|detected|found)\b)/i,
  /^nothing (?:to (?:change|replace|edit|do|apply|update)|(?:was |has been )?(?:changed|replaced|edited|modified|applied|written))\b/i,
  // not modified · file unchanged · The file /x was not changed
  /^(?:(?:the )?(?:file|content|document)\b(?:(?!\. |;).){0,200}? )?(?:not (?:been )?(?:modified|changed|edited|updated|written|saved|applied|created|patched)|unchanged|unmodified)\b[^'"`]{0,80}$/i,
  // String to replace not found in file · old_str `x` did not appear verbatim in /a
  new RegExp(`^${SOUGHT}.{0,400}?\\b${ABSENT}`, 'i'),
  /^(?:(?:found|replaced|made|applied) )?(?:no|zero|0) (?:exact )?(?:match(?:es)?|occurrences?|replacements?|edits?|changes?)\b/i,
  // Found 2 matches, edit not applied · expected 1 occurrence but found 2
  /^found (?:\d+|multiple|several) (?:\w+ )?(?:match(?:es)?|occurrences?)\b.{0,200}\b(?:not (?:applied|edited|replaced|made|unique|changed|modified)|but (?!replaced)|unique|no (?:edit|change)|more context|unchanged)/i,
  /^expected \d+ (?:match(?:es)?|occurrences?|replacements?),? but found \d|^(?:multiple|several|ambiguous) (?:match(?:es)?|occurrences?)\b/i,
  new RegExp(`^${ACT}(?::| (?:(?:was|were|has been|is) )?)(?:${DENIED}|fail(?:ed|s)|not)\\b`, 'i'),
  new RegExp(`^${ACT} (?:could|can|did|does|do|was|were|is|has)(?: ?not|n't)\\b`, 'i'),
  new RegExp(`^${DENIED}(?: by\\b|[.!:]|$)|^aborting\\b`, 'i'),
  /^no (?:\w+ ){0,3}match(?:es)? found\b|^the following \w+ (?:\w+ )?(?:failed|were not)\b/i,
  /^(?:(?:I|we) )?(?:failed to|unable to|could not|couldn't|cannot|can't) (?:be )?(?:edit|apply|write|find|replace|create|save|open|read|update|patch|parse|insert|locate|match|access|modify|perform|delete|make|change)\b/i,
  /^(?:E(?:ACCES|PERM|NOENT|ROFS|NOSPC|ISDIR|NOTDIR|EXIST|BUSY)|permission denied|access denied|operation not permitted|read-only file system|no such file)\b/i,
  /^(?:the )?(?:file|path|(?:parent )?directory)\b.{0,300}?\b(?:(?:does|do|did)(?: not|n't) exist|not found|already exists|has not been read|has been (?:modified|changed) since|is (?:read-only|a directory|not (?:a file|writable|allowed)|binary))\b/i,
  /^invalid [`'"]?(?:path|arguments?|parameters?|input|diff|patch|line|edit|command|view_range|insert_line|old_str)\b/i,
  /^apply_patch verification failed|^patch (?:failed|does not apply)|^malformed (?:patch|diff)|^hunk #?\d+ failed|^\[?your proposed edit has introduced\b/i,
  /^(?:old_?str(?:ing)?|old_?text)\b.{0,40}\band (?:new_?str(?:ing)?|new_?text)\b.{0,40}\b(?:same|identical|equal)\b/i,
]
