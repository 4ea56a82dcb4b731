import { cancellable } from './cancellable.ts'
import type { CheckedUpload, UploadProgress } from './upload-source.ts'
import type { RequestBody } from './transport.ts'
import { readUpload } from './upload-reader.ts'

const encoder = new TextEncoder()

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
