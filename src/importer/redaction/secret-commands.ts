/** Secrets that are known by the command or the file they stand in, with no name beside them: `curl -u me:…`, netrc, cookies. */
import type { Secret, SecretKind } from './secret.ts'
import { isPlaceholder, looksSecret } from './secret-value.ts'

interface Place {
  readonly kind: SecretKind
  /** Global; its one group is the secret. No part of it may grow without bound. */
  readonly pattern: RegExp
  readonly accepts: (value: string) => boolean
}

const isChosen = (value: string) => value.length >= 4 && !isPlaceholder(value)
const isMade = (value: string) => value.length >= 16 && looksSecret(value, 'token', true)

const PLACES: readonly Place[] = [
  {
    kind: 'password',
    pattern: /\b(?:curl|wget|http)\b[^\n|;&]{0,300}?\s(?:-u|--user)[ =]["']?[^\s:"'$]{1,100}:([^\s"'$\\]{1,200})/g,
    accepts: isChosen,
  },
  {
    kind: 'password',
    pattern: /\b(?:mysql(?:dump|admin)?|mariadb(?:-dump)?)\b[^\n|;&]{0,200}?\s-p["']?([^\s"'$\\]{4,200})/g,
    accepts: isChosen,
  },
  {
    kind: 'password',
    pattern:
      /\b(?:docker|podman|helm registry|skopeo) login\b[^\n|;&]{0,200}?\s-p[ =]?["']?([^\s"'$\\-][^\s"'$\\]{3,200})/g,
    accepts: isChosen,
  },
  { kind: 'password', pattern: /\bsshpass\s{1,4}-p\s{0,4}["']?([^\s"'$\\]{4,200})/g, accepts: isChosen },
  {
    kind: 'password',
    pattern: /\blogin\s{1,8}[^\s"']{1,100}\s{1,8}password\s{1,8}([^\s"'\\]{4,200})/g,
    accepts: isChosen,
  },
  { kind: 'authorization', pattern: /"auth\\{0,8}"\s{0,4}:\s{0,4}\\{0,8}"([A-Za-z0-9+/=]{8,2000})/g, accepts: isBasic },
  { kind: 'cloud-token', pattern: /[?&;]sig=([\w%+/-]{40,100}(?:%3D|=){0,2})/gi, accepts: isMade },
  {
    kind: 'cloud-token',
    pattern: /\bAccountKey=([A-Za-z0-9+/]{40,100}={0,2})/g,
    accepts: (value) => !isPlaceholder(value),
  },
]

export function commandSecrets(text: string): readonly Secret[] {
  const found = PLACES.flatMap(({ kind, pattern, accepts }) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const value = match[1] ?? ''
      const start = match.index + match[0].lastIndexOf(value)
      return accepts(value) ? [{ start, end: start + value.length, kind }] : []
    }),
  )
  return [...found, ...cookies(text)]
}

const COOKIE_HEADER = /\b(?:set-)?cookie\b["']?\s{0,4}[:=]([^\n]{1,4000})/gi
const COOKIE = /(?:^|[\s;"'])[\w.-]{1,60}=([\w.~+/%-]{16,2000})/g

function cookies(text: string): readonly Secret[] {
  return [...text.matchAll(COOKIE_HEADER)].flatMap(({ 0: header, 1: line = '', index }) => {
    const lineStart = index + header.length - line.length
    return [...line.matchAll(COOKIE)].flatMap((match): Secret[] => {
      const value = match[1] ?? ''
      const end = lineStart + match.index + match[0].length
      return isMade(value) ? [{ start: end - value.length, end, kind: 'authorization' }] : []
    })
  })
}

/** What Docker keeps of a login: user and password in base64. */
function isBasic(value: string): boolean {
  try {
    return /^[^:\s]+:\S+$/.test(atob(value))
  } catch {
    return false
  }
}
