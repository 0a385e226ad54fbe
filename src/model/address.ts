/** Addresses of servers as they may be shown. Knows where an address hides a credential; opens no connection. */

/** Of a model server for which nobody named another. */
export const DEFAULT_SERVER_ADDRESS = 'https://api.openai.com/v1'

const HIDDEN = '[hidden]@'

/**
 * The address without user, password, query and fragment, any of which may be a key; unchanged when it has none.
 * What is no URL stays as it is, but for anything that looks like `//user:password@` or `user:password@`.
 */
export function withoutCredentials(address: string): string {
  const url = URL.parse(address)
  if (url === null || mayHideInPath(url, address)) return withoutUserinfo(address)
  if (`${url.username}${url.password}${url.search}${url.hash}` === '') return address
  url.username = ''
  url.password = ''
  url.search = ''
  url.hash = ''
  return url.href
}

/** `user:password@host` parses as a scheme and a path, `//user:12/34@host` as a host, a port and a path. */
function mayHideInPath({ protocol, host, pathname, search, hash }: URL, address: string): boolean {
  const hasColon = /\/[^/]*:/.test(address.slice(protocol.length))
  return host === '' || (hasColon && `${pathname}${search}${hash}`.includes('@'))
}

/** Up to the last `@`: in a broken address the password may hold any character. */
function withoutUserinfo(text: string): string {
  const end = text.lastIndexOf('@')
  const slashes = text.indexOf('//')
  const colon = text.indexOf(':')
  // A colon that belongs to a scheme stands right before the slashes.
  const isAfterSlashes = slashes !== -1 && (colon === -1 || colon >= slashes - 1)
  if (isAfterSlashes ? end < slashes : colon === -1 || end < colon) return text
  return `${text.slice(0, isAfterSlashes ? slashes + 2 : 0)}${HIDDEN}${text.slice(end + 1)}`
}
