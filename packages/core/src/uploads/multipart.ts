import { InvalidRequestError, SvcAudioError } from '../errors.ts'
import { cancellable, type RequestBody, type UploadProgress } from '../transport/index.ts'
import { bytesOf } from './binary.ts'
import { type CheckedUpload, tooLarge } from './source.ts'

const encoder = /* @__PURE__ */ new TextEncoder()

/** Options of {@link multipartBody}. */
export interface MultipartOptions {
  /**
   * Called for every chunk that the connection has taken, also for the last one. An exception stops the body and is
   * stored in `RequestBody.failure`.
   */
  readonly onProgress?: ((progress: UploadProgress) => void) | undefined
}

/**
 * A `multipart/form-data` body: text fields first, then one file, so the server has all fields when the file begins.
 * The file is read while it is sent. With a known size the length is exact.
 */
export function multipartBody(
  fields: readonly (readonly [name: string, value: string])[],
  fileField: string,
  file: CheckedUpload,
  { onProgress }: MultipartOptions = {},
): RequestBody {
  const boundary = `svc-audio-${crypto.randomUUID()}`
  const start = (name: string, more = ''): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"${more}\r\n\r\n`
  const texts = fields.map(([name, value]) => `${start(name)}${value}\r\n`)
  const more = `; filename="${escapeName(file.name)}"\r\nContent-Type: ${file.type}`
  const head = encoder.encode(texts.join('') + start(fileField, more))
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  const contentLength = file.size === undefined ? undefined : head.byteLength + file.size + tail.byteLength
  let failure: RequestBody['failure']
  const report = (sentBytes: number): void => {
    try {
      onProgress?.({ sentBytes, totalBytes: contentLength })
    } catch (error) {
      failure = { error }
      // A callback may throw `undefined`, and a transport may take that for no error.
      throw new Error('onProgress failed', { cause: error })
    }
  }
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength,
    get failure() {
      return failure
    },
    spent: file.spent,
    open: () => {
      failure = undefined
      return assemble(head, readUpload(file, fileField), tail, report)
    },
  }
}

function assemble(
  head: Uint8Array,
  file: AsyncGenerator<Uint8Array, void, undefined>,
  tail: Uint8Array,
  report: (sentBytes: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
    let sent = head.byteLength
    yield head
    report(sent)
    for await (const chunk of file) {
      yield chunk
      // The connection has taken a chunk when it asks for the next one.
      report((sent += chunk.byteLength))
    }
    yield tail
    report(sent + tail.byteLength)
  }
  return cancellable(parts(), () => void file.return())
}

/** Escapes a name as browsers do (WHATWG multipart/form-data encoding), so no name can end its header. */
function escapeName(name: string): string {
  return name.replace(/[\r\n"]/g, encodeURIComponent)
}

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
      for await (const given of { [Symbol.asyncIterator]: () => chunks }) {
        const chunk = bytesOf(given)
        // Despite the type, a stream with an encoding yields strings.
        if (chunk === undefined) {
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
