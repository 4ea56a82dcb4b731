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
  let source: AsyncIterator<Uint8Array, unknown> | undefined
  let ended = false
  /** Tells the source that nothing more is wanted. What it says to that is of no use any more. */
  const leave = async (): Promise<void> => {
    if (!ended) await source?.return?.().catch(() => {})
  }
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value, done } = await pull()
    if (done === true) {
      ended = true
      return undefined
    }
    // The type says so, but a stream with an encoding set yields strings.
    if (value instanceof Uint8Array) return value
    throw new InvalidRequestError('invalid_type', param, 'its stream must yield Uint8Array chunks')
  }
  const pull = async (): Promise<IteratorResult<Uint8Array, unknown>> => {
    try {
      source ??= file.open()[Symbol.asyncIterator]()
      return await source.next()
    } catch (error) {
      ended = true
      if (SvcAudioError.isInstance(error)) throw error
      const why = error instanceof Error ? error.message : String(error)
      throw new InvalidRequestError('unreadable_file', param, `could not be read: ${why}`, { cause: error })
    }
  }
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    const { size = Infinity, maxBytes } = file
    let bytes = 0
    try {
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        bytes += chunk.byteLength
        if (bytes > size) throw sizeChanged(param, size, 'more')
        if (bytes > maxBytes) throw tooLarge(param, maxBytes)
        yield chunk
      }
    } finally {
      await leave()
    }
    if (file.size !== undefined && bytes < size) throw sizeChanged(param, size, 'less')
  }
  return leavable(read(), () => void leave())
}

function sizeChanged(param: string, size: number, how: 'more' | 'less'): InvalidRequestError {
  return new InvalidRequestError('size_mismatch', param, `holds ${how} than its size of ${size} bytes`)
}

/** The error of a file over the limit. */
export function tooLarge(param: string, maxBytes: number): InvalidRequestError {
  return new InvalidRequestError('file_too_large', param, `is larger than ${maxBytes} bytes`)
}
