/**
 * The proxy that the runtime's `fetch` goes through for an address, so that a fault can name it. Decides nothing: the
 * runtime reads the same variables by the same rules.
 */
import { BlockList, isIP } from 'node:net'
import process from 'node:process'

type Environment = Readonly<Record<string, string | undefined>>

export interface OutboundProxy {
  readonly variable: string
  /** Host and port, without user and password; null where the variable holds no address of a proxy. */
  readonly place: string | null
}

/** Null where the address is asked directly. @param url http or https */
export function outboundProxy(url: URL, environment: Environment = process.env): OutboundProxy | null {
  const found = variableFor(url.protocol === 'https:' ? 'https_proxy' : 'http_proxy', environment)
  if (found === null || isLeftOut(url, firstSet(['no_proxy', 'NO_PROXY'], environment)?.value ?? '')) return null
  return { variable: found.variable, place: placeOf(found.value) }
}

const SCHEME = /^([a-z][\w+.-]*):\/\//i

interface SetVariable {
  readonly variable: string
  readonly value: string
}

function variableFor(name: string, environment: Environment): SetVariable | null {
  const own = firstSet([name, name.toUpperCase()], environment)
  if (own !== null) return own
  const all = firstSet(['all_proxy', 'ALL_PROXY'], environment)
  // Often of a kind that only other programs speak; then it counts for nothing.
  return /^https?$/i.test(SCHEME.exec(all?.value ?? '')?.[1] ?? 'http') ? all : null
}

/** Lower case goes first, as elsewhere; empty is not set, and neither is a pair of quotes. */
function firstSet(names: readonly string[], environment: Environment): SetVariable | null {
  for (const variable of names) {
    const value = environment[variable] ?? ''
    if (value !== '') return /^(?:""|'')$/.test(value) ? null : { variable, value }
  }
  return null
}

/**
 * Null for what is no http or https address, and for one that may hold a password where the host stands: `user:pass@host`
 * without scheme, or a `#` or `/` in a password that is not escaped.
 */
function placeOf(value: string): string | null {
  const scheme = SCHEME.exec(value)?.[1]
  const url = URL.parse(scheme === undefined ? `http://${value}` : value)
  if (url === null || /\s/.test(value) || !/^https?$/i.test(scheme ?? 'http')) return null
  const isPlain = `${url.pathname}${url.search}${url.hash}` === '/'
  const hasUser = scheme !== undefined && `${url.username}${url.password}` !== ''
  return value.includes('@') && !(hasUser && isPlain) ? null : url.host
}

/** By NO_PROXY: hosts and all below them, with a port where one is named; addresses and ranges of them; `*` for all. */
function isLeftOut(url: URL, list: string): boolean {
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase()
  const port = url.port || (url.protocol === 'https:' ? '443' : '80')
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== '')
    .some((entry) => entry === '*' || names(entry, host, port))
}

function names(entry: string, host: string, port: string): boolean {
  const [network = '', bits] = entry.split('/')
  if (bits !== undefined) return isWithin(host, network, Number(bits))
  if (isIP(entry) === 6) return entry === host
  const [, name = '', entryPort] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(entry) ?? []
  if (entryPort !== undefined && entryPort !== port) return false
  const domain = name.replace(/^\*?\./, '')
  return host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`))
}

function isWithin(host: string, network: string, bits: number): boolean {
  const kind = isIP(network)
  const isRange = kind !== 0 && kind === isIP(host) && Number.isInteger(bits) && bits <= (kind === 4 ? 32 : 128)
  if (!isRange) return false
  const family = kind === 4 ? 'ipv4' : 'ipv6'
  const range = new BlockList()
  range.addSubnet(network, bits, family)
  return range.check(host, family)
}
