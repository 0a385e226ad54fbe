/** Which hosts are this machine, whoever says so. */
import { isIP } from 'node:net'

/** A name of this machine that nobody else can give it. @param host without port, an IPv6 address with brackets or without */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
