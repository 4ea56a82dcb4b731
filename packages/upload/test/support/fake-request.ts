import type { IncomingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import type { UploadRequest } from '../../src/index.ts'
import { BOUNDARY } from './form.ts'

/** A request with a body in exactly these pieces, each delivered on demand. */
export class FakeRequest extends Readable implements UploadRequest {
  readonly headers: IncomingHttpHeaders
  /** Bytes delivered so far. */
  pulled = 0
  complete = false
  readonly #broken: boolean
  readonly #chunks: Iterator<Uint8Array>

  /** @param options.broken The connection breaks after the last piece. */
  constructor(chunks: Iterable<Uint8Array>, { broken = false }: { readonly broken?: boolean } = {}) {
    super({ highWaterMark: 16 * 1024 })
    this.#broken = broken
    this.headers = {
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'transfer-encoding': 'chunked',
    }
    this.#chunks = chunks[Symbol.iterator]()
  }

  override _read(): void {
    const next = this.#chunks.next()
    if (next.done !== true) {
      this.pulled += next.value.byteLength
      this.push(next.value)
    } else if (this.#broken) {
      this.destroy(new Error('aborted'))
    } else {
      this.complete = true
      this.push(null)
    }
  }
}
