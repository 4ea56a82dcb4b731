/** Numbers of a generator with a seed, so that a failing case fails again. */
export function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    // mulberry32
    state = (state + 0x6d_2b_79_f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** The bytes of a text. */
export const ascii = (text: string): Uint8Array => new TextEncoder().encode(text)
/** The bytes of all parts, in order. */
export const concat = (...parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))
/** A number in little-endian bytes. */
export const little = (value: number, bytes: number): Uint8Array =>
  Uint8Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) % 256)

/** An ID3v2 tag. */
export function id3(content: Uint8Array, { footer = false }: { readonly footer?: boolean } = {}): Uint8Array {
  const size = [21, 14, 7, 0].map((shift) => (content.byteLength >>> shift) & 0x7f)
  const head = concat(ascii('ID3'), Uint8Array.of(4, 0, footer ? 0x10 : 0, ...size))
  return concat(head, content, new Uint8Array(footer ? 10 : 0))
}

/** A chunk of a RIFF file, with its pad byte. */
export function chunk(id: string, data: Uint8Array, size: number = data.byteLength): Uint8Array {
  return concat(ascii(id), little(size, 4), data, new Uint8Array(data.byteLength % 2))
}

/** A RIFF file of WAVE chunks. Its size is 0: readers go by the chunks. */
export const riff = (...chunks: readonly Uint8Array[]): Uint8Array =>
  concat(ascii('RIFF'), little(0, 4), ascii('WAVE'), ...chunks)

const NONE: Uint8Array = new Uint8Array()

/** Fields of the format of a WAV file. */
export interface WavFormatFields {
  readonly kind?: number
  readonly channels?: number
  readonly rate?: number
  readonly bits?: number
  readonly tail?: Uint8Array
}

/** The `fmt ` chunk of a WAV file. */
export function wavFormat({
  kind = 1,
  channels = 1,
  rate = 16_000,
  bits = 16,
  tail = NONE,
}: WavFormatFields = {}): Uint8Array {
  const block = Math.ceil((channels * bits) / 8)
  const fields = [little(kind, 2), little(channels, 2), little(rate, 4), little(rate * block, 4), little(block, 2)]
  return chunk('fmt ', concat(...fields, little(bits, 2), tail))
}

/** A WAV file of 16-bit samples. */
export function wavOf(
  samples: readonly number[],
  { channels = 1, rate = 16_000 }: Pick<WavFormatFields, 'channels' | 'rate'> = {},
): Uint8Array {
  const data = new Uint8Array(Int16Array.from(samples).buffer)
  return riff(wavFormat({ channels, rate }), chunk('data', data))
}

/** An MP3 frame: MPEG-2, 64 kbit/s, 16 kHz, mono; 288 bytes, 576 samples. */
export const MP3_MONO = 0xff_f3_88_c4
/** An MP3 frame: MPEG-1, 128 kbit/s, 44.1 kHz, stereo; 417 bytes, 1152 samples. */
export const MP3_STEREO = 0xff_fb_90_00

/** A frame with this header, filled to a length in bytes. */
export function mp3Frame(header: number, bytes: number): Uint8Array {
  const data = new Uint8Array(bytes).fill(0x55)
  new DataView(data.buffer).setUint32(0, header)
  return data
}

/** An ADTS frame of AAC-LC, mono. The default rate is 16 kHz. */
export function adtsFrame(
  length: number,
  { rateIndex = 8, blocks = 1 }: { readonly rateIndex?: number; readonly blocks?: number } = {},
): Uint8Array {
  const frame = new Uint8Array(length)
  const size = [0x40 | (length >> 11), (length >> 3) & 255, ((length & 7) << 5) | 0x1f]
  frame.set([0xff, 0xf1, 0x40 | (rateIndex << 2), ...size, 0xfc | (blocks - 1)])
  return frame
}

/** A page of Ogg with one packet of up to 254 bytes. */
export function oggPage(
  granule: bigint,
  payload: Uint8Array,
  { serial = 1, flags = 0 }: { readonly serial?: number; readonly flags?: number } = {},
): Uint8Array {
  const header = new Uint8Array(28)
  header.set(ascii('OggS'))
  header[5] = flags
  const view = new DataView(header.buffer)
  view.setBigUint64(6, granule, true)
  view.setUint32(14, serial, true)
  header[26] = 1
  header[27] = payload.byteLength
  return concat(header, payload)
}

/** The first packet of Ogg Opus, with samples to skip. */
export const opusHead = (preSkip: number): Uint8Array =>
  concat(ascii('OpusHead'), Uint8Array.of(1, 1), little(preSkip, 2), new Uint8Array(7))

/** A FLAC file without frames. */
export function flacHead(rate: number, samples: number): Uint8Array {
  const packed = new Uint8Array(8)
  new DataView(packed.buffer).setBigUint64(0, (BigInt(rate) << 44n) | (15n << 36n) | BigInt(samples))
  return concat(ascii('fLaC'), Uint8Array.of(0x80, 0, 0, 34), new Uint8Array(10), packed, new Uint8Array(16))
}
