import { type ResponseBody, ProtocolError } from '@svc-audio/core/pure'
import type { IExecuteFunctions } from 'n8n-workflow'

/** A stream of Node's as n8n hands it out. A community node may not import `stream`, not even for its types. */
type NodeStream = Awaited<ReturnType<IExecuteFunctions['helpers']['getBinaryStream']>>

/** What stands behind a body. */
export interface ResponseBodyOptions {
  /** Called once nothing more is read. */
  release(): void
  /** Ends the request. To destroy the stream is not enough: n8n wraps it in one that does not pass that on. */
  giveUp(): void
}

/** The body of an answer of n8n's HTTP helper. */
export class N8nResponseBody implements ResponseBody {
  readonly #stream: NodeStream
  readonly #options: ResponseBodyOptions

  /** @throws ProtocolError when n8n answered with something else than a stream */
  constructor(body: unknown, options: ResponseBodyOptions) {
    if (!isStream(body)) throw new ProtocolError('n8n did not answer with a stream')
    // An abort makes the stream fail; without a listener that would end n8n when nobody reads at that moment.
    body.on('error', () => {})
    this.#stream = body
    this.#options = options
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    const chunks: AsyncIterable<Uint8Array> = this.#stream
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
    this.#options.giveUp()
    this.#options.release()
  }

  /** n8n keeps no connection for another request, so that there is none to save. */
  release(): void {
    this.cancel()
  }
}

function isStream(body: unknown): body is NodeStream {
  return typeof body === 'object' && body !== null && 'on' in body && Symbol.asyncIterator in body
}
