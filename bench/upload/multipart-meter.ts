/** Far more than the fields and headers around a file. */
const WINDOW = 4096

/**
 * Measures the file in a multipart body without storing the body: checks only its first and last 4 KB, which hold
 * everything else. The file's last bytes must not look like a boundary; silence does not.
 */
export class MultipartMeter {
  readonly #boundary: string
  #head: Buffer = Buffer.alloc(0)
  #tail: Buffer = Buffer.alloc(0)
  #bytes = 0

  /** @throws Error unless the type is multipart with a boundary */
  constructor(contentType: string | undefined) {
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType ?? '')?.[1]
    if (boundary === undefined) throw new Error(`The upload is not multipart: ${contentType}`)
    this.#boundary = boundary
  }

  /** Bytes of the whole body so far. */
  get bodyBytes(): number {
    return this.#bytes
  }

  add(chunk: Buffer): void {
    if (this.#head.length < WINDOW) this.#head = Buffer.concat([this.#head, chunk.subarray(0, WINDOW)])
    this.#tail = chunk.length >= WINDOW ? chunk : Buffer.concat([this.#tail.subarray(-WINDOW), chunk])
    this.#bytes += chunk.length
  }

  /**
   * Bytes of the one file, after the end of the body.
   * @throws Error when the file or its end is missing
   */
  fileBytes(): number {
    const headers = this.#head.indexOf('filename="')
    const start = this.#head.indexOf('\r\n\r\n', headers)
    const end = this.#tail.indexOf(`\r\n--${this.#boundary}`)
    if (headers === -1 || start === -1 || end === -1) throw new Error('The upload holds no whole file')
    return this.#bytes - (start + 4) - (this.#tail.length - end)
  }
}
