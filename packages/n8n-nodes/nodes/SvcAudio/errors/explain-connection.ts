import type { ConnectionError } from '@svc-audio/core/pure'
import type { Explanation } from './explanation.ts'
import { systemCodes } from './system-codes.ts'

const UNREACHABLE = 'Check the Base URL of the credentials, the network of n8n, and its proxy settings.'
const TRUST =
  'Give n8n the certificate authority with NODE_EXTRA_CA_CERTS, or turn on Ignore SSL Issues in the credentials for your own network.'

/** Headline and remedy by code of the system or of OpenSSL. */
export const CONNECTION_WORDS: Readonly<Record<string, readonly [headline: string, remedy: string]>> = {
  ECONNREFUSED: [
    'Base URL: no service runs at this address',
    'Start the service, and check host and port of the Base URL. In Docker, 127.0.0.1 is the container of n8n itself.',
  ],
  ENOTFOUND: ['Base URL: there is no host of this name', 'Check the spelling of the Base URL in the credentials.'],
  EAI_AGAIN: ['Base URL: the name of the host cannot be looked up', UNREACHABLE],
  EHOSTUNREACH: ['Base URL: the host cannot be reached', UNREACHABLE],
  ENETUNREACH: ['Base URL: the network of the host cannot be reached', UNREACHABLE],
  ETIMEDOUT: ['Base URL: the host does not answer', UNREACHABLE],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['The certificate of the service is self-signed', TRUST],
  SELF_SIGNED_CERT_IN_CHAIN: ['The certificate of the service is from an unknown authority', TRUST],
  UNABLE_TO_GET_ISSUER_CERT: ['The certificate of the service is from an unknown authority', TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['The certificate of the service is from an unknown authority', TRUST],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['The certificate of the service is from an unknown authority', TRUST],
  CERT_HAS_EXPIRED: [
    'The certificate of the service has expired',
    'Renew the certificate of the service, and check the clock of n8n.',
  ],
  CERT_NOT_YET_VALID: ['The certificate of the service is not valid yet', 'Check the clock of n8n.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'The certificate of the service is for another host',
    'Use the host name of the certificate in the Base URL.',
  ],
  EPROTO: [
    'Base URL: the service does not speak HTTPS at this address',
    'Begin the Base URL with http://, or use the HTTPS port of the service.',
  ],
}

/** The connection to the service failed. */
export function explainConnection({ cause, maybeSent }: ConnectionError): Explanation {
  const codes = systemCodes(cause)
  const code = codes.find((one) => one in CONNECTION_WORDS) ?? (codes.some(isTls) ? 'EPROTO' : undefined)
  const [headline, remedy] = CONNECTION_WORDS[code ?? ''] ?? [
    'The connection to the service was lost',
    LOST[Number(maybeSent)],
  ]
  const known = code ?? codes[0]
  return { headline, description: known === undefined ? remedy : `${remedy} (code ${known})`, code: known }
}

const LOST = [
  'Run the workflow again.',
  'Run the workflow again, or turn on the option Retry Unclear Failures. The service may have done the work.',
]

/** OpenSSL's codes, such as ERR_SSL_WRONG_VERSION_NUMBER. */
function isTls(code: string): boolean {
  return code.startsWith('ERR_SSL_')
}
