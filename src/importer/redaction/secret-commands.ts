/** Secrets that are known by the command they stand in, with no name beside them: `curl -u me:…`, SQL, netrc. */

import { execAt, matchedAt } from '../../model/match-at.ts'
import { type AnchoredReader, nothingRead, type Reader, type Secret, type SecretKind } from './secret.ts'
import { sessionCookies } from './secret-settings.ts'
import { isMachineMade, isPlaceholder, isVaultToken, looksSecret, repeatsUser } from './secret-value.ts'

interface Place {
  readonly words: readonly string[]
  readonly kind: SecretKind
  /** Its group `quoted` or `bare` is the secret. No part of it may grow without bound. */
  readonly pattern: RegExp
  /** @param before the text from the word to the value; `lead` is what stands in front of the word */
  readonly accepts: (value: string, before: string, lead: string) => boolean
}

const isChosen = (value: string) => value.length >= 4 && !isPlaceholder(value)

const QUOTE = String.raw`(?<quote>\\{0,8}["'])`
const QUOTED = String.raw`(?<quoted>(?:(?!\k<quote>)[^\n]){1,200})\k<quote>`
// A separator of commands only where the next one follows: passwords hold such signs too.
const BARE = String.raw`(?<bare>(?:[^\s"'\\|;&]|[|;&](?![\s|;&"'\\]|$)){1,200})`
const LOGIN = String.raw`[^\s:"'$]{1,100}:`

/** After `lead`, which may stand in the same quotes. */
function argument(lead = ''): string {
  return `(?:${QUOTE}${lead}${QUOTED}|["']?${lead}${BARE})`
}

/** Of a command, wherever it stands among the arguments. */
function option(expression: string): RegExp {
  return new RegExp(`(?<=\\s|\\\\n)${expression}`, 'g')
}

const MYSQL = ['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mysqlsh', 'mariadb', 'mariadb-dump', 'mariadb-admin']
const LDAP = ['search', 'add', 'modify', 'delete', 'modrdn', 'compare', 'passwd', 'whoami'].map((verb) => `ldap${verb}`)
// `identified by`, or with the plugin that is to look at the password.
const SQL_BY = `(?:\\s{1,8}with\\s{1,8}\\S{1,60})?\\s{1,8}by(?:\\s{1,8}password)?`
const SQL_VALUE = `\\s{0,8}[=(]?\\s{0,8}${QUOTE}${QUOTED}`

const COMMANDS: readonly Place[] = [
  {
    words: ['curl', 'wget', 'curl.exe'],
    kind: 'password',
    // Options of curl that take no value may stand in front of `u`.
    pattern: option(`(?:-[#0-9aBfgGiIjJkLlMnNOpqRsSvV]{0,8}[uU]|--(?:proxy-)?user)[ =]{0,2}${argument(LOGIN)}`),
    accepts: isChosen,
  },
  {
    words: ['http', 'https', 'xh', 'xhs'],
    kind: 'password',
    pattern: option(`(?:-a|--auth)[ =]{0,2}${argument(LOGIN)}`),
    accepts: isChosen,
  },
  {
    words: MYSQL,
    kind: 'password',
    pattern: option(`-p(?=\\S)${argument()}`),
    accepts: (value, before) => isChosen(value) && !isLocalDefault(value, before),
  },
  {
    words: ['docker login', 'podman login', 'helm registry login', 'skopeo login'],
    kind: 'password',
    pattern: option(`-p[ =]?(?!-)${argument()}`),
    accepts: isChosen,
  },
  {
    words: ['redis-cli', 'valkey-cli', 'keydb-cli'],
    kind: 'password',
    pattern: option(`(?:-a|--pass)[ =]{1,4}(?!-)${argument()}`),
    accepts: isChosen,
  },
  {
    words: LDAP,
    kind: 'password',
    // Options that take no value may stand in front of `w`.
    pattern: option(`-[xZvncCMPL]{0,8}w {0,4}(?!-)${argument()}`),
    accepts: isChosen,
  },
  {
    words: ['sqlplus', 'sqlldr', 'expdp', 'impdp', 'sqlcl'],
    kind: 'password',
    pattern: option(
      `["']?(?:userid=)?[\\w$#.]{1,60}/(?:${QUOTE}${QUOTED}|(?<bare>[^\\s"'\\\\@/]{1,128}))(?=@[\\w/"(]|["']?\\s{1,4}as\\s{1,4}sys)`,
    ),
    accepts: isChosen,
  },
]

