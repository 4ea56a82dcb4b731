import { type Mp3Content, type Mp3Frame, readAdts, readMp3, readMp3Frame, viewOf } from '@svc-audio/core/adapter'
import { UnjoinableError } from '../errors.ts'
import { type Joiner, pausesOf, type PieceEdges, type Place, placeOf } from './joiner.ts'

const ascii = new TextEncoder()
/** Flags of an Info frame that tells the number of frames and of bytes. */
const FRAMES_AND_BYTES = 3

/** Bits of a granule that holds no sound. */
const EMPTY_BITS = 16
/** Steps of the gain below the speech at which a granule is silent. Four steps are 6 dB: this is 30 dB. */
const SILENT_STEPS = 20
/** The gain of speech: of the louder granules. */
const SPEECH_SHARE = 0.8

/**
 * Joins MP3 frame by frame. Each piece begins and ends in the silence of its own encoding, so nothing clicks; loudness
 * stays as the service made it, since a frame cannot be made louder without decoding. Gaps are frames of silence.
 */
export class Mp3Joiner implements Joiner {
  readonly places: Place[] = []
  readonly #gapSeconds: number
  readonly #body: Uint8Array[] = []
  #tag: Uint8Array = new Uint8Array(0)
  #first: { readonly header: Mp3Frame; readonly bytes: Uint8Array } | undefined
  #samples = 0
  #frames = 0
  #variable = false

  constructor(gapSeconds: number) {
    this.#gapSeconds = gapSeconds
  }

