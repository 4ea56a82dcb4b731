import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { WAV_HEADER_BYTES, wavHeader } from '@svc-audio/core/adapter'
import { PCM_FORMAT } from './audio/speech-audio.ts'

/** A form with one file, sent in steps. Unlike `fetch`, the test controls each piece and can disconnect. */
export class SlowUpload {
  readonly #request: ClientRequest
  readonly #answer: Promise<[IncomingMessage]>

  /**
   * Starts a `POST` with the head of the form and of its file: `speech.wav` in the field `file`.
   * @param url Address of the route, over `http`.
   * @param options `headers`: further headers, such as `origin`.
   */
  constructor(url: string, { headers = {} }: { readonly headers?: Readonly<Record<string, string>> } = {}) {
    this.#request = request(url, { method: 'POST', headers: { ...headers, ...FORM_HEADERS } })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what Node's types say of this event
    this.#answer = once(this.#request, 'response') as Promise<[IncomingMessage]>
    // `answer()` rejects when the connection breaks. A test may ignore it.
    this.#answer.catch(() => {})
    this.#request.on('error', () => {})
    this.#request.write(filePart('speech.wav'))
  }

  /** Sends a piece of the file. Resolves when the system has taken it. */
  send(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#request.write(piece, () => resolve())
    })
  }

  /** Ends the form, optionally with a second file in the same field. */
  finish({ secondFile = false }: { readonly secondFile?: boolean } = {}): void {
    this.#request.end(`\r\n${secondFile ? `${filePart('second.wav')}x\r\n` : ''}${FORM_END}`)
  }

  /**
   * The response. It may come before the form has ended.
   * @throws The error that broke the connection
   */
  async answer(): Promise<UploadResponse> {
    const [response] = await this.#answer
    return readResponse(response)
  }

  /** Cuts the connection. */
  leave(): void {
    this.#request.destroy()
  }
}

const BOUNDARY = '----svc-audio-testing'

/** Headers of a request with a body of these parts. */
const FORM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
}

/** The bytes before a file of the field `file`. */
function filePart(filename: string): string {
  return (
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n` +
    'Content-Type: audio/wav\r\n\r\n'
  )
}

/** The end of a form. */
const FORM_END: string = `--${BOUNDARY}--\r\n`

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

function* longForm(bytes: number): Generator<Uint8Array> {
  const header = wavHeader(PCM_FORMAT, bytes - WAV_HEADER_BYTES)
  yield Buffer.from(filePart('long.wav'))
  yield header
  const piece = Buffer.alloc(64 * 1024)
  for (let left = bytes - header.byteLength; left > 0; left -= piece.byteLength) yield piece.subarray(0, left)
  yield Buffer.from(`\r\n${FORM_END}`)
}

/** The file of a form to send to an app. */
export interface UploadFormOptions {
  /** Name of the form field. @default 'file' */
  readonly field?: string
  /** @default 'speech.wav' */
  readonly name?: string
  /** @default 'audio/wav' */
  readonly type?: string
}

/** A form with one file, for `fetch`, in the form that browsers send. */
export function uploadForm(
  content: Uint8Array,
  { field = 'file', name = 'speech.wav', type = 'audio/wav' }: UploadFormOptions = {},
): FormData {
  const form = new FormData()
  form.set(field, new Blob([Uint8Array.from(content)], { type }), name)
  return form
}

/** An app's response to an upload. */
export interface UploadResponse {
  /** HTTP status. */
  readonly status: number
  /** The body as JSON. */
  readonly body: unknown
}

/** @throws SyntaxError if the body is not JSON */
async function readResponse(response: IncomingMessage): Promise<UploadResponse> {
  const text = Buffer.concat(await response.toArray()).toString()
  return { status: response.statusCode ?? 0, body: JSON.parse(text) as unknown }
}
