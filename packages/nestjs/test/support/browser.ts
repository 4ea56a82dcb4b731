import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'

const BOUNDARY = '----browser-boundary'

/** A WAV file of silence, with as many bytes of it as wanted. */
export function wav(dataBytes: number): Buffer {
  const file = Buffer.alloc(44 + dataBytes)
  file.write('RIFF\0\0\0\0WAVEfmt ', 'latin1')
  file.writeUInt32LE(36 + dataBytes, 4)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(1, 22)
  file.writeUInt32LE(16_000, 24)
  file.writeUInt32LE(32_000, 28)
  file.writeUInt16LE(2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36, 'latin1')
  file.writeUInt32LE(dataBytes, 40)
  return file
}

/** A form with one file, as `fetch` sends it. */
export function form(content: Uint8Array, { field = 'file', name = 'speech.wav', type = 'audio/wav' } = {}): FormData {
  const data = new FormData()
  data.set(field, new Blob([Uint8Array.from(content)], { type }), name)
  return data
}

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: unknown
}

/** Posts a form and reads the JSON that comes back. */
export async function post(address: string, body: FormData | string): Promise<Answer> {
  const response = await fetch(address, { method: 'POST', body })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** An upload that a test sends piece by piece, and can leave. */
export class SlowUpload {
  readonly #request: ClientRequest
  readonly #answer: Promise<[IncomingMessage]>

  constructor(url: string) {
    const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
    this.#request = request(url, { method: 'POST', headers })
    this.#answer = once(this.#request, 'response') as Promise<[IncomingMessage]>
    this.#answer.catch(() => {})
    this.#request.on('error', () => {})
    this.#request.write(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="speech.wav"\r\n` +
        'Content-Type: audio/wav\r\n\r\n',
    )
  }

  /** Sends a piece of the file and waits until the system has taken it. */
  send(piece: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      this.#request.write(piece, () => resolve())
    })
  }

  /** Ends the form, with a second file if wanted. */
  finish({ secondFile = false } = {}): void {
    const second = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="b.wav"\r\n\r\nx\r\n`
    this.#request.end(`\r\n${secondFile ? second : ''}--${BOUNDARY}--\r\n`)
  }

  async answer(): Promise<{ status: number | undefined; body: unknown }> {
    const [answer] = await this.#answer
    let text = ''
    for await (const chunk of answer.setEncoding('utf8')) text += String(chunk)
    return { status: answer.statusCode, body: JSON.parse(text) }
  }

  /** Cuts the connection. */
  leave(): void {
    this.#request.destroy()
  }
}
