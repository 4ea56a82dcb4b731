import { completeFlacHead, readAigc, viewOf } from '@svc-audio/core/adapter'
import { type PcmEncoder, type PcmLayout, readJoinable, samplesOf } from './wav.ts'

type Libflac = typeof import('libflacjs/dist/libflac.min.js')

/** libFLAC's own default: levels above it take longer and save less than 1 % of speech. */
const COMPRESSION_LEVEL = 5
/** Samples of one step. The encoder blocks its thread for a few milliseconds. */
const STEP_SAMPLES = 2 ** 16

/** Types of metadata blocks (RFC 9639 §8.1). */
const STREAMINFO = 0
const SEEKTABLE = 3
const VORBIS_COMMENT = 4

/** Distance of two seek points, in seconds. */
const SEEK_SECONDS = 10
/** PCM that is encoded before other work gets its turn, in seconds. */
const TURN_SECONDS = 30

/**
 * A WAV file as FLAC: the same samples in about half the size, with the number of samples, their MD5 sum, a seek table
 * and the marking of the WAV file.
 * @param wav 16-bit PCM.
 * @throws UnjoinableError for other samples
 */
export async function encodeFlac(wav: Uint8Array): Promise<Uint8Array> {
  const content = readJoinable(wav)
  const encoder = await FlacEncoder.open(content)
  try {
    const frames: FlacFrame[] = []
    for await (const samples of samplesOf(content, TURN_SECONDS)) frames.push(...encoder.encode(samples))
    const { frames: last, end } = encoder.end()
    return assemble(content, [...frames, ...last], end, readAigc(wav))
  } finally {
    encoder.close()
  }
}

/** FLAC in one pass: without the length, the sum and the seek table that a file has. */
export async function openFlacStream(layout: PcmLayout): Promise<PcmEncoder> {
  const encoder = await FlacEncoder.open(layout)
  return {
    head: () => encoder.head,
    encode: (samples) => bytesOf(encoder.encode(samples)),
    end: () => bytesOf(encoder.end().frames),
    close: () => encoder.close(),
  }
}

function bytesOf(frames: readonly FlacFrame[]): Uint8Array {
  return Buffer.concat(frames.map(({ bytes }) => bytes))
}

/** A FLAC frame. */
interface FlacFrame {
  readonly bytes: Uint8Array
  /** Samples per channel. */
  readonly samples: number
}

/** What is known of a stream at its end: its MD5 sum, and its blocks of metadata as they were first written. */
interface FlacEnd {
  /** MD5 sum of the samples, hexadecimal. */
  readonly md5: string
  /** The block STREAMINFO, 34 bytes, without its header. */
  readonly streamInfo: Uint8Array
  /** Name of the encoder. */
  readonly vendor: string
}

/**
 * Encodes 16-bit PCM as FLAC with libFLAC. It holds memory of libFLAC until {@link FlacEncoder.close}.
 */
class FlacEncoder {
  readonly #flac: Libflac
  readonly #channels: number
  readonly #id: number
  readonly #metadata: Uint8Array[] = []
  #frames: FlacFrame[] = []
  #md5 = ''

  /**
   * Loads libFLAC at the first call: 0.4 MB of JavaScript.
   * @throws TypeError for a layout that FLAC does not have
   */
  static async open(layout: PcmLayout): Promise<FlacEncoder> {
    return new FlacEncoder(await loadLibflac(), layout)
  }

  private constructor(flac: Libflac, { sampleRate, channels }: PcmLayout) {
    this.#flac = flac
    this.#channels = channels
    this.#id = flac.create_libflac_encoder(sampleRate, channels, 16, COMPRESSION_LEVEL)
    const onBytes = (bytes: Uint8Array, _: number, samples: number): void => {
      // The memory behind `bytes` is used again for the next frame.
      if (samples === 0) this.#metadata.push(bytes.slice())
      else this.#frames.push({ bytes: bytes.slice(), samples })
    }
    const onEnd = (info: { readonly md5sum: string } | undefined): void => {
      if (info !== undefined) this.#md5 = info.md5sum
    }
    const status = this.#id === 0 ? -1 : flac.init_encoder_stream(this.#id, onBytes, onEnd)
    if (status !== 0) {
      this.close()
      throw new TypeError(`FLAC has no audio of ${channels} channels at ${sampleRate} Hz`)
    }
  }

