/** Which certificate authorities a connection of this process believes. */
import { existsSync } from 'node:fs'
import tls from 'node:tls'
import type { TrustedCertificates } from '../ports.ts'

/** Variables that name files of further authorities, of Node and of OpenSSL. */
const FILE_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE'] as const

export function trustedCertificates(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TrustedCertificates {
  const missingFiles = FILE_VARIABLES.flatMap((variable) => {
    const path = environment[variable] ?? ''
    return path === '' || existsSync(path) ? [] : [{ variable, path }]
  })
  return { builtIn: tls.rootCertificates.length, ofSystem: countOf('system'), missingFiles }
}

/** Null where the runtime does not tell: Deno has its own option for it. */
function countOf(kind: 'system'): number | null {
  try {
    return tls.getCACertificates?.(kind).length ?? null
  } catch {
    return null
  }
}
