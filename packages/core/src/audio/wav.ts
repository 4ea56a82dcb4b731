import { asciiString, hasAscii, joinBytes, viewOf } from '../bytes.ts'
import type { AigcMetadata } from '../wire/index.ts'
import { frameBytes, type PcmFormat, pcmSeconds } from './pcm-format.ts'

const encoder = /* @__PURE__ */ new TextEncoder()

/** Length of {@link wavHeader}, in bytes. */
export const WAV_HEADER_BYTES = 44

/** Placeholder for an unknown size. Players then read to the end of the stream. */
const UNKNOWN_SIZE = 0xff_ff_ff_ff

/**
 * The 44-byte header of a PCM WAV file.
 *
 * @param dataBytes Bytes of PCM that follow. `undefined` if unknown: the header then has the placeholder 0xFFFFFFFF for
 *   both sizes. Players and this service read it as "to the end". Write such a header only to a stream.
 * @param trailingBytes Bytes of RIFF chunks after the data and its pad byte, 0 by default
 * @throws RangeError if the file would exceed the 4 GiB of a RIFF size
 */
export function wavHeader(
  format: PcmFormat,
  dataBytes: number | undefined,
  trailingBytes = 0,
): Uint8Array<ArrayBuffer> {
  const riffBytes =
    dataBytes === undefined ? UNKNOWN_SIZE : WAV_HEADER_BYTES - 8 + dataBytes + (dataBytes % 2) + trailingBytes
  if (riffBytes > UNKNOWN_SIZE) throw new RangeError(`${dataBytes} bytes do not fit a WAV header`)
  const header = new Uint8Array(WAV_HEADER_BYTES)
  const view = new DataView(header.buffer)
  // After `fmt ` come the length of the format, 16 bytes, and its kind, 1 for PCM.
  header.set(encoder.encode('RIFF____WAVEfmt \x10\0\0\0\x01\0______________data'))
  view.setUint32(4, riffBytes, true)
  view.setUint16(22, format.channels, true)
  view.setUint32(24, format.sampleRate, true)
  view.setUint32(28, format.sampleRate * frameBytes(format), true)
  view.setUint16(32, frameBytes(format), true)
  view.setUint16(34, format.bitDepth, true)
  view.setUint32(40, dataBytes ?? UNKNOWN_SIZE, true)
  return header
}

/**
 * Makes a WAV file from PCM chunks, with true sizes. An odd number of bytes gets the pad byte of RIFF.
 *
 * @param tail RIFF chunks after the samples.
 * @default none
 * @throws RangeError if the file would exceed the 4 GiB of a RIFF size
 */
export function encodeWav(
  format: PcmFormat,
  chunks: readonly Uint8Array[],
  tail: Uint8Array = new Uint8Array(0),
): Uint8Array<ArrayBuffer> {
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
  const samples = chunks.map((chunk) => wavSamples(format, chunk))
  return joinBytes([wavHeader(format, bytes, tail.byteLength), ...samples, new Uint8Array(bytes % 2), tail])
}

/**
 * Makes a WAV of unknown length: a header with placeholder sizes, then the samples as they arrive. Use it for a live
 * upload from a microphone, or for speech that a page plays while it is synthesized. For a file on disk with true
 * sizes, use `encodeWav()` or `SpeechStream.saveTo()`.
 *
 * @param pcm Signed little-endian PCM, in chunks of any size.
 * @throws the error of reading the PCM
 * @example
 * await audio.transcriptions.create({ model, file: { data: wavStream(format, microphone), name: 'talk.wav' } })
 */
export async function* wavStream(
  format: PcmFormat,
  pcm: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  yield wavHeader(format, undefined)
  for await (const chunk of pcm) yield wavSamples(format, chunk)
}

/** Converts PCM to the samples of a WAV file: 8-bit samples become unsigned, others stay unchanged. */
function wavSamples({ bitDepth }: PcmFormat, pcm: Uint8Array): Uint8Array {
  return bitDepth === 8 ? pcm.map((sample) => sample ^ 0x80) : pcm
}

/** A chunk of a WAV file. */
export interface WavChunk {
  /** Four letters, such as `data`. */
  readonly id: string
  /** Offset of its content, in bytes. */
  readonly start: number
  /** Bytes of its content, as the file says: they may reach beyond its end. */
  readonly size: number
}

/**
 * The chunks of a WAV file, in order.
 *
 * @param file The file, or its first bytes. Another file has no chunks.
 */
export function* wavChunks(file: Uint8Array): Generator<WavChunk, void, undefined> {
  const view = viewOf(file)
  const letters = (at: number): string => asciiString(file.subarray(at, at + 4))
  if (file.byteLength < 12 || !hasAscii(file, 0, 'RIFF') || !hasAscii(file, 8, 'WAVE')) return
  for (let at = 12; at + 8 <= file.byteLength;) {
    const chunk = { id: letters(at), start: at + 8, size: view.getUint32(at + 4, true) }
    yield chunk
    // A chunk of an odd size has a pad byte.
    at = chunk.start + chunk.size + (chunk.size % 2)
  }
}

/** What a WAV file says before its samples. */
export interface WavHead {
  /** Layout of the samples. 8-bit samples are unsigned in the file. */
  readonly format: PcmFormat
  /** Kind of samples: 1 is PCM, 3 float, 6 A-law, 7 µ-law. The other ones pack blocks of samples. */
  readonly kind: number
  /** Offset of the first sample, in bytes. */
  readonly samplesAt: number
  /** Bytes of samples. `undefined` if the writer of a stream did not know it: they reach to the end. */
  readonly sampleBytes: number | undefined
}

