import type { PcmFormat } from '@svc-audio/core/audio'
import type { Turns } from './turns.ts'

/** File formats of a codec: the values of `response_format` (interface: speech). */
export type AudioFormat = 'mp3' | 'wav' | 'opus' | 'flac' | 'aac' | 'pcm'

/** The bytes are not decodable audio. The message is for the caller of the API and names no path. */
export class UndecodableAudioError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'UndecodableAudioError' as const
}

/** This machine has no program for the codec. The message is for the operator and names the remedy. */
export class CodecUnavailableError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'CodecUnavailableError' as const
}

/** Too much encoded audio of a tenant, or of all, waits to be sent. */
export class UnsentLimitError extends Error {
  /** The class name: programs compare it. */
  override readonly name = 'UnsentLimitError' as const
  constructor() {
    super('Too much audio of this account waits to be sent: read the responses of earlier requests first')
  }
}

/** Options of {@link Codec.encode}. */
export interface EncodeOptions {
  /** The file format to make. */
  readonly format: AudioFormat
  /** Sample rate, channels and depth of the PCM that is given. */
  readonly pcm: PcmFormat
  /** Written unchanged into the container's metadata under the key `AIGC`. `pcm` has no metadata. */
  readonly aigc?: string
  /** Sample rate of the format `pcm`, in Hz. The other formats name their rate. @default that of `pcm` */
  readonly sampleRate?: number
  /** The tenant of the audio. Encoders are shared fairly between tenants. @default '' */
  readonly tenant?: string
  /** Encodes each part in its turn. The cost is the estimated processor time. @default at once */
  readonly turns?: Turns
  /**
   * Whether the file is sent while it is made. A WAV or FLAC then starts with the first samples. Its length is open, as in
   * the files that OpenAI sends, unless the last sample follows at once. @default false, its sizes are true
   */
  readonly live?: boolean
  /** Stops the encoding, also while its output is unread. Reads then throw the reason. @default the reader stops it */
  readonly signal?: AbortSignal
}

/** What is known at the end of a decoded file. */
export interface DecodedFile {
  /** Length of the file as a player plays it, in seconds: pictures may last longer than the sound. */
  readonly durationSeconds: number
  /** Whether the file ends before it should: it was cut, or its header promises more. */
  readonly endsEarly: boolean
}

/** Options of {@link Codec.decode}. */
export interface DecodeOptions {
  /** Stops the decoding. Reads then throw the reason. @default the reader stops it */
  readonly signal?: AbortSignal
  /** Called after the last sample. @default nobody is told */
  readonly onEnd?: ((file: DecodedFile) => void) | undefined
}

/**
 * Converts between PCM and audio files. A driver stops its work and its processes when `signal` aborts or the reader
 * leaves the loop. {@link Codec.close} leaves nothing behind.
 */
export interface Codec {
  /**
   * Encodes PCM to a complete file. Unread output is buffered: a slow reader keeps no encoder busy. A WAV contains its
   * true sizes, and starts only after the last sample, unless it is `live`.
   * @throws CodecUnavailableError before the first byte, when nothing here can encode that format; UnsentLimitError when
   * too much audio of the tenant is unread.
   */
  encode(chunks: AsyncIterable<Uint8Array>, options: EncodeOptions): AsyncIterable<Uint8Array>
  /**
   * Decodes an audio or video file to 16 kHz mono signed 16-bit little-endian PCM, in constant memory. Each sample stands
   * where a player plays it: silence fills the time before a late track and the gaps of its time stamps. Of several
   * tracks it is the default one.
   * @param path A file on this machine. Its content determines the format, never its name.
   * @throws UndecodableAudioError when the content is not audio, is empty or is corrupt from the start.
   * @throws CodecUnavailableError when nothing here can decode it.
   */
  decode(path: string, options?: DecodeOptions): AsyncIterable<Uint8Array>
  /** Stops all work. It resolves when no process and no file of the codec is left. */
  close(): Promise<void>
}
