import { expect, test } from 'bun:test'
import { certificateAdvice, certificateFault } from '../../src/adapters/certificate-fault.ts'

// As OpenSSL, Bun and Deno name them.
test.each([
  ['SELF_SIGNED_CERT_IN_CHAIN: self signed certificate in certificate chain', 'untrusted'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT: self signed certificate', 'untrusted'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE: unable to verify the first certificate', 'untrusted'],
  ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unable to get local issuer certificate', 'untrusted'],
  ['CERT_UNTRUSTED: certificate not trusted', 'untrusted'],
  ['invalid peer certificate: UnknownIssuer', 'untrusted'],
  ['CERT_HAS_EXPIRED: certificate has expired', 'outdated'],
  ['CERT_NOT_YET_VALID: certificate is not yet valid', 'outdated'],
  ['invalid peer certificate: Expired', 'outdated'],
  [
    'invalid peer certificate: certificate expired: verification time 2 (UNIX), but certificate is not valid',
    'outdated',
  ],
  ['ERR_TLS_CERT_ALTNAME_INVALID fetching "https://models.example/v1"', 'misnamed'],
  ['HOSTNAME_MISMATCH: hostname mismatch', 'misnamed'],
  ['invalid peer certificate: certificate not valid for name "models.example"', 'misnamed'],
  ['invalid peer certificate: NotValidForName', 'misnamed'],
  ['CERT_REVOKED: certificate revoked', 'refused'],
  ['CERT_SIGNATURE_FAILURE: certificate signature failure', 'refused'],
  ['CERT_CHAIN_TOO_LONG: certificate chain too long', 'refused'],
  ['UNABLE_TO_GET_CRL: unable to get certificate CRL', 'refused'],
  ['invalid peer certificate: Revoked', 'refused'],
] as const)('%s is a certificate that is %s', (words, fault) => {
  expect(certificateFault(words)).toBe(fault)
})

test.each([
  ['ECONNREFUSED: Unable to connect.'],
  ['EPROTO: The TLS handshake failed.'],
  ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: certificate required'],
  ['ECONNRESET: The socket connection was closed unexpectedly'],
])('%s tells of no certificate', (words) => {
  expect(certificateFault(words)).toBeNull()
})

test('an authority is only to be named where it is missing', () => {
  expect(certificateAdvice('untrusted')).toContain('NODE_EXTRA_CA_CERTS')
  expect(certificateAdvice('misnamed')).not.toContain('NODE_EXTRA_CA_CERTS')
  expect(certificateAdvice('outdated')).not.toContain('NODE_EXTRA_CA_CERTS')
  expect(certificateAdvice('refused')).not.toContain('NODE_EXTRA_CA_CERTS')
})
