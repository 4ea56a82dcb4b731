import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { leavable } from './leavable.ts'
import type { CheckedUpload } from './uploads.ts'

/**
 * The bytes of an upload, checked on the way: an announced size must come true, any other must stay within the limit
 * (interface: Limits). Leaving it early leaves the source too.
 *
 * @param param The field it belongs to, for errors.
 * @throws InvalidRequestError `size_mismatch`, `file_too_large`, `invalid_type`, or `unreadable_file` with the source's own
 *   error as its cause
 */
export function readUpload(file: CheckedUpload, param: string): AsyncGenerator<Uint8Array, void, undefined> {
  const upload = new UploadReader(file, param)
  return leavable(upload.read(), () => void upload.leave())
}

class UploadReader {
  readonly #file: CheckedUpload
  readonly #param: string
  #source: AsyncIterator<Uint8Array> | undefined
  #ended = false

  constructor(file: CheckedUpload, param: string) {
    this.#file = file
    this.#param = param
  }

  async *read(): AsyncGenerator<Uint8Array, void, undefined> {
    const { size, maxBytes } = this.#file
    let bytes = 0
    try {
      for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) {
        bytes += chunk.byteLength
        if (size !== undefined && bytes > size) throw this.#sizeChanged(size, 'more')
        if (bytes > maxBytes) throw tooLarge(this.#param, maxBytes)
        yield chunk
      }
    } finally {
      await this.leave()
    }
    if (size !== undefined && bytes < size) throw this.#sizeChanged(size, 'less')
  }

  /** Tells the source that nothing more is wanted. What it says to that is of no use any more. */
  async leave(): Promise<void> {
    if (!this.#ended) await this.#source?.return?.().catch(() => {})
  }

  async #next(): Promise<Uint8Array | undefined> {
    const { value, done } = await this.#pull()
    if (done === true) {
      this.#ended = true
      return undefined
    }
    // The type says so, but a stream with an encoding set yields strings.
    if (value instanceof Uint8Array) return value
    throw new InvalidRequestError('invalid_type', this.#param, 'its stream must yield Uint8Array chunks')
  }

  async #pull(): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      this.#source ??= this.#file.open()[Symbol.asyncIterator]()
      return await this.#source.next()
    } catch (error) {
      this.#ended = true
      if (SvcAudioError.isInstance(error)) throw error
      const why = error instanceof Error ? error.message : String(error)
      throw new InvalidRequestError('unreadable_file', this.#param, `could not be read: ${why}`, { cause: error })
    }
  }

  #sizeChanged(size: number, how: 'more' | 'less'): InvalidRequestError {
    const message = `its size was given as ${size} bytes, but it holds ${how}`
    return new InvalidRequestError('size_mismatch', this.#param, message)
  }
}

/** The error of a file over the limit. */
export function tooLarge(param: string, maxBytes: number): InvalidRequestError {
  return new InvalidRequestError('file_too_large', param, `is larger than ${maxBytes} bytes`)
}
