/** What an object says it is, in any realm: simulated browsers of tests (jsdom) have classes of their own. */
function tagOf(value: unknown): string {
  return Object.prototype.toString.call(value)
}

/** The value as bytes of this realm, without a copy. `undefined` if it is no `Uint8Array` of any realm. */
export function bytesOf(value: unknown): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  if (!ArrayBuffer.isView(value) || tagOf(value) !== '[object Uint8Array]') return undefined
  return new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
}

/** Whether the value is a `Blob` or `File`, of any realm. */
export function isBlob(value: unknown): value is Blob {
  if (value instanceof Blob) return true
  return (
    (tagOf(value) === '[object Blob]' || tagOf(value) === '[object File]') && Reflect.has(new Object(value), 'slice')
  )
}

/** Opens the bytes of a `Blob`. One of jsdom has no `stream()`. */
export function openBlob(blob: Blob): ReadableStream<Uint8Array> | AsyncIterable<Uint8Array> {
  return typeof blob.stream === 'function' ? blob.stream() : wholeBlob(blob)
}

async function* wholeBlob(blob: Blob): AsyncGenerator<Uint8Array, void, undefined> {
  yield readBlob(blob)
}

/** The part of `FileReader` that is needed. Pages have it, Node has not. */
interface PageReader extends EventTarget {
  readonly result: unknown
  readAsArrayBuffer(blob: Blob): void
}

// By its name: linters of hosts forbid `globalThis`.
declare const FileReader: (new () => PageReader) | undefined

/**
 * Reads a `Blob` whole. One of an older jsdom needs the `FileReader` of its page.
 * @throws TypeError if nothing can read it
 */
export async function readBlob(blob: Blob): Promise<Uint8Array> {
  if (typeof blob.arrayBuffer === 'function') return new Uint8Array(await blob.arrayBuffer())
  const Reader = typeof FileReader === 'undefined' ? undefined : FileReader
  if (Reader === undefined) throw new TypeError('the Blob has neither stream() nor arrayBuffer()')
  const reader = new Reader()
  return new Promise((resolve, reject) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what `readAsArrayBuffer` reads
    reader.addEventListener('load', () => resolve(new Uint8Array(reader.result as ArrayBuffer)))
    reader.addEventListener('error', () => reject(new TypeError('the Blob cannot be read')))
    reader.readAsArrayBuffer(blob)
  })
}
