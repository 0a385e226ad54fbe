/** A certificate authority of one test run, made by the `openssl` program: no key lies in the repository. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ServerIdentity {
  /** Path of the authority's certificate, for those who are to trust it. */
  readonly authority: string
  readonly cert: string
  readonly key: string
}

export function hasOpenssl(): boolean {
  return spawnSync('openssl', ['version']).status === 0
}

/** A certificate for these names. @param folder where the files are made */
export function serverIdentity(folder: string, names: readonly string[]): ServerIdentity {
  const at = (name: string): string => join(folder, name)
  const alternatives = names.map((name) => `DNS:${name}`)
  const subjectOf = (name: string) => ['-subj', `/CN=${name}`, '-days', '2', '-nodes', '-newkey', 'rsa:2048']
  openssl('req', '-x509', ...subjectOf('Test Authority'), '-keyout', at('ca.key'), '-out', at('ca.pem'))
  openssl('req', ...subjectOf('Test Server'), '-keyout', at('server.key'), '-out', at('server.csr'))
  writeFileSync(at('server.ext'), `subjectAltName=${alternatives.join(',')}\nbasicConstraints=CA:FALSE\n`)
  const signing = ['-CA', at('ca.pem'), '-CAkey', at('ca.key'), '-CAcreateserial', '-extfile', at('server.ext')]
  openssl('x509', '-req', '-in', at('server.csr'), '-days', '2', ...signing, '-out', at('server.pem'))
  return {
    authority: at('ca.pem'),
    cert: readFileSync(at('server.pem'), 'utf8'),
    key: readFileSync(at('server.key'), 'utf8'),
  }
}

function openssl(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`)
}
