import { Bell } from './bell.ts'
import type { SpokenText } from '@svc-audio/text/sentences'
import { PieceAudio, type SpokenStream } from './piece-audio.ts'

/** A piece of text, ready to be spoken. */
export interface SpokenPiece extends SpokenText {
  readonly endsParagraph: boolean
}

/** A piece and, once it is its turn, its audio. */
interface QueuedPiece {
  readonly text: SpokenPiece
  readonly audio: PieceAudio
}

/** What a {@link PieceQueue} is made of. */
export interface PieceQueueOptions {
  readonly texts: AsyncIterator<SpokenPiece>
  /** Begins to speak a piece. The signal aborts when the others fail. */
  readonly open: (text: SpokenPiece, signal: AbortSignal) => Promise<SpokenStream>
  readonly concurrency: number
  readonly signal: AbortSignal | undefined
}

/** Thrown by {@link PieceQueue.until} when nobody wants the rest. */
export const LEFT: Error = new Error('The narration was cancelled')

/**
 * Speaks pieces of text, so many at a time, and keeps them in order. A place is free once a piece has been taken whole, so
 * that no more than `concurrency` are open or held. The first failure ends all of them.
 */
export class PieceQueue {
  readonly #options: PieceQueueOptions
  readonly #bell = new Bell()
  readonly #controller = new AbortController()
  /** In order; one more than may be open, so that it is known whether another follows. */
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

  /** The piece whose turn it is; `null` after the last one, `undefined` while none is known. */
  get first(): QueuedPiece | null | undefined {
    return this.#pieces[0] ?? (this.#allKnown ? null : undefined)
  }

  /** The piece behind the first; `null` and `undefined` as there. */
  get second(): QueuedPiece | null | undefined {
    return this.#pieces[1] ?? (this.#allKnown ? null : undefined)
  }

  /** The first piece has been taken. */
  shift(): void {
    this.#pieces.shift()
    this.#bell.ring()
  }

  /** Waits until `look` finds something. Rejects with the first failure. */
  async until<Found>(look: () => Found | undefined): Promise<Found> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.error
      const found = look()
      if (found !== undefined) return found
      await this.#bell.rung
    }
  }

  /** Every piece has been taken. */
  finish(): void {
    this.#closed = true
    this.#options.signal?.removeEventListener('abort', this.#abort)
  }

  /** Ends everything in flight, for this reason. */
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

  /** A source that waits hears of it when it goes on; nobody waits for that, or for what it throws then. */
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
