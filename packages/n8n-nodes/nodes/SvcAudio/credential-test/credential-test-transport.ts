import type { ResponseBody, Transport } from '@svc-audio/core/pure'
import type { ICredentialTestFunctions } from 'n8n-workflow'
import { connectionError, flatten } from '../client/n8n-transport.ts'

/** Settings of a test. */
export interface CredentialTestTransportOptions {
  /** Whether to connect even if the certificate of the service cannot be checked. */
  readonly ignoresCertificates: boolean
  /** Deadline of a request, in milliseconds. */
  readonly timeout: number
}

/** What the helper answers with these options. Its type says `any`. */
interface HelperResponse {
  readonly statusCode: number
  readonly headers: object
  /** `undefined` if the response is empty. */
  readonly body?: Uint8Array | string
}

/**
 * HTTP through the only helper that n8n gives to a test of credentials. It brings n8n's proxy settings and its guard
 * against private addresses, and holds the response in memory.
 */
export function credentialTestTransport(
  { helpers }: ICredentialTestFunctions,
  { ignoresCertificates, timeout }: CredentialTestTransportOptions,
): Transport {
  return {
    async send({ method, url, headers }) {
      const options = {
        method,
        uri: url,
        headers,
        timeout,
        encoding: null,
        simple: false,
        resolveWithFullResponse: true,
        followRedirect: false,
        ...(ignoresCertificates ? { rejectUnauthorized: false } : {}),
      }
      const response: HelperResponse = await helpers.request(options).catch((error: unknown) => {
        throw connectionError(error)
      })
      return {
        status: response.statusCode,
        headers: flatten(response.headers),
        body: storedBody(Buffer.from(response.body ?? '')),
      }
    },
  }
}

/** A body that has arrived. */
function storedBody(bytes: Uint8Array): ResponseBody {
  return {
    async *[Symbol.asyncIterator]() {
      yield bytes
    },
    cancel() {},
    release() {},
  }
}
