import { aigcChunk, encodeWav, readAigc, wavHeader } from '@svc-audio/core/audio'
import { readJoinable } from './read-joinable.ts'
import { CONTINUED_GAP, type Joiner, pausesOf, type PieceEdges, type Place, placeOf } from './joiner.ts'
import { fadeEdges, level, PAUSE_WINDOW, silentWindows, toSamples, withoutEdges } from './pcm.ts'
import { UnjoinableError } from './unjoinable-error.ts'

interface Layout {
  readonly sampleRate: number
  readonly channels: number
  readonly bitDepth: number
}

/** Size in the header of an unfinished file. */
const UNKNOWN_BYTES = 0xff_ff_ff_ff - 44

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
  #layout: Layout | undefined
  #frames = 0
  #marking: string | undefined

  constructor(gapSeconds: number) {
    this.#gapSeconds = gapSeconds
  }

  add(piece: Uint8Array, edges: PieceEdges): Uint8Array {
    const content = readJoinable(piece)
    const layout = { sampleRate: content.sampleRate, channels: content.channels, bitDepth: 16 }
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

  #gapFrames({ sampleRate }: Layout, continues = false): number {
    const seconds = continues ? Math.min(CONTINUED_GAP, this.#gapSeconds) : this.#gapSeconds
    return Math.round(seconds * sampleRate)
  }
}

function describe({ sampleRate, channels }: Layout): string {
  return `${sampleRate} Hz with ${channels} ${channels === 1 ? 'channel' : 'channels'}`
}

function bytesOf(samples: Int16Array<ArrayBuffer>): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
}
