import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { request } from 'undici'
import type { UploadArgs } from './client-args.ts'

/** Size of one read, equal to our client's. */
export const READ_BYTES = 256 * 1024

/**
 * Sends a file with undici and a hand-written multipart body of exact length.
 * @param read Opens the file's bytes.
 */
export async function sendBare(
  { origin, path }: UploadArgs,
  read: (path: string) => AsyncIterable<Uint8Array>,
): Promise<string> {
  const head = Buffer.from(
    '--bare\r\nContent-Disposition: form-data; name="model"\r\n\r\nsvc-transcribe-1.0\r\n' +
      '--bare\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n' +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from('\r\n--bare--\r\n')
  async function* body(): AsyncGenerator<Uint8Array, void, undefined> {
    yield head
    yield* read(path)
    yield tail
  }
  const { size } = await stat(path)
  const response = await request(`${origin}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: {
      'content-type': 'multipart/form-data; boundary=bare',
      'content-length': String(head.length + size + tail.length),
    },
    // undici documents any async iterable, but its types accept only streams.
    body: body() as unknown as Readable,
  })
  const { text } = (await response.body.json()) as { text: string }
  return text
}
