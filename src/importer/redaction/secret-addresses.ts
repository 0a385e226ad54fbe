/** Passwords and tokens in addresses: `scheme://user:password@host`, `scheme://token@host`. */
import { execAt, matchedAt } from '../../model/match-at.ts'
import { nothingRead, type Reading, type Secret } from './secret.ts'
import { isMachineMade, isPlaceholder, repeatsUser } from './secret-value.ts'

// User and password as far as the last `@` before the host; a raw `/` cannot stand in either.
const USER_INFO = /([^\s:@/?#"'`<>\\|]{0,256}):([^\s/"'`<>\\|]{1,256})@(?=[\w[])/y

// Of databases, whose passwords are often made at random: a `/` in them is not always written as it should.
const DATABASE = /(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|rediss?|amqps?)$/
const DATABASE_USER_INFO = /([^\s:@/?#"'`<>\\|]{0,256}):((?!\d{1,5}[/?#])[^\s"'`<>\\|]{1,256})@(?=[\w[])/y
// A token that is a user by itself, as in an address of git, with or without the colon of an empty password.
const TOKEN_USER = /([\w.~-]{16,256}):?@(?=[\w[])/y
// What git servers want in place of a password when the user is a token.
const NO_PASSWORD = /^(?:x-oauth-basic|x-token-auth|x-access-token|oauth2|x|api_?token)$/i
const LOCAL_HOST = /^(?:127(?:\.\d{1,3}){3}|0\.0\.0\.0|\[::1\]|[a-z][\w-]*)$/i
const HOST = /[\w.-]+|\[[\da-f:]+\]/iy

/** @param slashes units of `://`, more where JSON escapes them */
export function readUserInfo(text: string, at: number, slashes: number): Reading {
  const authority = at + slashes
  if (!/[A-Za-z0-9]/.test(text.charAt(at - 1))) return nothingRead(authority)
  const token = execAt(TOKEN_USER, text, authority)?.[1]
  if (token !== undefined && isMachineMade(token)) {
    const secret = urlSecret(authority, token)
    return { secrets: [secret], readTo: secret.end }
  }
  const pattern = DATABASE.test(text.slice(Math.max(0, at - 12), at)) ? DATABASE_USER_INFO : USER_INFO
  const [whole, user, password] = execAt(pattern, text, authority) ?? []
  if (whole === undefined || user === undefined || password === undefined) return nothingRead(authority)
  const readTo = authority + whole.length
  if (isOfThisMachine(user, password, matchedAt(HOST, text, readTo))) return nothingRead(authority)
  const secrets: Secret[] = []
  if (user.length >= 16 && isMachineMade(user)) secrets.push(urlSecret(authority, user))
  const isStandIn = isPlaceholder(password) && !isOfSomebody(user, password, matchedAt(HOST, text, readTo))
  const isPassword = !isStandIn && !(secrets.length > 0 && NO_PASSWORD.test(password))
  if (isPassword) secrets.push(urlSecret(authority + user.length + 1, password))
  return secrets.length > 0 ? { secrets, readTo } : nothingRead(authority)
}

function urlSecret(start: number, value: string): Secret {
  return { start, end: start + value.length, kind: 'url-password' }
}

/**
 * `postgres:postgres@localhost`: a password that says the user again, of a server on this machine or in the network of its
 * containers. Images come with it, so it opens nothing that is not open; hiding it would make logs hard to read.
 */
function isOfThisMachine(user: string, password: string, host: string): boolean {
  return repeatsUser(user, password) && LOCAL_HOST.test(host)
}

const WORD_FOR_PASSWORD = /^(?:secret|pass(?:word|wd)?|pwd)$/i
const ANY_USER =
  /^(?:(?:user(?:name)?|usr|u|me|name|login|account|db_?user|x+|foo)?$|[<{$%*[]|(?:your|my|some|any|example)[-_]?)/i
const ANY_HOST =
  /^(?:your|my|some)[-_.]?|^(?:host(?:name)?|server|domain)\d?\.|(?:^|\.)(?:example|domain|host(?:name)?|server|site|company)\.[a-z]{2,6}$|\.(?:example|test|invalid|local(?:host|domain)?)$/i

/** `bob:secret@git.acme.io`: what stands for a password elsewhere is one that was chosen, where user and host are no stand-ins. */
function isOfSomebody(user: string, password: string, host: string): boolean {
  const isNamed = !ANY_USER.test(user) && !ANY_HOST.test(host) && !LOCAL_HOST.test(host)
  return isNamed && WORD_FOR_PASSWORD.test(password)
}
