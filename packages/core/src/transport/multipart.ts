import { leavable } from './leavable.ts'
import type { CheckedUpload } from './uploads.ts'
import type { RequestBody } from './transport.ts'
import { readUpload } from './upload-reader.ts'

const encoder = new TextEncoder()

/**
 * A `multipart/form-data` body: text fields first, then one file, so that a server knows what to do when the file
 * begins. The file is read while it is sent; with a known size the length is exact.
 */
export function multipartBody(
  fields: readonly (readonly [name: string, value: string])[],
  fileField: string,
  file: CheckedUpload,
): RequestBody {
  const boundary = `svc-audio-${crypto.randomUUID()}`
  const texts = fields.map(
    ([name, value]) =>
      `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"\r\n\r\n${value}\r\n`,
  )
  const head = encoder.encode(
    `${texts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(fileField)}"; ` +
      `filename="${escapeName(file.name)}"\r\nContent-Type: ${file.type}\r\n\r\n`,
  )
  const tail = encoder.encode(`\r\n--${boundary}--\r\n`)
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: file.size === undefined ? undefined : head.byteLength + file.size + tail.byteLength,
    open: () => assemble(head, readUpload(file, fileField), tail),
  }
}

function assemble(
  head: Uint8Array,
  file: AsyncGenerator<Uint8Array, void, undefined>,
  tail: Uint8Array,
): AsyncGenerator<Uint8Array, void, undefined> {
  async function* parts(): AsyncGenerator<Uint8Array, void, undefined> {
    yield head
    for await (const chunk of file) yield chunk
    yield tail
  }
  return leavable(parts(), () => void file.return())
}

/** Escapes a name as browsers do (WHATWG multipart/form-data encoding), so that no name can end its header. */
function escapeName(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22')
}
