import { setImmediate } from 'node:timers/promises'
import { encodeWav, readWav, type WavContent } from '@svc-audio/core/audio'
import { aigcChunk, readAigc, wavHeader } from '@svc-audio/core/adapter'
import { UnjoinableError } from '../errors.ts'
import { CONTINUED_GAP, type Joiner, pausesOf, type PieceEdges, type Place, placeOf } from './joiner.ts'

/** Layout of 16-bit samples. */
export interface PcmLayout {
  /** Samples per second, in Hz. */
  readonly sampleRate: number
  readonly channels: number
}

/** An encoder of 16-bit samples into a format of pages. It holds memory until `close`. */
export interface PcmEncoder {
  /** What stands before the audio. Take it first. */
  head(): Uint8Array
  /** Encodes interleaved samples. @returns What is complete */
  encode(samples: Int16Array): Uint8Array
  /** What the encoder held back. */
  end(): Uint8Array
  close(): void
}

/** Size in the header of an unfinished file. */
const UNKNOWN_BYTES = 0xff_ff_ff_ff - 44
/** A sample up to this share of full scale is silence: about -60 dB of 16 bits. */
const SILENT = 32
/** Length of the fade at each edge, in seconds: inaudible, but long enough to avoid a click. */
const FADE_SECONDS = 0.002
/** Length of the windows that loudness is measured in, in seconds. */
const WINDOW_SECONDS = 0.05
/** Smallest corrected difference, as a factor: 1 dB. */
const TOLERATED = 10 ** (1 / 20)
/** Largest correction, as a factor: 9 dB. */
const MOST = 10 ** (9 / 20)
/** Highest sample after a correction: 1 dB below full scale. */
export const PEAK: number = 32_767 * 10 ** (-1 / 20)
/** Length of the windows that pauses are found in, in seconds. */
const PAUSE_WINDOW = 0.01
/** Level of a pause, as a share of the loudness of the speech: -30 dB. */
const PAUSE_LEVEL = 10 ** (-30 / 20)

/**
 * Joins WAV: silent edges are clipped where two pieces meet, and the gap is put there, so each segment begins where its
 * first sound is. {@link WavJoiner.finish} brings the pieces to one loudness, which a stream cannot.
 */
export class WavJoiner implements Joiner {
  readonly places: Place[] = []
  readonly #gapSeconds: number
  readonly #pieces: Int16Array<ArrayBuffer>[] = []
  /** Frames of silence before each piece. */
  readonly #gaps: number[] = []
  #layout: (PcmLayout & { readonly bitDepth: 16 }) | undefined
  #frames = 0
  #marking: string | undefined

  constructor(gapSeconds: number) {
    this.#gapSeconds = gapSeconds
  }

