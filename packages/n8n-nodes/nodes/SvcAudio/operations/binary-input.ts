import type { UploadFile } from '@svc-audio/core/pure'
import type { IBinaryData } from 'n8n-workflow'
import type { Item } from './item.ts'

/** Size of one read of a stored file: large enough that a big upload is not bound by system calls. */
const READ_BYTES = 256 * 1024

/** Size of the item's file in bytes; `undefined` if n8n does not tell. */
export async function binarySize(item: Item): Promise<number | undefined> {
  const { helpers } = item.context
  const { field, file } = namedFile(item)
  const { id } = file
  if (id === undefined) return (await helpers.getBinaryDataBuffer(item.index, field)).byteLength
  return (await helpers.getBinaryMetadata(id)).fileSize
}

/** The item's file. One that n8n stores outside of its memory is read while it is sent. */
export async function binaryInput(item: Item): Promise<UploadFile> {
  const { context, index } = item
  const { helpers } = context
  const { field, file } = namedFile(item)
  const { id, fileName, fileExtension, mimeType } = file
  const name = fileName ?? (fileExtension === undefined ? 'audio' : `audio.${fileExtension}`)
  if (id === undefined) return { data: await helpers.getBinaryDataBuffer(index, field), name, type: mimeType }
  const { fileSize } = await helpers.getBinaryMetadata(id)
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await helpers.getBinaryStream(id ?? '', READ_BYTES)
  }
  return { data: read, name, type: mimeType, size: fileSize }
}

/** The file in the field that the form names. @throws FormError when the item has none */
function namedFile(item: Item): { readonly field: string; readonly file: IBinaryData } {
  const { form } = item
  const field = form.required('binaryPropertyName')
  const file = findFile(item, field)
  if (file !== undefined) return { field, file }
  const remedy = 'Enter the name of a field that holds a file. The panel Input lists them under Binary.'
  throw form.error('binaryPropertyName', `the item has no file in the field "${field}"`, remedy)
}

function findFile({ context, index }: Item, field: string): IBinaryData | undefined {
  try {
    return context.helpers.assertBinaryData(index, field)
  } catch {
    return undefined
  }
}