  /** The head of a stream whose end is not known: it tells no length. */
  get head(): Uint8Array {
    return Buffer.concat(this.#metadata)
  }

  /**
   * Encodes samples.
   * @param samples Interleaved.
   * @returns The frames that are complete. The rest of the samples follows with the next call.
   */
  encode(samples: Int16Array): FlacFrame[] {
    const step = STEP_SAMPLES * this.#channels
    for (let from = 0; from < samples.length; from += step) {
      const part = Int32Array.from(samples.subarray(from, from + step))
      const isEncoded = this.#flac.FLAC__stream_encoder_process_interleaved(
        this.#id,
        part,
        part.length / this.#channels,
      )
      if (!isEncoded) throw new Error('libFLAC refused samples')
    }
    return this.#take()
  }

  /** The last frames, and what is known at the end. */
  end(): { readonly frames: FlacFrame[]; readonly end: FlacEnd } {
    if (!this.#flac.FLAC__stream_encoder_finish(this.#id)) throw new Error('libFLAC did not finish the stream')
    // libFLAC writes the mark, STREAMINFO and VORBIS_COMMENT, and nothing else.
    const [, streamInfo, comment] = this.#metadata
    if (streamInfo === undefined || comment === undefined) throw new Error('libFLAC wrote no metadata')
    const vendorBytes = new DataView(comment.buffer, comment.byteOffset).getUint32(4, true)
    const vendor = new TextDecoder().decode(comment.subarray(8, 8 + vendorBytes))
    return { frames: this.#take(), end: { md5: this.#md5, streamInfo: streamInfo.subarray(4), vendor } }
  }

  /** Frees the memory. */
  close(): void {
    if (this.#id !== 0) this.#flac.FLAC__stream_encoder_delete(this.#id)
  }

  #take(): FlacFrame[] {
    const frames = this.#frames
    this.#frames = []
    return frames
  }
}

/** The build without WebAssembly: the loader of the other one fails on a Node that has `fetch`. */
async function loadLibflac(): Promise<Libflac> {
  const { default: flac } = await import('libflacjs/dist/libflac.min.js')
  if (!flac.isReady()) await new Promise<void>((resolve) => flac.on('ready', () => resolve()))
  return flac
}

function assemble(
  layout: PcmLayout,
  frames: readonly FlacFrame[],
  end: FlacEnd,
  marking: string | undefined,
): Uint8Array {
  const comments = [end.vendor, ...(marking === undefined ? [] : [`AIGC=${marking}`])]
  return Buffer.concat([
    flacHead(frames, end),
    block(SEEKTABLE, seekTable(layout, frames)),
    block(VORBIS_COMMENT, vorbisComment(comments), true),
    ...frames.map(({ bytes }) => bytes),
  ])
}

function block(type: number, body: Uint8Array, isLast = false): Uint8Array {
  const head = new Uint8Array(4)
  viewOf(head).setUint32(0, body.byteLength)
  head[0] = type | (isLast ? 0x80 : 0)
  return Buffer.concat([head, body])
}

/** The head of the file, with what libFLAC leaves open: sizes of frames, number of samples and MD5 sum. */
function flacHead(frames: readonly FlacFrame[], { streamInfo, md5 }: FlacEnd): Uint8Array {
  const info = Buffer.from(streamInfo)
  const sizes = frames.map(({ bytes }) => bytes.byteLength)
  info.writeUIntBE(
    sizes.reduce((a, b) => Math.min(a, b)),
    4,
    3,
  )
  info.writeUIntBE(
    sizes.reduce((a, b) => Math.max(a, b)),
    7,
    3,
  )
  const head = Buffer.concat([Buffer.from('fLaC'), block(STREAMINFO, info)])
  const samples = frames.reduce((sum, frame) => sum + frame.samples, 0)
  completeFlacHead(head, samples, Buffer.from(md5, 'hex'))
  return head
}

/** Where to begin to play from a time, so that a player need not search the file (RFC 9639 §8.5). */
function seekTable({ sampleRate }: PcmLayout, frames: readonly FlacFrame[]): Uint8Array {
  const points: Uint8Array[] = []
  let sample = 0
  let offset = 0
  for (const { bytes, samples } of frames) {
    if (sample >= points.length * SEEK_SECONDS * sampleRate) {
      const point = new Uint8Array(18)
      const view = viewOf(point)
      view.setBigUint64(0, BigInt(sample))
      view.setBigUint64(8, BigInt(offset))
      view.setUint16(16, samples)
      points.push(point)
    }
    sample += samples
    offset += bytes.byteLength
  }
  return Buffer.concat(points)
}

/** The first text names the encoder, the others are fields (RFC 9639 §8.6). */
function vorbisComment([vendor = '', ...fields]: readonly string[]): Uint8Array {
  return Buffer.concat([prefixed(vendor), little(fields.length), ...fields.map(prefixed)])
}

/** A text behind its length in bytes. */
function prefixed(text: string): Uint8Array {
  return Buffer.concat([little(Buffer.byteLength(text)), Buffer.from(text)])
}

function little(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}