/** Encoders write this size and larger ones as placeholders. */
const LEAST_PLACEHOLDER = 0x7f_00_00_00
const EXTENSIBLE = 0xff_fe

/**
 * Reads the start of a WAV file.
 *
 * @param file The file, or its first bytes.
 * @returns `undefined` for another file, for one without a format, and where the samples begin behind these bytes
 */
export function readWavHead(file: Uint8Array): WavHead | undefined {
  const view = viewOf(file)
  let said: Pick<WavHead, 'format' | 'kind'> | undefined
  for (const { id, start, size } of wavChunks(file)) {
    if (id === 'data')
      return said && { ...said, samplesAt: start, sampleBytes: size < LEAST_PLACEHOLDER ? size : undefined }
    if (id === 'fmt ' && size >= 16 && start + 16 <= file.byteLength) said = readFormat(view, start)
  }
  return undefined
}

function readFormat(view: DataView, at: number): Pick<WavHead, 'format' | 'kind'> {
  const tag = view.getUint16(at, true)
  return {
    format: {
      sampleRate: view.getUint32(at + 4, true),
      channels: view.getUint16(at + 2, true),
      bitDepth: view.getUint16(at + 14, true),
    },
    // The kind of an extensible format begins its GUID.
    kind: tag === EXTENSIBLE && at + 26 <= view.byteLength ? view.getUint16(at + 24, true) : tag,
  }
}

/** What a WAV file holds. */
export interface WavContent extends PcmFormat {
  /** Whether the samples are integers. */
  readonly isPcm: boolean
  /** The samples, interleaved: a view of the file. */
  readonly samples: Uint8Array
  /** Bytes of samples that the header tells of and the file lacks. 0 for the header of a stream, which tells no size. */
  readonly missingBytes: number
}

const PCM = 1
/** Kinds whose length follows from the number of bytes: PCM, float, A-law and µ-law. ADPCM packs blocks. */
const EVEN_KINDS = new Set([PCM, 3, 6, 7])

/**
 * Reads a WAV file. Samples of an unknown size, as writers to a pipe leave it, reach to the end.
 *
 * @returns `undefined` for anything else, and for kinds of samples whose length the bytes do not tell
 */
export function readWav(file: Uint8Array): WavContent | undefined {
  const head = readWavHead(file)
  if (head === undefined) return undefined
  const { format, kind, samplesAt, sampleBytes } = head
  const { channels, sampleRate, bitDepth } = format
  if (!EVEN_KINDS.has(kind) || channels === 0 || sampleRate === 0 || bitDepth === 0 || bitDepth % 8 !== 0)
    return undefined
  const samples = file.subarray(samplesAt, samplesAt + (sampleBytes ?? file.byteLength))
  return {
    ...format,
    isPcm: kind === PCM,
    samples,
    missingBytes: (sampleBytes ?? samples.byteLength) - samples.byteLength,
  }
}

/** Length of a WAV file, in seconds; `undefined` when {@link readWav} cannot read it. */
export function wavSeconds(file: Uint8Array): number | undefined {
  const content = readWav(file)
  return content && pcmSeconds(content, content.samples.byteLength)
}

const CHUNK_HEADER_BYTES = 8
/** Id of the top-level RIFF chunk with the marking. */
const AIGC = 'AIGC'

/** Fields of the marking (interface: `aigc_metadata`). A field may be `undefined`. */
export type AigcMarking = { readonly [Field in keyof AigcMetadata]?: AigcMetadata[Field] | undefined }

/**
 * The implicit marking for the metadata of an audio file: one JSON value with the names of GB 45438-2025. `undefined`
 * unless enabled: by default nothing is written (interface: `aigc_metadata`).
 *
 * @param produceId Id of this file, e.g. that of its task
 */
export function aigcValue(metadata: AigcMarking | undefined, produceId: string): string | undefined {
  if (metadata?.enabled !== true) return undefined
  return JSON.stringify({
    AIGC: {
      Label: '1',
      ContentProducer: 'svc-audio',
      ProduceID: produceId,
      ReservedCode1: '',
      ContentPropagator: metadata.content_propagator ?? '',
      PropagateID: metadata.propagate_id ?? '',
      ReservedCode2: '',
    },
  })
}

/** The marking as a RIFF chunk with its pad byte. Players skip it. Empty without a marking. */
export function aigcChunk(aigc: string | undefined): Uint8Array<ArrayBuffer> {
  if (aigc === undefined) return new Uint8Array(0)
  const content = new TextEncoder().encode(aigc)
  const chunk = new Uint8Array(CHUNK_HEADER_BYTES + content.length + (content.length % 2))
  chunk.set(new TextEncoder().encode(AIGC))
  new DataView(chunk.buffer).setUint32(4, content.length, true)
  chunk.set(content, CHUNK_HEADER_BYTES)
  return chunk
}

/**
 * Reads the AIGC marking of a WAV file, unchanged. It is JSON if the writer followed the format. `undefined` if the
 * file has none, is cut before it, or is not a WAV file.
 */
export function readAigc(wav: Uint8Array): string | undefined {
  for (const { id, start, size } of wavChunks(wav)) {
    if (start + size > wav.length) return undefined
    if (id === AIGC) return new TextDecoder().decode(wav.subarray(start, start + size))
  }
  return undefined
}
