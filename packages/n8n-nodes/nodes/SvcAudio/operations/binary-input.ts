import type { UploadFile } from '@svc-audio/core/pure'
import type { Item } from './item.ts'

/** Size of one read of a stored file: large enough that a big upload is not bound by system calls. */
const READ_BYTES = 256 * 1024

/** Size of the item's file in bytes; `undefined` if n8n does not tell. */
export async function binarySize({ context, form, index }: Item): Promise<number | undefined> {
  const { helpers } = context
  const field = form.required('binaryPropertyName')
  const { id } = helpers.assertBinaryData(index, field)
  if (id === undefined) return (await helpers.getBinaryDataBuffer(index, field)).byteLength
  return (await helpers.getBinaryMetadata(id)).fileSize
}

/** The item's file. One that n8n stores outside of its memory is read while it is sent. */
export async function binaryInput({ context, form, index }: Item): Promise<UploadFile> {
  const { helpers } = context
  const field = form.required('binaryPropertyName')
  const { id, fileName, fileExtension, mimeType } = helpers.assertBinaryData(index, field)
  const name = fileName ?? (fileExtension === undefined ? 'audio' : `audio.${fileExtension}`)
  if (id === undefined) return { data: await helpers.getBinaryDataBuffer(index, field), name, type: mimeType }
  const { fileSize } = await helpers.getBinaryMetadata(id)
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await helpers.getBinaryStream(id ?? '', READ_BYTES)
  }
  return { data: read, name, type: mimeType, size: fileSize }
}
