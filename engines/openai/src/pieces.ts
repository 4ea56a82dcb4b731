import { RECOGNITION_SAMPLE_RATE } from '@svc-audio/engine-ports'
import { findSpeech, type Utterance, UtteranceSplitter } from '@svc-audio/engine-ports/listening'

/** A stretch of speech in a piece. */
interface Span {
  /** Its start in the recording and in the piece, in seconds. */
  readonly recordingSecond: number
  readonly pieceSecond: number
  /** Its length. */
  readonly seconds: number
}

/** A part of a recording that one request recognizes. Long silence is left out. */
export interface Piece {
  readonly samples: Int16Array<ArrayBuffer>
  /** The times of the recording, for a time of the piece. */
  readonly spans: readonly Span[]
  readonly startSecond: number
  readonly endSecond: number
}

/** Longest silence that stays between two utterances, in seconds. A model invents words in longer ones. */
const KEPT_SILENCE_SECONDS = 0.8

/** Pause that ends an utterance, and longest utterance without one, in seconds. */
const PAUSE_SECONDS = 0.4
const UTTERANCE_SECONDS = 25

/**
 * Cuts a recording into pieces at its pauses. Only speech is in a piece: silence and noise get no request. Memory is
 * bounded by the longest piece.
 */
export class PieceCutter {
  readonly #maxSamples: number
  readonly #splitter: UtteranceSplitter
  #parts: { readonly startSample: number; readonly samples: Int16Array<ArrayBuffer> }[] = []
  #length = 0
  #samples = 0

  /** @param maxSeconds Longest piece. An utterance is at most as long. */
  constructor(maxSeconds: number) {
    this.#maxSamples = Math.floor(maxSeconds * RECOGNITION_SAMPLE_RATE)
    const longest = Math.min(UTTERANCE_SECONDS, maxSeconds)
    this.#splitter = new UtteranceSplitter({ maxSeconds: longest, pauseSeconds: PAUSE_SECONDS })
  }

  /** Length of the recording so far. */
  get seconds(): number {
    return this.#samples / RECOGNITION_SAMPLE_RATE
  }

  /** Yields the pieces that these samples complete. */
  *push(samples: Int16Array): Generator<Piece> {
    this.#samples += samples.length
    for (const utterance of this.#splitter.push(samples)) yield* this.#add(utterance)
  }

  /** Yields the rest. */
  *end(): Generator<Piece> {
    for (const utterance of this.#splitter.end()) yield* this.#add(utterance)
    if (this.#parts.length > 0) yield this.#take()
  }

  *#add({ startSample, samples }: Utterance): Generator<Piece> {
    const span = findSpeech(samples)
    if (span === undefined) return
    const speech = { startSample: startSample + span.start, samples: samples.slice(span.start, span.end) }
    if (
      this.#parts.length > 0 &&
      this.#length + this.#gapBefore(speech.startSample) + speech.samples.length > this.#maxSamples
    ) {
      yield this.#take()
    }
    this.#length += (this.#parts.length === 0 ? 0 : this.#gapBefore(speech.startSample)) + speech.samples.length
    this.#parts.push(speech)
  }

  /** Silence between the last part and the next one, in samples. */
  #gapBefore(startSample: number): number {
    const last = this.#parts.at(-1)
    if (last === undefined) return 0
    const real = startSample - last.startSample - last.samples.length
    return Math.min(Math.max(0, real), Math.round(KEPT_SILENCE_SECONDS * RECOGNITION_SAMPLE_RATE))
  }

  #take(): Piece {
    const parts = this.#parts
    const samples = new Int16Array(this.#length)
    const spans: Span[] = []
    let at = 0
    this.#parts = []
    for (const part of parts) {
      at += this.#gapBefore(part.startSample)
      this.#parts = [part]
      samples.set(part.samples, at)
      spans.push({
        recordingSecond: part.startSample / RECOGNITION_SAMPLE_RATE,
        pieceSecond: at / RECOGNITION_SAMPLE_RATE,
        seconds: part.samples.length / RECOGNITION_SAMPLE_RATE,
      })
      at += part.samples.length
    }
    const last = parts.at(-1)
    this.#parts = []
    this.#length = 0
    return {
      samples,
      spans,
      startSecond: spans[0]?.recordingSecond ?? 0,
      endSecond: last === undefined ? 0 : (last.startSample + last.samples.length) / RECOGNITION_SAMPLE_RATE,
    }
  }
}

/** A time from start to end, in seconds. */
interface Stretch {
  readonly startSecond: number
  readonly endSecond: number
}

/** Silence around the speech of a span, in seconds: a time in it may belong to the speech beyond the next silence. */
const MARGIN_SECONDS = 0.25

/**
 * The time in the recording of a word of a piece. It belongs to the one span with which it shares most: a model that hears
 * two spans with a short silence between them may begin a word in the first and end it in the second, a minute later.
 */
export function wordTimes(piece: Piece, start: number, end: number): Stretch {
  const shared = ({ pieceSecond, seconds }: Span): number =>
    Math.min(end, pieceSecond + seconds) - Math.max(start, pieceSecond)
  const { spans } = piece
  // The shared time, or the negative distance.
  const best = spans.reduce((max, span, index) => (shared(span) > shared(spans[max] ?? span) ? index : max), 0)
  return within(piece, timeBy(piece, best, start), timeBy(piece, best, end))
}

/** The time in the recording of a segment of a piece, which may have several spans. */
export function segmentTimes(piece: Piece, start: number, end: number): Stretch {
  const { spans } = piece
  const last = spans.length - 1
  const first = spans.findIndex(({ pieceSecond, seconds }) => pieceSecond + seconds - MARGIN_SECONDS > start)
  const from = first === -1 ? last : first
  const until = spans.findLastIndex(({ pieceSecond }) => pieceSecond + MARGIN_SECONDS < end)
  return within(piece, timeBy(piece, from, start), timeBy(piece, Math.max(until, from), end))
}

/** The time in the recording, measured from the start of a span. It is before the next span and behind the one before. */
function timeBy({ spans, startSecond, endSecond }: Piece, index: number, pieceSecond: number): number {
  const [before, span, next] = [spans[index - 1], spans[index], spans[index + 1]]
  if (span === undefined) return startSecond
  const second = span.recordingSecond + pieceSecond - span.pieceSecond
  const min = before === undefined ? startSecond : before.recordingSecond + before.seconds
  return Math.min(Math.max(second, min), next?.recordingSecond ?? endSecond)
}

function within({ endSecond: last }: Piece, startSecond: number, endSecond: number): Stretch {
  const start = Math.min(startSecond, last)
  return { startSecond: start, endSecond: Math.max(start, Math.min(endSecond, last)) }
}
