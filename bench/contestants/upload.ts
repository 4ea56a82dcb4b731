import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import type { Contestant } from '../harness/processes.ts'

/** Arguments of an uploading client. */
export interface UploadArgs {
  /** Address of the service without `/v1`. */
  readonly origin: string
  /** The file. */
  readonly path: string
}

/** Size of one read, equal to our client's. */
const READ_BYTES = 256 * 1024

/** Clients that upload a file for transcription. They return the text. */
export const contestants = {
  /** Our client, as in its documentation. */
  ours: async () => {
    const { AudioClient } = await import('@svc-audio/core')
    // The transport loads undici with its first request. Loading it here excludes it from the cost of sending, like the
    // peers' libraries.
    await import('undici')
    return async ({ origin, path }) => {
      // The interface's limit is 512 MB. Twice the size shows whether memory grows with the file.
      const client = new AudioClient({ apiKey: 'bench', baseUrl: origin, maxUploadBytes: 2 * 1024 ** 3 })
      const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file: path })
      await client.close()
      return text
    }
  },
  /** undici with a file stream, as careful engineers write it. Each read has separate memory, safe for any receiver. */
  limit: () => byHand((path) => createReadStream(path, { highWaterMark: READ_BYTES })),
  /** openai's client, as in its documentation. */
  openai: async () => {
    const { default: OpenAI } = await import('openai')
    return async ({ origin, path }) => {
      const client = new OpenAI({ apiKey: 'bench', baseURL: `${origin}/v1`, maxRetries: 0 })
      const { text } = await client.audio.transcriptions.create({ model: 'x', file: createReadStream(path) })
      return text
    }
  },
  /**
   * undici and two alternating buffers: no memory is allocated during the upload. It shows the possible gain, but is no
   * valid limit: only the chunk size keeps it from overwriting bytes that are still queued.
   */
  'undici, two buffers': () => byHand(readInTurn),
} satisfies Readonly<Record<string, Contestant<UploadArgs, string>>>

/** Every chunk but the last exceeds the socket's buffer, so undici waits before it requests the next. */
async function* readInTurn(path: string): AsyncGenerator<Uint8Array, void, undefined> {
  const file = await open(path)
  let [next, other] = [Buffer.allocUnsafeSlow(READ_BYTES), Buffer.allocUnsafeSlow(READ_BYTES)]
  try {
    for (;;) {
      const { bytesRead } = await file.read(next, 0, READ_BYTES)
      if (bytesRead === 0) return
      yield next.subarray(0, bytesRead)
      ;[next, other] = [other, next]
    }
  } finally {
    await file.close()
  }
}

/**
 * Sends a file with undici and a hand-written multipart body of exact length.
 * @param read Opens the file's bytes.
 */
async function byHand(
  read: (path: string) => AsyncIterable<Uint8Array>,
): Promise<(args: UploadArgs) => Promise<string>> {
  const { request } = await import('undici')
  const head = Buffer.from(
    '--bare\r\nContent-Disposition: form-data; name="model"\r\n\r\nsvc-transcribe-1.0\r\n' +
      '--bare\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\n' +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from('\r\n--bare--\r\n')
  async function* form(path: string): AsyncGenerator<Uint8Array, void, undefined> {
    yield head
    yield* read(path)
    yield tail
  }
  return async ({ origin, path }) => {
    const { size } = await stat(path)
    const { body } = await request(`${origin}/v1/audio/transcriptions`, {
      method: 'POST',
      headers: {
        'content-type': 'multipart/form-data; boundary=bare',
        'content-length': String(head.length + size + tail.length),
      },
      // undici documents any async iterable, but its types accept only streams.
      body: form(path) as unknown as Readable,
    })
    return ((await body.json()) as { text: string }).text
  }
}
