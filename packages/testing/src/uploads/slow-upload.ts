import { once } from 'node:events'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { FORM_END, FORM_HEADERS, filePart } from './form-parts.ts'
import { readResponse, type UploadResponse } from './upload-response.ts'

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
