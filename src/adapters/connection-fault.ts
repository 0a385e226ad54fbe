/** Why no answer came from a server, and what the person does about it where asking again does not help. */
import { certificateAdvice, certificateFault } from './certificate-fault.ts'
import { connectionWords } from './connection-words.ts'
import type { OutboundProxy } from './outbound-proxy.ts'

export interface ConnectionFault {
  readonly text: string
  /** What the person does about it; missing where the words tell nothing in particular. */
  readonly advice?: string
  /** Whether asking again is of no use until the person has done that. */
  readonly isLasting?: boolean
}

/** @param address where the request goes in the end; @param proxy what it goes through */
export function connectionFault(error: Error, address: URL, proxy: OutboundProxy | null): ConnectionFault {
  // The runtime's words would repeat what it took for a host, a password perhaps.
  if (proxy?.place === null)
    return lasting(`${proxy.variable} holds no address of a proxy`, addressAdvice(proxy.variable))
  const text = connectionWords(error)
  const certificate = certificateFault(text)
  if (certificate !== null) return lasting(text, certificateAdvice(certificate))
  if (proxy === null) return { text }
  return /\btunnel: 407\b/.test(text)
    ? lasting(text, loginAdvice(proxy))
    : { text, advice: proxyAdvice(proxy, address) }
}

function lasting(text: string, advice: string): ConnectionFault {
  return { text, advice, isLasting: true }
}

// Not as `//user:password@`: what looks like credentials is taken out of every message.
const WRITTEN = 'user:password@ in front of the host, special characters as %23'

function addressAdvice(variable: string): string {
  return `set ${variable} to an address such as http://host:3128, a user and a password as ${WRITTEN}`
}

export function loginAdvice(proxy: OutboundProxy): string {
  return `${proxyWords(proxy)} wants a user and a password that it knows: write them into ${proxy.variable} as ${WRITTEN}`
}

/** For a request that `proxy` may have failed. @param address where it goes in the end */
export function proxyAdvice(proxy: OutboundProxy, { hostname }: URL): string {
  const past = LOOPBACK.test(hostname) ? `, or set NO_PROXY=${hostname} to go past it` : ''
  return `check ${proxyWords(proxy)}, and that it reaches the server${past}`
}

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/

function proxyWords({ variable, place }: OutboundProxy): string {
  return place === null ? `the proxy of ${variable}` : `the proxy ${place} (${variable})`
}
