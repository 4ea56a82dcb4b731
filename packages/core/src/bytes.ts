/**
 * Decodes Base64 strictly: no other characters. Padding may be absent, but not wrong.
 * @returns `undefined` unless the text is complete Base64 of the standard alphabet
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  // The decoders below tolerate different errors. These checks leave only texts that both read alike.
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  if (digits % 4 === 1 || (padding > 0 && text.length % 4 !== 0)) return undefined
  const bytes = typeof Buffer === 'function' ? fromBuffer(text) : fromText(text)
  return bytes?.length === Math.floor((digits * 3) / 4) ? bytes : undefined
}

/** Several times faster than the other decoders. It skips unknown characters, and also accepts base64url. */
function fromBuffer(text: string): Uint8Array | undefined {
  return text.includes('-') || text.includes('_') ? undefined : Buffer.from(text, 'base64')
}

/** Browsers of 2025 and later decode natively, a hundred times faster than by `atob()`. */
const decoders: Uint8ArrayConstructor & { fromBase64?(text: string): Uint8Array } = Uint8Array

function fromText(text: string): Uint8Array | undefined {
  try {
    // It skips white space, as `atob()` does.
    return decoders.fromBase64?.(text) ?? Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Maximum bytes to allocate in advance. */
const MAX_GUESS = 256 * 1024

/**
 * A growing byte buffer. The work is linear for pieces of any size, the memory little more than twice the bytes. No
 * piece is retained.
 */
export class ByteBuilder {
  #bytes = new Uint8Array(0)
  #length = 0
  /** Length of the last result. The next one is likely as long, and then needs no reallocation. */
  #guess = 0

  /** Bytes so far. */
  get length(): number {
    return this.#length
  }

  push(piece: Uint8Array): void {
    const length = this.#length + piece.length
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(Math.max(length, this.#length === 0 ? this.#guess : 2 * this.#bytes.length))
      larger.set(this.#bytes.subarray(0, this.#length))
      this.#bytes = larger
    }
    this.#bytes.set(piece, this.#length)
    this.#length = length
  }

  /** Returns all bytes, which then belong to the caller, and empties the builder. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#length)
    this.#guess = Math.min(this.#length, MAX_GUESS)
    this.#bytes = new Uint8Array(0)
    this.#length = 0
    return taken
  }
}

/** Joins bytes. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.byteLength, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.byteLength
  }
  return whole
}

const decoder = /* @__PURE__ */ new TextDecoder('latin1')

/** Converts ASCII bytes to a string. Bytes over 127 have no meaning here. */
export function asciiString(bytes: Uint8Array): string {
  const view = nativeView(bytes)
  // Buffer is fastest, if it exists.
  return typeof Buffer === 'function' && view instanceof Buffer ? view.toString('latin1') : decoder.decode(bytes)
}

/**
 * Returns the same bytes in the fastest type of this runtime, without a copy. `indexOf` of a `Buffer` is memchr, about
 * 12 times faster than that of a plain typed array.
 */
export function nativeView(bytes: Uint8Array): Uint8Array {
  if (typeof Buffer !== 'function' || Buffer.isBuffer(bytes)) return bytes
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Makes a web stream of an iteration. It pulls only as it is read. Cancelling the stream ends the iteration. */
export function toReadableStream(iterator: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (done === true) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

/** A view of the same bytes. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** Whether these ASCII characters stand at an offset. */
export function hasAscii(bytes: Uint8Array, offset: number, text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    if (bytes[offset + index] !== text.charCodeAt(index)) return false
  }
  return true
}

/** Bytes of a leading ID3v2 tag, 0 when there is none. The size is in four bytes of seven bits (id3.org, ID3v2.4 §3.1). */
export function id3Bytes(file: Uint8Array): number {
  if (file.byteLength < 10 || !hasAscii(file, 0, 'ID3')) return 0
  const view = viewOf(file)
  const size = [6, 7, 8, 9].reduce((sum, offset) => sum * 128 + (view.getUint8(offset) & 0x7f), 0)
  const footer = (view.getUint8(5) & 0x10) === 0 ? 0 : 10
  return 10 + size + footer
}