  add(piece: Uint8Array, { continues = false }: Partial<PieceEdges> = {}): Uint8Array {
    const content = readMp3(piece)
    const [first] = content?.frames ?? []
    if (content === undefined || first === undefined)
      throw new UnjoinableError('mp3', 'a segment has no MP3 frames with a bit rate')
    const opening = this.#first === undefined
    if (opening) this.#tag = content.tag.slice()
    this.#first ??= { header: first.header, bytes: first.bytes.slice(0, 4) }
    if (first.header.rate !== this.#first.header.rate || first.header.mono !== this.#first.header.mono) {
      throw new UnjoinableError('mp3', `one is ${describe(this.#first.header)}, another ${describe(first.header)}`)
    }
    const added = [...(opening || continues ? [] : this.#silence()), ...content.frames.map(({ bytes }) => bytes)]
    this.#body.push(...added)
    this.#place(content, opening ? 0 : added.length - content.frames.length)
    return Buffer.concat(opening ? [this.#tag, ...added] : added)
  }

  finish(): Uint8Array {
    if (this.#first === undefined) throw new TypeError('There is nothing to join')
    return Buffer.concat([this.#tag, this.#infoFrame(this.#first.bytes), ...this.#body])
  }

  #place({ frames, added }: Mp3Content, gapFrames: number): void {
    const { rate, samples, kilobits } = this.#first?.header ?? { rate: 1, samples: 1, kilobits: 0 }
    const start = this.#samples + gapFrames * samples
    this.#samples = start + frames.reduce((sum, { header }) => sum + header.samples, 0)
    this.#frames += gapFrames + frames.length
    this.#variable ||= frames.some(({ header }) => header.kilobits !== kilobits)
    const silent = silentGranules(frames.map(({ bytes }) => bytes))
    const granule = (samples * frames.length) / Math.max(1, silent.length)
    const pauses = pausesOf(silent, granule / rate, start / rate)
    this.places.push(placeOf((start + added.before) / rate, (this.#samples - added.behind) / rate, pauses))
  }

  /** Frames that say nothing: all their side information is zero, so no sound and no bits of others are referred to. */
  #silence(): Uint8Array[] {
    const { header, bytes } = this.#first ?? {}
    if (header === undefined || bytes === undefined) return []
    const frame = emptyFrame(bytes)
    return Array<Uint8Array>(Math.round((this.#gapSeconds * header.rate) / header.samples)).fill(frame)
  }

  /** The frame that tells players how long the file is; it holds no sound. */
  #infoFrame(header: Uint8Array): Uint8Array {
    const frame = emptyFrame(header, 64)
    const at = readMp3Frame(viewOf(frame).getUint32(0))?.infoOffset ?? 0
    frame.set(ascii.encode(this.#variable ? 'Xing' : 'Info'), at)
    const view = viewOf(frame)
    view.setUint32(at + 4, FRAMES_AND_BYTES)
    view.setUint32(at + 8, this.#frames)
    view.setUint32(
      at + 12,
      this.#body.reduce((sum, { byteLength }) => sum + byteLength, frame.byteLength),
    )
    return frame
  }
}

/** Joins AAC in ADTS frames, which stand for themselves. Pieces keep the silence of their own encoding. */
export class AdtsJoiner implements Joiner {
  readonly places: Place[] = []
  readonly #body: Uint8Array[] = []
  #rate: number | undefined
  #samples = 0

  add(piece: Uint8Array): Uint8Array {
    const content = readAdts(piece)
    if (content === undefined) throw new UnjoinableError('aac', 'a segment has no ADTS frames')
    this.#rate ??= content.rate
    if (this.#rate !== content.rate)
      throw new UnjoinableError('aac', `one is ${this.#rate} Hz, another ${content.rate} Hz`)
    const startSecond = this.#samples / content.rate
    this.#samples += content.samples
    this.places.push({ startSecond, endSecond: this.#samples / content.rate })
    // The tag, which carries the marking, stays that of the first piece.
    const added = this.#body.length === 0 ? piece.subarray(0, content.end) : piece.subarray(content.start, content.end)
    this.#body.push(added)
    return added
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#body)
  }
}

/**
 * A frame of zeros with the layout of another one.
 * @param minBytes The frame gets the lowest bit rate that gives it this size.
 */
function emptyFrame(like: Uint8Array, minBytes = 0): Uint8Array {
  // No checksum (bit 16 set) and no padding (bit 9 clear).
  const header = ((viewOf(like).getUint32(0) | 0x1_00_00) & ~0x2_00) >>> 0
  for (let rate = (header >>> 12) & 15; rate < 15; rate += 1) {
    const own = ((header & ~0xf0_00) | (rate << 12)) >>> 0
    const { bytes } = readMp3Frame(own) ?? { bytes: 0 }
    if (bytes < Math.max(minBytes, 4)) continue
    const frame = new Uint8Array(bytes)
    viewOf(frame).setUint32(0, own)
    return frame
  }
  throw new UnjoinableError('mp3', 'a segment has MP3 frames without a bit rate')
}

function describe({ rate, mono }: Mp3Frame): string {
  return `${rate} Hz in ${mono ? 'mono' : 'stereo'}`
}

/**
 * Whether each granule of these frames is silent, by the bits and the gain in their side information: nothing is decoded
 * (ISO/IEC 11172-3 §2.4.1.7 and 13818-3 §2.4.1.7). A granule has 576 samples.
 */
export function silentGranules(frames: readonly Uint8Array[]): boolean[] {
  const gains = frames.flatMap(gainsOf)
  const heard = gains.filter((gain) => gain >= 0).toSorted((a, b) => a - b)
  const speech = heard[Math.floor(heard.length * SPEECH_SHARE)] ?? 0
  return gains.map((gain) => gain < speech - SILENT_STEPS)
}

/** The gain of each granule of a frame, of its louder channel; -1 for an empty one. */
function gainsOf(frame: Uint8Array): number[] {
  const header = viewOf(frame).getUint32(0)
  const isMpeg1 = ((header >>> 19) & 3) === 3
  const channels = ((header >>> 6) & 3) === 3 ? 1 : 2
  // A checksum follows the header where bit 16 is clear.
  const start = ((header >>> 16) & 1) === 1 ? 32 : 48
  const [shared, size] = isMpeg1 ? [channels === 1 ? 18 : 20, 59] : [channels === 1 ? 9 : 10, 63]
  return Array.from({ length: isMpeg1 ? 2 : 1 }, (_, granule) => {
    const gains = Array.from({ length: channels }, (__, channel) => {
      const at = start + shared + (granule * channels + channel) * size
      return bits(frame, at, 12) < EMPTY_BITS ? -1 : bits(frame, at + 21, 8)
    })
    return Math.max(...gains)
  })
}

function bits(bytes: Uint8Array, at: number, count: number): number {
  let value = 0
  for (let bit = at; bit < at + count; bit += 1) value = value * 2 + (((bytes[bit >>> 3] ?? 0) >>> (7 - (bit & 7))) & 1)
  return value
}
