import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { wavHeader } from '../audio/wav.ts'
import { FORM_END, FORM_HEADERS, filePart } from './form-parts.ts'
import { readResponse, type UploadResponse } from './upload-response.ts'

/**
 * Sends a form with a WAV file of silence. The file is generated while it is sent: hundreds of megabytes cost this
 * process no memory.
 * @param url Address of the route, over `http`.
 * @param bytes Size of the file, 44 or more.
 * @throws The error that broke the connection
 */
export async function longUpload(url: string, bytes: number): Promise<UploadResponse> {
  const sending = request(url, { method: 'POST', headers: FORM_HEADERS })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node's types say of this event
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  // The pipeline reports this error.
  answered.catch(() => {})
  await pipeline(Readable.from(longForm(bytes)), sending)
  const [response] = await answered
  return readResponse(response)
}

function* longForm(bytes: number): Generator<Buffer> {
  const header = wavHeader(bytes - 44)
  yield Buffer.from(filePart('long.wav'))
  yield header
  const piece = Buffer.alloc(64 * 1024)
  for (let left = bytes - header.byteLength; left > 0; left -= piece.byteLength) yield piece.subarray(0, left)
  yield Buffer.from(`\r\n${FORM_END}`)
}
