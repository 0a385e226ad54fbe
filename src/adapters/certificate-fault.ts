/** Why the certificate of a server is not believed, and what helps. Asking again changes nothing. */

export type CertificateFault = 'untrusted' | 'misnamed' | 'outdated'

// Codes of OpenSSL and of Bun, and the words of Deno.
const OUTDATED = /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|peer certificate: (?:certificate )?(?:expired|not ?valid ?yet)/i
const MISNAMED = /ALTNAME_INVALID|HOSTNAME_MISMATCH|not ?valid ?for ?name/i
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|CERT_(?!IFICATE)|invalid peer certificate/

/** Null for another fault. @param words those of the connection */
export function certificateFault(words: string): CertificateFault | null {
  if (OUTDATED.test(words)) return 'outdated'
  if (MISNAMED.test(words)) return 'misnamed'
  return UNTRUSTED.test(words) ? 'untrusted' : null
}

/** What the person does about it. */
export function certificateAdvice(fault: CertificateFault): string {
  switch (fault) {
    case 'untrusted':
      return "name the file of your network's certificate authority in NODE_EXTRA_CA_CERTS"
    case 'misnamed':
      return 'its certificate is for another name: check the address'
    case 'outdated':
      return 'its certificate is not valid today: check the clock of this machine, and tell whoever runs the server'
    default:
      return fault satisfies never
  }
}
