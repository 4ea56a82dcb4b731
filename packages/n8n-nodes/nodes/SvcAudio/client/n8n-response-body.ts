import { type ResponseBody, ProtocolError } from '@svc-audio/core/pure'
import { isNodeStream, type NodeStream } from './node-stream.ts'

/** What stands behind a body. */
export interface ResponseBodyOptions {
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
