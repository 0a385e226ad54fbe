/** Why the certificate of a server is not believed, and what helps. Asking again changes nothing. */

export type CertificateFault = 'untrusted' | 'misnamed' | 'outdated' | 'refused'

// Codes of OpenSSL and of Bun, and the words of Deno.
const OUTDATED = /CERT_HAS_EXPIRED|CERT_NOT_YET_VALID|peer certificate: (?:certificate )?(?:expired|not ?valid ?yet)/i
const MISNAMED = /ALTNAME_INVALID|HOSTNAME_MISMATCH|not ?valid ?for ?name/i
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|CERT_UNTRUSTED|unknown ?issuer/i
/** Revoked, wrongly signed and the like. */
const REFUSED = /\bCERT_[A-Z]|UNABLE_TO_(?:GET|DECRYPT)|invalid peer certificate/

/** Null for another fault. @param words those of the connection */
export function certificateFault(words: string): CertificateFault | null {
  if (OUTDATED.test(words)) return 'outdated'
  if (MISNAMED.test(words)) return 'misnamed'
  if (UNTRUSTED.test(words)) return 'untrusted'
  return REFUSED.test(words) ? 'refused' : null
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
    case 'refused':
      return 'its certificate is not valid: tell whoever runs the server'
    default:
      return fault satisfies never
  }
}
