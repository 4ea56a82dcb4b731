import { ProtocolError, type ResponseBody, type Transport } from '@svc-audio/core/pure'
import type { ICredentialsDecrypted, ICredentialTestFunctions, INodeCredentialTestResult } from 'n8n-workflow'
import { explain } from '../errors/index.ts'
import { toText } from '../form.ts'
import { audioClientFor } from './audio-client.ts'
import { connectionError, flatten } from './n8n-transport.ts'

/** Deadline of the test, in milliseconds. */
const TEST_TIMEOUT = 30_000

/** What the editor shows when the test passes. */
const PASSED = 'The service accepts the key.'

/**
 * Tests the credentials: lists the models, which every key may do. A failure has headline and description of the error
 * that a run of a node shows.
 */
export async function testCredentials(
  context: ICredentialTestFunctions,
  { data = {} }: ICredentialsDecrypted,
): Promise<INodeCredentialTestResult> {
  try {
    const transport = credentialTestTransport(context, {
      ignoresCertificates: data['ignoreSslIssues'] === true,
      timeout: TEST_TIMEOUT,
    })
    const credentials = { apiKey: toText(data['apiKey']) ?? '', baseUrl: toText(data['baseUrl']) ?? '' }
    const audio = audioClientFor(credentials, transport, { timeout: TEST_TIMEOUT, retries: 0 })
    const models = await audio.models.list()
    if (!Array.isArray(models.data)) throw new ProtocolError('The response is not a list of models')
    return { status: 'OK', message: PASSED }
  } catch (error) {
    const { headline, description } = explain(error)
    return { status: 'Error', message: description === undefined ? headline : `${headline}. ${description}` }
  }
}

/** Settings of a test. */
interface CredentialTestTransportOptions {
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
function credentialTestTransport(
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
