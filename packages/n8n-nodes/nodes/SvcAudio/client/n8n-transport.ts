import { ConnectionError, InvalidRequestError, type Transport, type TransportRequest } from '@svc-audio/core/pure'
import type {
  IExecuteFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow'
import { systemCodes } from '../errors/system-codes.ts'
import { N8nResponseBody } from './n8n-response-body.ts'
import { type NodeStream, nodeStreamLike } from './node-stream.ts'
import { openUpload, type Upload } from './upload.ts'

/** Where a request can come from: a run of the node, a list in its form, or the trigger. */
export type N8nContext = IExecuteFunctions | ILoadOptionsFunctions | IPollFunctions | IWebhookFunctions

/** Name of the credential type, as `credentials/SvcAudioApi.credentials.ts` gives it. */
export const CREDENTIAL = 'svcAudioApi'

/** Left to n8n's helper: the first comes from the credential, the others from the body. */
const SET_BY_N8N: ReadonlySet<string> = new Set(['authorization', 'content-length', 'content-type'])

/** Codes of failures that come before a connection stands: the service cannot have got the request. */
const NOT_CONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
])

/** Settings of a connection. */
export interface N8nTransportOptions {
  /** Whether to connect even if the certificate of the service cannot be checked. */
  readonly ignoresCertificates: boolean
}

/** The transport, and what n8n stores streams with. */
export interface N8nTransport extends Transport {
  /**
   * Chunks as a stream that n8n stores while it arrives. A response must have come before.
   * @returns `undefined` where n8n's streams cannot be made
   */
  toStream(chunks: AsyncIterable<Uint8Array>): NodeStream | undefined
}

/**
 * HTTP through n8n's own helper. It brings n8n's proxy settings, its guard against private addresses, its limits on
 * where a credential may be used, and the key. An upload is sent while it is read.
 */
export function n8nTransport(context: N8nContext, { ignoresCertificates }: N8nTransportOptions): N8nTransport {
  let last: NodeStream | undefined
  return {
    toStream: (chunks) => (last === undefined ? undefined : nodeStreamLike(last, chunks)),
    async send(request) {
      const upload = uploadOf(request)
      const left = new AbortController()
      const signal = AbortSignal.any([request.signal, left.signal])
      const release = (): void => upload?.leave()
      const options = toOptions(request, upload?.blob, signal)
      if (ignoresCertificates) options.skipSslCertificateValidation = true
      const sent = context.helpers.httpRequestWithAuthentication.call(context, CREDENTIAL, options)
      // With these options the helper answers so; its type says `any`.
      const response: IN8nHttpFullResponse = await sent.catch((error: unknown) => {
        release()
        return Promise.reject(connectionError(error))
      })
      const body = new N8nResponseBody(response.body, { release, abort: () => left.abort() })
      last = body.stream
      return { status: response.statusCode, headers: flatten(response.headers), body }
    },
  }
}

/** What a helper of n8n throws, distinguished by whether a connection stood. */
export function connectionError(error: unknown): unknown {
  const isRefused = systemCodes(error).some((code) => NOT_CONNECTED.has(code))
  if (!isRefused || !(error instanceof Error)) return error
  return new ConnectionError(error.message, { maybeSent: false, cause: error })
}

function uploadOf({ body }: TransportRequest): Upload | undefined {
  if (body === undefined) return undefined
  if (body.contentLength === undefined) {
    throw new InvalidRequestError('missing_size', 'file', 'n8n sends only what it knows the size of')
  }
  return openUpload(body, body.contentLength)
}

function toOptions(request: TransportRequest, body: Blob | undefined, signal: AbortSignal): IHttpRequestOptions {
  const headers = Object.entries(request.headers).filter(([name]) => !SET_BY_N8N.has(name))
  return {
    method: request.method,
    url: request.url,
    // n8n's helper decodes a compressed body but keeps the length of what was sent.
    headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity' },
    ...(body === undefined ? {} : { body }),
    encoding: 'stream',
    returnFullResponse: true,
    ignoreHttpStatusErrors: true,
    disableFollowRedirect: true,
    // None: the deadline is the client's, and reaches the helper as an abort. Its own is five minutes.
    timeout: 0,
    // n8n would put the signal of the run here. This one follows it and knows more: the deadline, and bodies that nobody reads.
    get abortSignal() {
      return signal
    },
    set abortSignal(_signalOfTheRun) {},
  }
}

/** Headers with lower-case names. Repeated headers are joined. */
export function flatten(headers: object): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]: [string, unknown]) => [
    name.toLowerCase(),
    Array.isArray(value) ? value.join(', ') : String(value),
  ])
  return Object.fromEntries(entries)
}
