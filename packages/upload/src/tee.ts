import { Readable } from 'node:stream'
import { UploadError } from './errors.ts'

/** How a tee treats a failing sink. */
export interface TeeLimits {
  /**
   * Effect of a failing sink. `fail`: the upload fails with `tee_failed`, and the call to the service is aborted.
   * `ignore`: the upload continues, and `upload.teeError` has the error. @default 'fail'
   */
  readonly onError?: 'fail' | 'ignore'
  /**
   * Longest wait for the sink to take more bytes, or to end after the last one, in milliseconds. A sink that takes longer
   * has failed. While an upload waits for its sink, nothing reads the connection, so a disconnect cannot be noticed.
   * @default 60000
   */
  readonly stallTimeout?: number
}

const STALL_TIMEOUT = 60_000

/** Bytes buffered in the copy before the upload waits for the sink. */
const BUFFER_BYTES = 64 * 1024

/** The bytes of an upload for the service, and a copy for a sink at the same pace. */
export class Tee implements AsyncIterable<Uint8Array> {
  readonly #copy: Readable
  readonly #chunks: AsyncIterator<Uint8Array>
  readonly #mayFail: boolean
  readonly #stallTimeout: number
  readonly #controller = new AbortController()
  readonly #settled: Promise<void>
  #room = Promise.withResolvers<void>()
  #hasRoom = false
  #isSettled = false
  #ended = false
  #error: { readonly cause: unknown } | undefined

  /** Starts the sink. */
  constructor(file: AsyncIterable<Uint8Array>, options: TeeLimits, sink: (copy: Readable) => Promise<unknown>) {
    const { onError = 'fail', stallTimeout = STALL_TIMEOUT } = options
    this.#chunks = file[Symbol.asyncIterator]()
    this.#mayFail = onError === 'ignore'
    this.#stallTimeout = stallTimeout
    this.#copy = new Readable({ highWaterMark: BUFFER_BYTES, read: () => this.#makeRoom() })
    // The sink reports through its promise. Without a listener, an error of the copy would end the process.
    this.#copy.on('error', () => {})
    this.#settled = this.#run(sink)
  }

  /** Aborts with `tee_failed` when a sink fails with `onError: 'fail'`. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The error of a failed sink with `onError: 'ignore'`. */
  get error(): unknown {
    return this.#error?.cause
  }

  /** @throws UploadError `tee_failed`; the failure of the upload */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    for (let chunk = await this.#next(); chunk !== undefined; chunk = await this.#next()) yield chunk
  }

  /**
   * Reads the bytes that the service left unread, and waits until the sink has stored the copy.
   * @throws UploadError `tee_failed`; the failure of the upload; the signal's reason
   */
  async finish(signal: AbortSignal): Promise<void> {
    while ((await this.#next()) !== undefined);
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    try {
      await Promise.race([this.#inTime(this.#settled), aborted.promise])
    } finally {
      signal.removeEventListener('abort', abort)
    }
    this.signal.throwIfAborted()
  }

  /**
   * Destroys the copy if the sink still reads it. Not named `destroy`: the client destroys streams that it need not
   * finish.
   */
  fail(error: unknown): void {
    this.#copy.destroy(error instanceof Error ? error : new Error('The upload failed', { cause: error }))
  }

  async #run(sink: (copy: Readable) => Promise<unknown>): Promise<void> {
    try {
      await sink(this.#copy)
      // A sink may read only the first bytes. The rest must not wait for it.
    } catch (error) {
      this.#failSink(error)
    } finally {
      this.#isSettled = true
      this.#makeRoom()
      if (!this.#ended || this.#error !== undefined) this.#copy.destroy()
    }
  }

  /** The first failure counts: a stalled sink fails again when its copy is destroyed. */
  #failSink(cause: unknown): void {
    if (this.#error !== undefined) return
    this.#error = { cause }
    if (!this.#mayFail) this.#controller.abort(failed(this.#error))
  }

  #makeRoom(): void {
    this.#hasRoom = true
    this.#room.resolve()
  }

  /** Waits for the sink. When it stalls, it has failed, and the wait ends. */
  async #inTime(wait: Promise<void>): Promise<void> {
    const stalled = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      const error = new Error(`The sink of \`tee\` took no bytes for ${this.#stallTimeout} ms`)
      this.#failSink(error)
      this.#isSettled = true
      this.#copy.destroy(error)
      stalled.resolve()
    }, this.#stallTimeout)
    try {
      await Promise.race([wait, stalled.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** The next chunk once the sink has room for it; `undefined` at the end. */
  async #next(): Promise<Uint8Array | undefined> {
    if (this.#ended) return undefined
    if (!this.#isSettled && !this.#hasRoom) await this.#inTime(this.#room.promise)
    this.signal.throwIfAborted()
    const { done, value } = await this.#read()
    if (done === true) {
      this.#ended = true
      this.#copy.push(null)
      return undefined
    }
    if (!this.#isSettled && !this.#copy.destroyed) {
      this.#hasRoom = false
      this.#room = Promise.withResolvers()
      if (this.#copy.push(value)) this.#makeRoom()
    }
    return value
  }

  async #read(): Promise<IteratorResult<Uint8Array, unknown>> {
    try {
      return await this.#chunks.next()
    } catch (error) {
      this.fail(error)
      throw error
    }
  }
}

function failed(options: { readonly cause: unknown }): UploadError {
  return new UploadError('tee_failed', 'The copy of the file could not be stored', options)
}
