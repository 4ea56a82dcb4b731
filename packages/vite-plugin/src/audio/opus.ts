import { createSemaphore } from '@svc-audio/core'
import { Resampler } from '@svc-audio/core/audio'
import { readAigc, viewOf } from '@svc-audio/core/adapter'
import type OpusScript from 'opusscript'
import { UnjoinableError } from '../errors.ts'
import { type PcmEncoder, type PcmLayout, readJoinable, samplesOf } from './wav.ts'

/** Rates that an encoder takes, in Hz (RFC 6716 §2.1.1). */
const RATES = [8000, 12_000, 16_000, 24_000, 48_000] as const
/** Opus counts in samples of 48 kHz, whatever is encoded (RFC 7845 §4). */
const COUNTED_RATE = 48_000
/** Packets of 20 ms: libopus is made for them. */
const PACKETS_PER_SECOND = 50
const PACKET_SAMPLES = COUNTED_RATE / PACKETS_PER_SECOND
/** What libopus delays the audio by: 2.5 ms of window and 4 ms of its own. Players skip it. */
const PRE_SKIP = 312
/** A page of Ogg for each second, so that a player finds a place quickly. */
const PACKETS_OF_PAGE = 50

/** Bits per second and channel at which speech is hard to tell from its source: for telephone to 16 kHz, and above. */
const BITS = { speech: 24_000, wide: 32_000 } as const

/** More zeros than the filter of a resampler holds back. */
const FLUSH = 4096
/** PCM that is encoded before other work gets its turn, in seconds: some hundredths of a second of work. */
const TURN_SECONDS = 2

/** One page at a time: the work is that of a processor, and each encoder holds memory. */
const encoders = createSemaphore(1)
const never = new AbortController().signal

/**
 * A WAV file as Ogg Opus, at 24 kbit/s for speech of up to 16 kHz and 32 above: about a third of the service's MP3. It carries
 * the marking of the WAV file.
 * @param wav 16-bit PCM of one or two channels.
 * @throws UnjoinableError for other samples
 */
export async function encodeOpus(wav: Uint8Array): Promise<Uint8Array> {
  const content = readJoinable(wav)
  const release = await encoders.acquire(never)
  try {
    const encoder = await OpusEncoder.open(content, readAigc(wav))
    try {
      const parts = [encoder.head()]
      for await (const samples of samplesOf(content, TURN_SECONDS)) parts.push(encoder.encode(samples))
      return Buffer.concat([...parts, encoder.end()])
    } finally {
      encoder.close()
    }
  } finally {
    release()
  }
}

/**
 * Encodes 16-bit PCM as Ogg Opus (RFC 7845) with libopus. It holds memory of libopus until {@link OpusEncoder.close}.
 */
export class OpusEncoder implements PcmEncoder {
  readonly #layout: PcmLayout
  readonly #rate: number
  readonly #opus: OpusScript
  readonly #pages = new OggPages()
  readonly #resamplers: readonly Resampler[]
  readonly #marking: string | undefined
  /** Samples of a packet that is not full. */
  #rest: Int16Array = new Int16Array()
  /** Packets of the page that is not full. The last one of all is among them until the end. */
  #packets: Uint8Array[] = []
  #encoded = 0
  #frames = 0

  /**
   * Loads libopus at the first call: 0.3 MB of WebAssembly.
   * @param marking AIGC marking, written as a comment.
   * @throws UnjoinableError for more than two channels
   */
  static async open(layout: PcmLayout, marking?: string): Promise<OpusEncoder> {
    if (layout.channels > 2) throw new UnjoinableError('opus', `a segment has ${layout.channels} channels`)
    const { default: Opus } = await import('opusscript')
    const rate = RATES.find((one) => one >= layout.sampleRate) ?? COUNTED_RATE
    const opus = new Opus(rate, layout.channels, Opus.Application.VOIP)
    opus.setBitrate((rate > 16_000 ? BITS.wide : BITS.speech) * layout.channels)
    return new OpusEncoder(layout, rate, opus, marking)
  }

  private constructor(layout: PcmLayout, rate: number, opus: OpusScript, marking: string | undefined) {
    this.#layout = layout
    this.#rate = rate
    this.#opus = opus
    this.#marking = marking
    const channels = rate === layout.sampleRate ? 0 : layout.channels
    this.#resamplers = Array.from({ length: channels }, () => new Resampler(layout.sampleRate, rate))
  }

  /** The pages before the audio. Take them first. */
  head(): Uint8Array {
    const { channels, sampleRate } = this.#layout
    return Buffer.concat([
      this.#pages.page([idHeader(channels, sampleRate)], 0),
      this.#pages.page([tags(this.#marking)], 0),
    ])
  }