/** What goes on right behind its word; the patterns are sticky. */
const PHRASES: readonly Place[] = [
  {
    words: ['sshpass'],
    kind: 'password',
    pattern: new RegExp(`(?:\\s{1,4}-[ev]){0,2}\\s{1,4}-p\\s{0,4}${argument()}`, 'y'),
    accepts: isChosen,
  },
  {
    words: ['vault login'],
    kind: 'cloud-token',
    pattern: /\s{1,4}(?:-\S{1,60}\s{1,4}){0,3}(?:token=)?(?<bare>[\w.-]{20,200})/y,
    accepts: (value) => isVaultToken(value) || isMachineMade(value),
  },
  {
    words: ['machine', 'login'],
    kind: 'password',
    pattern:
      /(?:(?<=login)|\s{1,8}[^\s"']{1,200}\s{1,8}login)\s{1,8}[^\s"']{1,100}\s{1,8}password\s{1,8}(?<bare>[^\s"'\\]{4,200})/y,
    accepts: (value, before, lead) =>
      looksSecret(value, { strength: 'password' }) ||
      (isChosen(value) && (NETRC_HOST.test(before) || (before.startsWith('login') && LINE_START.test(lead)))),
  },
  {
    words: ['CREATE', 'create', 'ALTER', 'alter'],
    kind: 'password',
    pattern: new RegExp(
      `\\s{1,8}(?:user|role|login)\\b[^;\\n]{0,200}?\\b(?:password|identified${SQL_BY})${SQL_VALUE}`,
      'iy',
    ),
    accepts: (value, before) => isChosen(value) && !repeatsUser(SQL_USER.exec(before)?.[1] ?? '', value),
  },
  {
    words: ['IDENTIFIED', 'identified'],
    kind: 'password',
    pattern: new RegExp(`${SQL_BY}${SQL_VALUE}`, 'iy'),
    // In small letters it is prose too: `the commands identified by "code"`.
    accepts: (value, before) =>
      before.startsWith('I') ? isChosen(value) : looksSecret(value, { strength: 'password' }),
  },
  {
    words: ['SET PASSWORD', 'set password'],
    kind: 'password',
    pattern: new RegExp(`\\b[^;\\n]{0,100}?=(?:\\s{0,8}password)?${SQL_VALUE}`, 'iy'),
    accepts: isChosen,
  },
]

const SQL_USER = /\b(?:user|role|login)\W{1,9}([\w-]{1,60})/i
// The name of a host, or of a machine that has a number: `machine learning login page password field` is prose.
const NETRC_HOST = /^machine\s+(?:localhost|\S*[^A-Za-z\s]\S*)\s/
const LINE_START = /(?:^|\n)[ \t]*$/
const LEAD_UNITS = 20

export function commandReaders(): readonly AnchoredReader[] {
  return [
    ...COMMANDS.flatMap((place) => place.words.map((word) => [word, commandReader(word, place)] as const)),
    ...PHRASES.flatMap((place) => place.words.map((word) => [word, phraseReader(word, place)] as const)),
  ]
}

// The arguments of one command: what is quoted, and lines that go on. `\n` in JSON ends a line as well.
const ARGUMENTS =
  /(?=\s)(?:[^\n|;&"'\\]|\\{3}n|\\\r?\n|\\(?![nr])|"[^"\n]{0,200}"|'[^'\n]{0,200}'|&(?!&)(?=\S)){1,600}/y
/** An option that stands last may go on past the arguments, for separators are a matter of guessing. */
const VALUE_UNITS_MAX = 400

/** Reads each argument once, however often the word stands among them. */
function commandReader(word: string, place: Place): Reader {
  return (text, start) => {
    const at = start + word.length
    const { length } = matchedAt(ARGUMENTS, text, at)
    const ahead = text.slice(at, at + length + (length === 0 ? 0 : VALUE_UNITS_MAX))
    const inside = [...ahead.matchAll(place.pattern)].filter(({ index }) => index < length)
    const secrets = inside.flatMap((match) => secretIn(text, start, at, match, place))
    const jar = word === 'curl' ? COOKIE_OPTION.exec(ahead.slice(0, length)) : null
    const cookies = jar === null ? [] : sessionCookies(text, at + jar.index + jar[0].length)
    return { secrets: [...secrets, ...cookies], readTo: at + length }
  }
}

function phraseReader(word: string, place: Place): Reader {
  return (text, start) => {
    const at = start + word.length
    const match = execAt(place.pattern, text, at)
    if (match === null) return nothingRead(at)
    return { secrets: secretIn(text, start, 0, match, place), readTo: at + match[0].length }
  }
}

/** @param offset of the text that was matched; `start` is where the word stands */
function secretIn(
  text: string,
  start: number,
  offset: number,
  match: RegExpExecArray,
  place: Place,
): readonly Secret[] {
  const value = match.groups?.quoted ?? match.groups?.bare ?? ''
  const valueStart = offset + match.index + match[0].lastIndexOf(value)
  const lead = text.slice(Math.max(0, start - LEAD_UNITS), start)
  if (!place.accepts(value, text.slice(start, valueStart), lead)) return []
  return [{ start: valueStart, end: valueStart + value.length, kind: place.kind }]
}

const COOKIE_OPTION = /(?<=\s|\\n)-b[ =]?(?=["'\\]{0,9}[\w.-]{1,60}=)/

/** `mysql -uroot -proot`, as in `root:root@localhost`: the user again, and no host but this machine. */
function isLocalDefault(password: string, before: string): boolean {
  const user = /\s(?:-u|--user)[ =]?["']?([^\s"']{1,60})/.exec(before)?.[1] ?? 'root'
  const host = /\s(?:-h|--host)[ =]?["']?([^\s"']{1,200})/.exec(before)?.[1] ?? ''
  return repeatsUser(user, password) && (host.startsWith('127.') || !host.includes('.'))
}
