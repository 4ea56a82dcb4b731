import type { PcmLayout } from '../join/pcm.ts'

type Libflac = typeof import('libflacjs/dist/libflac.min.js')

/** libFLAC's own default: levels above it take longer and save less than 1 % of speech. */
const COMPRESSION_LEVEL = 5
/** Samples of one step. The encoder blocks its thread for a few milliseconds. */
const STEP_SAMPLES = 2 ** 16

/** A FLAC frame. */
export interface FlacFrame {
  readonly bytes: Uint8Array
  /** Samples per channel. */
  readonly samples: number
}

/** What is known of a stream at its end: its MD5 sum, and its blocks of metadata as they were first written. */
export interface FlacEnd {
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
export class FlacEncoder {
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
