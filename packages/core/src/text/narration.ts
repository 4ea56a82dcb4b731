import { withoutPauses } from '@svc-audio/text/sentences'
import { aigcChunk, frameBytes, type PcmFormat, pcmSeconds } from '../audio/index.ts'
import { ProtocolError } from '../errors.ts'
import { PcmAudio } from '../streaming/index.ts'
import { cancellable } from '../transport/index.ts'
import type { FileAccess } from '../uploads/index.ts'
import { EdgeClipper, silence } from './edge-clipper.ts'
import { LEFT, type PieceQueue, type SpokenPiece } from './piece-queue.ts'

/**
 * A long text as one audio, while it is spoken. It is complete if the service confirmed the end of every piece. Leaving
 * the iteration early ends every request.
 */
export class Narration extends PcmAudio {
  /**
   * The marking requested with `aigc_metadata`. `toWav()` and `saveTo()` write it into the file. `readAigc()` reads it.
   * PCM and `asResponse()` carry none: its place is the end of a file (interface: `aigc_metadata`).
   */
  readonly aigc: string | undefined
  readonly #audio: NarrationAudio

  constructor(audio: NarrationAudio, aigc: string | undefined, files: FileAccess | undefined) {
    super('narration', audio, files, aigcChunk(aigc))
    this.aigc = aigc
    this.#audio = audio
  }

  /** The pieces that have begun, in order, with their times. Contains all pieces after the audio is read. */
  get pieces(): readonly NarrationPiece[] {
    return this.#audio.pieces
  }
}

/** A piece of a narration, e.g. for captions. */
export interface NarrationPiece {
  /** The written text, without pause markers. */
  readonly written: string
  /** The sent text, with respelled terms and pause markers. */
  readonly spoken: string
  /** Start in the audio, in seconds. */
  readonly startSecond: number
  /** End in the audio, in seconds. Grows while the piece is spoken. */
  readonly endSecond: number
}

/** Silence between pieces. */
export interface Gaps {
  /** Within a paragraph. */
  readonly gapSeconds: number
  /** After a paragraph. */
  readonly paragraphGapSeconds: number
}

/** Joins the audio of pieces. It clips silent edges between two pieces and inserts a gap. */
export class NarrationAudio {
  readonly format: PcmFormat
  /** Pieces that have begun. */
  readonly pieces: NarrationPiece[] = []
  readonly #queue: PieceQueue
  readonly #gaps: Gaps
  #bytes = 0
  #opened = false
  #confirmed = true
  #complete = false

  constructor(queue: PieceQueue, format: PcmFormat, gaps: Gaps) {
    this.#queue = queue
    this.format = format
    this.#gaps = gaps
  }

  /** Whether all audio was read, and the service confirmed the end of every piece. */
  get complete(): boolean {
    return this.#complete
  }

  pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    return cancellable(this.#pcm(), () => this.cancel())
  }

  cancel(): void {
    this.#queue.close(LEFT)
  }

  async *#pcm(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      while ((await this.#queue.until(() => this.#queue.first)) !== null) yield* this.#piece()
      this.#complete = this.#confirmed
      this.#queue.finish()
    } catch (error) {
      this.#queue.close(error)
      if (error !== LEFT) throw error
    } finally {
      this.cancel()
    }
  }

  async *#piece(): AsyncGenerator<Uint8Array, void, undefined> {
    const piece = await this.#queue.until(() => this.#queue.first ?? undefined)
    const stream = await this.#queue.until(() => piece.audio.stream)
    this.#checkFormat(stream.format)
    const opening = !this.#opened
    this.#opened = true
    const caption = this.#caption(piece.text)
    const count = (chunk: Uint8Array): Uint8Array => {
      this.#queue.check()
      this.#bytes += chunk.byteLength
      caption.endSecond = pcmSeconds(this.format, this.#bytes)
      return chunk
    }
    const clipper = new EdgeClipper(this.format, !opening && !beginsWithPause(piece.text))
    for (;;) {
      const chunk = await this.#queue.until(() => piece.audio.take())
      if (chunk === null) break
      for (const kept of clipper.push(chunk)) yield count(kept)
    }
    this.#confirmed &&= stream.complete
    const next = await this.#queue.until(() => this.#queue.second)
    const clips = next !== null && !endsWithPause(piece.text)
    for (const kept of clipper.end(clips)) yield count(kept)
    this.#queue.shift()
    if (next !== null && clips && !beginsWithPause(next.text)) yield* this.#gap(piece.text)
  }

  *#gap(piece: SpokenPiece): Generator<Uint8Array, void, undefined> {
    const { gapSeconds, paragraphGapSeconds } = this.#gaps
    for (const part of silence(this.format, piece.endsParagraph ? paragraphGapSeconds : gapSeconds)) {
      this.#queue.check()
      this.#bytes += part.byteLength
      yield part
    }
  }

  #caption(text: SpokenPiece): { endSecond: number } {
    const startSecond = pcmSeconds(this.format, this.#bytes)
    const piece = { written: withoutPauses(text.written), spoken: text.spoken, startSecond, endSecond: startSecond }
    // A piece with only a pause has no caption.
    if (piece.written !== '') this.pieces.push(piece)
    return piece
  }

  #checkFormat(format: PcmFormat): void {
    const { sampleRate, channels } = this.format
    if (
      format.sampleRate === sampleRate &&
      format.channels === channels &&
      frameBytes(format) === frameBytes(this.format)
    )
      return
    throw new ProtocolError('The service changed the PCM format between two pieces of one narration')
  }
}

/** A requested pause is not an edge. */
function beginsWithPause(piece: SpokenPiece): boolean {
  return /^\s*\[pause [\d.]+s\]/.test(piece.spoken)
}

function endsWithPause(piece: SpokenPiece): boolean {
  return /\[pause [\d.]+s\]\s*$/.test(piece.spoken.slice(-100))
}