  add(piece: Uint8Array, edges: PieceEdges): Uint8Array {
    const content = readJoinable(piece)
    const layout = { sampleRate: content.sampleRate, channels: content.channels, bitDepth: 16 } as const
    const opening = this.#layout === undefined
    this.#layout ??= layout
    if (this.#layout.sampleRate !== layout.sampleRate || this.#layout.channels !== layout.channels) {
      throw new UnjoinableError('wav', `one is ${describe(this.#layout)}, another ${describe(layout)}`)
    }
    if (opening) this.#marking = readAigc(piece)
    const samples = withoutEdges(toSamples(content.samples), layout.channels, edges)
    fadeEdges(samples, layout)
    const gap = opening ? 0 : this.#gapFrames(layout, edges.continues)
    this.#gaps.push(gap)
    const start = this.#frames + gap
    this.#frames = start + samples.length / layout.channels
    this.#pieces.push(samples)
    const startSecond = start / layout.sampleRate
    const pauses = pausesOf(silentWindows(samples, layout), PAUSE_WINDOW, startSecond)
    this.places.push(placeOf(startSecond, this.#frames / layout.sampleRate, pauses))
    const head = opening ? wavHeader(layout, UNKNOWN_BYTES) : new Uint8Array(gap * layout.channels * 2)
    return Buffer.concat([head, bytesOf(samples)])
  }

  finish(): Uint8Array {
    const layout = this.#layout
    if (layout === undefined) throw new TypeError('There is nothing to join')
    level(this.#pieces, layout)
    const chunks = this.#pieces.flatMap((piece, index) => [
      new Uint8Array((this.#gaps[index] ?? 0) * layout.channels * 2),
      bytesOf(piece),
    ])
    return encodeWav(layout, chunks, aigcChunk(this.#marking))
  }

  #gapFrames({ sampleRate }: PcmLayout, continues = false): number {
    const seconds = continues ? Math.min(CONTINUED_GAP, this.#gapSeconds) : this.#gapSeconds
    return Math.round(seconds * sampleRate)
  }
}

function describe({ sampleRate, channels }: PcmLayout): string {
  return `${sampleRate} Hz with ${channels} ${channels === 1 ? 'channel' : 'channels'}`
}

function bytesOf(samples: Int16Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
}

/**
 * Reads a WAV file whose samples can be joined and encoded.
 * @throws UnjoinableError unless it is 16-bit PCM
 */
export function readJoinable(file: Uint8Array): WavContent {
  const content = readWav(file)
  if (content?.isPcm === true && content.bitDepth === 16) return content
  throw new UnjoinableError('wav', 'a segment is not 16-bit PCM')
}

/**
 * The samples of a WAV file, some seconds at a time: between two parts, other work gets its turn.
 * @param seconds Length of a part.
 */
export async function* samplesOf(
  { samples, sampleRate, channels }: WavContent,
  seconds: number,
): AsyncGenerator<Int16Array, void, undefined> {
  const size = seconds * sampleRate * channels * 2
  for (let from = 0; from < samples.byteLength; from += size) {
    yield toSamples(samples.subarray(from, from + size))
    await setImmediate()
  }
}

/** 16-bit little-endian PCM as numbers; a copy, since bytes need not be aligned. */
export function toSamples(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.byteLength - (bytes.byteLength % 2))
  // Not `slice()`, which copies nothing of a Buffer.
  copy.set(bytes.subarray(0, copy.byteLength))
  return new Int16Array(copy.buffer)
}

/** The part of a piece between its silent edges, in whole frames. A cut frame at the end is dropped. */
export function withoutEdges(
  piece: Int16Array<ArrayBuffer>,
  channels: number,
  { clipStart, clipEnd }: { readonly clipStart: boolean; readonly clipEnd: boolean },
): Int16Array<ArrayBuffer> {
  const samples = piece.subarray(0, piece.length - (piece.length % channels))
  let start = 0
  let end = samples.length
  while (start < end && Math.abs(samples[start] ?? 0) <= SILENT) start += 1
  // Silence alone is content: it has no edges.
  if (start === end) return samples
  while (end > start && Math.abs(samples[end - 1] ?? 0) <= SILENT) end -= 1
  return samples.subarray(
    clipStart ? start - (start % channels) : 0,
    clipEnd ? Math.ceil(end / channels) * channels : samples.length,
  )
}

/** Fades the edges of a piece, in place. */
export function fadeEdges(samples: Int16Array, { sampleRate, channels }: PcmLayout): void {
  const frames = Math.min(Math.round(FADE_SECONDS * sampleRate), Math.floor(samples.length / channels / 2))
  for (let index = 0; index < frames * channels; index += 1) {
    const share = Math.floor(index / channels) / frames
    samples[index] = Math.round((samples[index] ?? 0) * share)
    const mirrored = samples.length - 1 - index
    samples[mirrored] = Math.round((samples[mirrored] ?? 0) * share)
  }
}

/**
 * Loudness of speech: the root mean square of its louder half, so that pauses do not count. 0 for silence.
 */
export function loudness(samples: Int16Array, { sampleRate, channels }: PcmLayout): number {
  const size = Math.max(1, Math.round(WINDOW_SECONDS * sampleRate) * channels)
  const windows: number[] = []
  for (let from = 0; from < samples.length; from += size) {
    let sum = 0
    const until = Math.min(from + size, samples.length)
    for (let index = from; index < until; index += 1) sum += (samples[index] ?? 0) ** 2
    windows.push(sum / (until - from))
  }
  const louder = windows.toSorted((a, b) => b - a).slice(0, Math.ceil(windows.length / 2))
  return Math.sqrt(louder.reduce((sum, power) => sum + power, 0) / Math.max(1, louder.length))
}

/** Whether each window of {@link PAUSE_WINDOW} seconds is silent. */
function silentWindows(samples: Int16Array, layout: PcmLayout): boolean[] {
  const size = Math.max(1, Math.round(PAUSE_WINDOW * layout.sampleRate)) * layout.channels
  const limit = Math.max(SILENT, loudness(samples, layout) * PAUSE_LEVEL) ** 2
  const windows: boolean[] = []
  for (let from = 0; from < samples.length; from += size) {
    const until = Math.min(from + size, samples.length)
    let sum = 0
    for (let index = from; index < until; index += 1) sum += (samples[index] ?? 0) ** 2
    windows.push(sum / (until - from) <= limit)
  }
  return windows
}

/** Scales pieces to their median loudness, in place. A silent piece stays. */
export function level(pieces: readonly Int16Array[], layout: PcmLayout): void {
  const levels = pieces.map((piece) => loudness(piece, layout))
  const heard = levels.filter((one) => one > SILENT).toSorted((a, b) => a - b)
  const middle = heard[Math.floor(heard.length / 2)]
  if (middle === undefined) return
  for (const [index, piece] of pieces.entries()) {
    const own = levels[index] ?? 0
    if (own > SILENT) scale(piece, middle / own)
  }
}

function scale(samples: Int16Array, wanted: number): void {
  if (wanted < TOLERATED && wanted > 1 / TOLERATED) return
  let peak = 1
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  const factor = Math.min(Math.max(wanted, 1 / MOST), MOST, Math.max(1, PEAK / peak))
  for (let index = 0; index < samples.length; index += 1) samples[index] = Math.round((samples[index] ?? 0) * factor)
}