  /**
   * Encodes samples.
   * @param samples Interleaved.
   * @returns The pages that are complete. The rest of the samples follows with the next call.
   */
  encode(samples: Int16Array): Uint8Array {
    this.#frames += samples.length / this.#layout.channels
    return Buffer.concat(this.#take(this.#resampled(samples)))
  }

  /** Ends the stream: its last pages, which tell where the audio ends. */
  end(): Uint8Array {
    const { channels, sampleRate } = this.#layout
    const length = Math.round((this.#frames * COUNTED_RATE) / sampleRate) + PRE_SKIP
    const packets = Math.ceil(length / PACKET_SAMPLES) - this.#encoded
    const tail = new Int16Array((packets * this.#rate * channels) / PACKETS_PER_SECOND - this.#rest.length)
    // The end of the audio that the filters hold back. Silence follows it.
    if (this.#resamplers.length > 0)
      tail.set(this.#resampled(new Int16Array(FLUSH * channels)).subarray(0, tail.length))
    const pages = [...this.#take(tail), this.#pages.page(this.#packets, length, true)]
    return Buffer.concat(pages)
  }

  /** Frees the memory. */
  close(): void {
    this.#opus.delete()
  }

  /** Encodes full packets, and puts them into full pages. */
  #take(samples: Int16Array): Uint8Array[] {
    const perPacket = this.#rate / PACKETS_PER_SECOND
    const size = perPacket * this.#layout.channels
    const all = new Int16Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    const pages: Uint8Array[] = []
    let from = 0
    for (; from + size <= all.length; from += size) {
      const packet = this.#opus.encode(Buffer.from(all.buffer, from * 2, size * 2), perPacket)
      if (this.#packets.length >= PACKETS_OF_PAGE || !OggPages.fits(this.#packets, packet)) {
        pages.push(this.#pages.page(this.#packets, this.#encoded * PACKET_SAMPLES))
        this.#packets = []
      }
      this.#packets.push(packet)
      this.#encoded += 1
    }
    this.#rest = all.slice(from)
    return pages
  }

  #resampled(samples: Int16Array): Int16Array {
    if (this.#resamplers.length === 0) return samples
    const { channels } = this.#layout
    const tracks = this.#resamplers.map((resampler, channel) =>
      resampler.push(
        Float32Array.from({ length: samples.length / channels }, (_, at) => samples[at * channels + channel] ?? 0),
      ),
    )
    const [first = new Float32Array()] = tracks
    return Int16Array.from({ length: first.length * channels }, (_, at) => {
      const sample = Math.round(tracks[at % channels]?.[Math.floor(at / channels)] ?? 0)
      return Math.min(32_767, Math.max(-32_768, sample))
    })
  }
}

/** The identification header (RFC 7845 §5.1). */
function idHeader(channels: number, sampleRate: number): Uint8Array {
  const header = new Uint8Array(19)
  header.set(new TextEncoder().encode('OpusHead'))
  const view = viewOf(header)
  view.setUint8(8, 1)
  view.setUint8(9, channels)
  view.setUint16(10, PRE_SKIP, true)
  view.setUint32(12, sampleRate, true)
  return header
}

/** The comment header (RFC 7845 §5.2), with the marking. */
function tags(marking: string | undefined): Uint8Array {
  const counted = (text: string): Uint8Array => {
    const bytes = Buffer.from(text)
    return Buffer.concat([count(bytes.byteLength), bytes])
  }
  const comments = marking === undefined ? [] : [counted(`AIGC=${marking}`)]
  return Buffer.concat([Buffer.from('OpusTags'), counted('libopus'), count(comments.length), ...comments])
}

function count(value: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const HEADER_BYTES = 27
/** The most entries of a page's table: one for each 255 bytes of a packet, and one for its rest. */
const MOST_ENTRIES = 255

/** Flags of a page (RFC 3533 §6). */
const FIRST = 2
const LAST = 4

/** The same audio gives the same bytes: no random number names the stream. */
const SERIAL = 1

/** Sums of the single bytes (RFC 3533 §6: polynomial 0x04c11db7, no reflection). */
const SUMS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let sum = byte << 24
  for (let bit = 0; bit < 8; bit += 1) sum = sum < 0 ? (sum << 1) ^ 0x04_c1_1d_b7 : sum << 1
  return sum
})

/** Puts the packets of one stream into Ogg pages (RFC 3533). */
class OggPages {
  #pages = 0

  /** How many entries a packet takes in the table of its page. */
  static entries(packet: Uint8Array): number {
    return Math.floor(packet.byteLength / 255) + 1
  }

  /** Whether another packet fits into the page of these packets. */
  static fits(packets: readonly Uint8Array[], packet: Uint8Array): boolean {
    return packets.reduce((sum, one) => sum + OggPages.entries(one), OggPages.entries(packet)) <= MOST_ENTRIES
  }

  /**
   * A page of whole packets.
   * @param position The granule position: samples of the stream up to the end of the last packet.
   */
  page(packets: readonly Uint8Array[], position: number, isLast = false): Uint8Array {
    const table = packets.flatMap((packet) => [
      ...Array<number>(OggPages.entries(packet) - 1).fill(255),
      packet.byteLength % 255,
    ])
    const header = new Uint8Array(HEADER_BYTES)
    header.set(new TextEncoder().encode('OggS'))
    const view = viewOf(header)
    view.setUint8(5, (this.#pages === 0 ? FIRST : 0) | (isLast ? LAST : 0))
    view.setBigUint64(6, BigInt(position), true)
    view.setUint32(14, SERIAL, true)
    view.setUint32(18, this.#pages, true)
    view.setUint8(26, table.length)
    this.#pages += 1
    const page = Buffer.concat([header, Uint8Array.from(table), ...packets])
    page.writeUInt32LE(checksum(page), 22)
    return page
  }
}

function checksum(page: Uint8Array): number {
  let sum = 0
  for (const byte of page) sum = (sum << 8) ^ (SUMS[(sum >>> 24) ^ byte] ?? 0)
  return sum >>> 0
}
