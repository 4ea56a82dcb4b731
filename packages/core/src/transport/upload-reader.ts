import { InvalidRequestError } from '../errors/request-errors.ts'
import { SvcAudioError } from '../errors/svc-audio-error.ts'
import { cancellable } from './cancellable.ts'
import type { CheckedUpload } from './upload-source.ts'

/**
 * Reads and checks the bytes of an upload. An announced size must be exact. An unknown size must stay within the limit
 * (interface: Limits). Leaving the iteration closes the source.
 *
 * @param param Name of the field, for errors
 * @throws InvalidRequestError `size_mismatch`, `file_too_large`, `invalid_type`, or `unreadable_file` with the source's
 *   error as its cause
 */
export function readUpload(file: CheckedUpload, param: string): AsyncGenerator<Uint8Array, void, undefined> {
  let source: AsyncIterator<Uint8Array, unknown> | undefined
  /** Closes the source. Its errors no longer matter. */
  const leave = async (): Promise<IteratorResult<Uint8Array>> => {
    await source?.return?.().catch(() => {})
    return { done: true, value: undefined }
  }
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    const { size = Infinity, maxBytes } = file
    let bytes = 0
    try {
      const opened = (source = file.open()[Symbol.asyncIterator]())
      const chunks = { next: () => opened.next(), return: leave }
      for await (const chunk of { [Symbol.asyncIterator]: () => chunks }) {
        // Despite the type, a stream with an encoding yields strings.
        if (!(chunk instanceof Uint8Array)) {
          throw new InvalidRequestError('invalid_type', param, 'its stream must yield Uint8Array chunks')
        }
        bytes += chunk.byteLength
        if (bytes > size) throw sizeChanged(param, size, 'more')
        if (bytes > maxBytes) throw tooLarge(param, maxBytes)
        yield chunk
      }
    } catch (error) {
      if (SvcAudioError.isInstance(error)) throw error
      const why = error instanceof Error ? error.message : String(error)
      throw new InvalidRequestError('unreadable_file', param, `could not be read: ${why}`, { cause: error })
    }
    if (file.size !== undefined && bytes < size) throw sizeChanged(param, size, 'less')
  }
  return cancellable(read(), () => void leave())
}

function sizeChanged(param: string, size: number, how: 'more' | 'less'): InvalidRequestError {
  return new InvalidRequestError('size_mismatch', param, `holds ${how} than its size of ${size} bytes`)
}

/** The error for a file over the limit. */
export function tooLarge(param: string, maxBytes: number): InvalidRequestError {
  return new InvalidRequestError('file_too_large', param, `is larger than ${maxBytes} bytes`)
}
