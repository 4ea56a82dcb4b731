import type { TranscriptionSource, UploadFile } from '@svc-audio/core/pure'
import type { IExecuteFunctions } from 'n8n-workflow'
import { textParameter } from './parameters.ts'

/** Size of one read of a stored file: large enough that a big upload is not bound by system calls. */
const READ_BYTES = 256 * 1024

/** The source that one item names, as the one field of the request that carries it. */
export async function audioSource(context: IExecuteFunctions, itemIndex: number): Promise<TranscriptionSource> {
  switch (textParameter(context, 'source', itemIndex)) {
    case 'url':
      return { url: textParameter(context, 'url', itemIndex) }
    case 'fileId':
      return { file_id: textParameter(context, 'fileId', itemIndex) }
    default:
      return { file: await binaryFile(context, itemIndex) }
  }
}

/** The item's file. One that n8n keeps outside of its memory is read while it is sent. */
async function binaryFile(context: IExecuteFunctions, itemIndex: number): Promise<UploadFile> {
  const { helpers } = context
  const field = textParameter(context, 'binaryPropertyName', itemIndex)
  const { id, fileName, fileExtension, mimeType } = helpers.assertBinaryData(itemIndex, field)
  const name = fileName ?? (fileExtension === undefined ? 'audio' : `audio.${fileExtension}`)
  if (id === undefined) return { data: await helpers.getBinaryDataBuffer(itemIndex, field), name, type: mimeType }
  const { fileSize } = await helpers.getBinaryMetadata(id)
  async function* read(): AsyncGenerator<Uint8Array, void, undefined> {
    yield* await helpers.getBinaryStream(id ?? '', READ_BYTES)
  }
  return { data: read, name, type: mimeType, size: fileSize }
}
