import type { SpokenText } from '@svc-audio/text/sentences'
import type { PcmFormat } from '../audio/index.ts'

/** A piece of text, ready to be spoken. */
export interface SpokenPiece extends SpokenText {
  readonly endsParagraph: boolean
}

/** A piece, and its audio after it has started. */
interface QueuedPiece {
  readonly text: SpokenPiece
  readonly audio: PieceAudio
}

/** Options of {@link PieceQueue}. */
export interface PieceQueueOptions {
  readonly texts: AsyncIterator<SpokenPiece>
  /** Starts a piece. The signal aborts if another piece fails. */
  readonly open: (text: SpokenPiece, signal: AbortSignal) => Promise<SpokenStream>
  readonly concurrency: number
  readonly signal: AbortSignal | undefined
}

/** Thrown by {@link PieceQueue.until} after a cancellation. */
export const LEFT: Error = new Error('The narration was cancelled')

/**
 * Speaks up to `concurrency` pieces of text at a time, in order. The next piece starts when a piece has been read
 * completely, so at most `concurrency` pieces are open or stored. The first failure ends all pieces.
 */
export class PieceQueue {
  readonly #options: PieceQueueOptions
  readonly #bell = new Bell()
  readonly #controller = new AbortController()
  /** In order. One more than may be open, to know whether another follows. */
  readonly #pieces: QueuedPiece[] = []
  #allKnown = false
  #failure: { readonly error: unknown } | undefined
  #closed = false

  constructor(options: PieceQueueOptions) {
    this.#options = options
    const { signal } = options
    if (signal?.aborted === true) {
      this.close(signal.reason)
      return
    }
    signal?.addEventListener('abort', this.#abort)
    this.#feed().catch((error: unknown) => this.close(error))
  }

  /** The current piece. `null` after the last one, `undefined` if unknown yet. */
  get first(): QueuedPiece | null | undefined {
    return this.#pieces[0] ?? (this.#allKnown ? null : undefined)
  }

  /** The piece after the first. `null` and `undefined` as for `first`. */
  get second(): QueuedPiece | null | undefined {
    return this.#pieces[1] ?? (this.#allKnown ? null : undefined)
  }

  /** Removes the first piece. */
  shift(): void {
    this.#pieces.shift()
    this.#bell.ring()
  }

  /** Throws the first failure, or the reason of an abort. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  /** Waits until `look` finds something. Rejects with the first failure. */
  async until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      this.check()
      const found = look()
      if (found !== undefined) return found
      await this.#bell.rung
    }
  }

  /** Ends the queue after the last piece. */
  finish(): void {
    this.#closed = true
    this.#options.signal?.removeEventListener('abort', this.#abort)
  }

  /** Ends all pieces in flight with this reason. */
  close(error: unknown): void {
    if (this.#closed) return
    this.finish()
    this.#failure = { error }
    this.#controller.abort(error)
    for (const { audio } of this.#pieces) audio.cancel()
    void this.#endTexts()
    this.#bell.ring()
  }

  readonly #abort = (): void => this.close(this.#options.signal?.reason)

  /** A source with a pending read ends after that read. Its end is not awaited, and its errors are ignored. */
  async #endTexts(): Promise<void> {
    try {
      await this.#options.texts.return?.()
    } catch {}
  }

  async #feed(): Promise<void> {
    const { texts, open, concurrency } = this.#options
    for (;;) {
      const { done, value: text } = await texts.next()
      if (this.#closed) return
      if (done === true) break
      const piece = { text, audio: new PieceAudio(this.#bell) }
      this.#pieces.push(piece)
      this.#bell.ring()
      while (!this.#closed && this.#pieces.indexOf(piece) >= concurrency) await this.#bell.rung
      if (this.#closed) return
      piece.audio.read(() => open(text, this.#controller.signal)).catch((error: unknown) => this.close(error))
    }
    this.#allKnown = true
    this.#bell.ring()
  }
}

/** Wakes every waiter. Each waiter then checks its condition. */
class Bell {
  #next: PromiseWithResolvers<void> = Promise.withResolvers()

  /** Resolves at the next ring. */
  get rung(): Promise<void> {
    return this.#next.promise
  }

  ring(): void {
    const rung = this.#next
    this.#next = Promise.withResolvers()
    rung.resolve()
  }
}

/** Speech while it is synthesized: a `SpeechStream`, or a similar object. */
export interface SpokenStream extends AsyncIterable<Uint8Array> {
  /** Format of the PCM. */
  readonly format: PcmFormat
  /** Id of the task. */
  readonly taskId?: string | undefined
  /** The `x-request-id` of the response, if it has one. */
  readonly requestId?: string | undefined
  /** Whether the service confirmed the end. Valid after the stream was read. */
  readonly complete: boolean
  /** Drops the rest of the speech. */
  cancel(): void
}

/** Maximum audio of one piece to read ahead, in bytes. At the limit the client stops reading. */
const AHEAD_MAX_BYTES: number = 8 * 1024 * 1024

/** The audio of one piece. It is read as it arrives, and stored until it is taken. */
class PieceAudio {
  readonly #bell: Bell
  #stream: SpokenStream | undefined
  #chunks: Uint8Array[] = []
  #bytes = 0
  #ended = false
  #cancelled = false

  constructor(bell: Bell) {
    this.#bell = bell
  }

  /** The stream, after the service has begun to answer. */
  get stream(): SpokenStream | undefined {
    return this.#stream
  }

  /** Reads a stream to its end. Rejects as the stream does. */
  async read(open: () => Promise<SpokenStream>): Promise<void> {
    const stream = await open()
    if (this.#cancelled) {
      stream.cancel()
      return
    }
    this.#stream = stream
    this.#bell.ring()
    for await (const chunk of stream) {
      this.#chunks.push(chunk)
      this.#bytes += chunk.byteLength
      this.#bell.ring()
      while (this.#bytes >= AHEAD_MAX_BYTES && !this.#cancelled) await this.#bell.rung
      if (this.#cancelled) return
    }
    this.#ended = true
    this.#bell.ring()
  }

  /** The next chunk. `null` after the end, `undefined` if none is available yet. */
  take(): Uint8Array | null | undefined {
    const chunk = this.#chunks.shift()
    if (chunk === undefined) return this.#ended ? null : undefined
    this.#bytes -= chunk.byteLength
    this.#bell.ring()
    return chunk
  }

  /** Drops the rest. */
  cancel(): void {
    this.#cancelled = true
    this.#chunks = []
    if (!this.#ended) this.#stream?.cancel()
    this.#bell.ring()
  }
}
