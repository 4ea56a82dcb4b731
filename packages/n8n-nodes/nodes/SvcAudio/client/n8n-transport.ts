import {
  ConnectionError,
  InvalidRequestError,
  ProtocolError,
  type RequestBody,
  type ResponseBody,
  type Transport,
  type TransportRequest,
} from '@svc-audio/core/pure'
import type {
  IExecuteFunctions,
  IHttpRequestOptions,
  ILoadOptionsFunctions,
  IN8nHttpFullResponse,
  IPollFunctions,
  IWebhookFunctions,
} from 'n8n-workflow'
import { systemCodes } from '../errors/index.ts'

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

/** What stands behind a body. */
interface ResponseBodyOptions {
  /** Called once nothing more is read. */
  release(): void
  /** Aborts the request. To destroy the stream is not enough: n8n wraps it in one that does not pass that on. */
  abort(): void
}

/** The body of a response of n8n's HTTP helper. */
export class N8nResponseBody implements ResponseBody {
  /** The response as n8n hands it out. */
  readonly stream: NodeStream
  readonly #options: ResponseBodyOptions

  /** @throws ProtocolError when n8n answered with something else than a stream */
  constructor(body: unknown, options: ResponseBodyOptions) {
    if (!isNodeStream(body)) throw new ProtocolError('n8n did not answer with a stream')
    // An abort makes the stream fail; without a listener that would end n8n when nobody reads at that moment.
    body.on('error', () => {})
    this.stream = body
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks: AsyncIterable<Uint8Array> = this.stream
    let ended = false
    try {
      yield* chunks
      ended = true
    } finally {
      if (ended) this.#options.release()
      else this.cancel()
    }
  }

  cancel(): void {
    this.#options.abort()
    this.#options.release()
  }

  /** n8n reuses no connection, so that there is none to save. */
  release(): void {
    this.cancel()
  }
}

/** A stream of Node's as n8n hands it out. A community node may not import `stream`, not even for its types. */
type NodeStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>

/** What every class of Node's readable streams can do: make one of chunks. */
interface StreamClass {
  from(chunks: AsyncIterable<Uint8Array>, options: { readonly objectMode: false }): NodeStream
}

/** Whether a value is a readable stream of Node's. */
function isNodeStream(value: unknown): value is NodeStream {
  return typeof value === 'object' && value !== null && 'on' in value && Symbol.asyncIterator in value
}

/**
 * Chunks as a stream of Node's, which n8n stores while it arrives. The class comes from another stream, since a community
 * node may not import it.
 * @returns `undefined` when the class of that stream makes none
 */
function nodeStreamLike(stream: NodeStream, chunks: AsyncIterable<Uint8Array>): NodeStream | undefined {
  const made: unknown = stream.constructor
  return canMakeStreams(made) ? made.from(chunks, { objectMode: false }) : undefined
}

function canMakeStreams(value: unknown): value is StreamClass {
  return typeof value === 'function' && 'from' in value && typeof value.from === 'function'
}

/** A request's body on its way out. */
interface Upload {
  /** What n8n's HTTP helper is given. */
  readonly blob: Blob
  /** Nobody reads on: frees what the bytes come from. The helper itself leaves a body open when a request ends early. */
  leave(): void
}

/**
 * A body as a `Blob` that is read while it is sent. n8n's HTTP helper takes no web stream, and a community node may not
 * import `stream` to make one of Node's; what looks like a `Blob` it streams, with the length and type that this names.
 *
 * @param length Length of the body, in bytes.
 */
function openUpload(body: RequestBody, length: number): Upload {
  let source: AsyncIterator<Uint8Array> | undefined
  const stream = (): ReadableStream<Uint8Array> => {
    const opened = body.open()
    const chunks = (opened instanceof Uint8Array ? once(opened) : opened)[Symbol.asyncIterator]()
    source = chunks
    return ReadableStream.from({ [Symbol.asyncIterator]: () => chunks })
  }
  const blob = Object.defineProperties(new Blob([]), {
    // Enumerable, since n8n drops a body that has no property to enumerate, as it would an empty object.
    size: { value: length, enumerable: true },
    type: { value: body.contentType, enumerable: true },
    stream: { value: stream },
  })
  return { blob, leave: () => void source?.return?.().catch(() => {}) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
