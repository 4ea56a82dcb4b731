import type { AudioFormat } from '../domain/formats.ts'
import type { PcmFormat } from '@svc-audio/core/streaming'

/** The bytes are not audio that can be decoded. Its message is meant for the caller of the API and names no path. */
export class UndecodableAudioError extends Error {
  override readonly name = 'UndecodableAudioError' as const
}

/** No program for this codec is on this machine. Its message is meant for the operator and names the remedy. */
export class CodecUnavailableError extends Error {
  override readonly name = 'CodecUnavailableError' as const
}

/** What to encode and how. */
export interface EncodeOptions {
  readonly format: AudioFormat
  readonly pcm: PcmFormat
  /** Written into the container's metadata under the key `AIGC`, as it stands. `pcm` carries none. */
  readonly aigc?: string
  /** Whom the audio is for: encoders are shared fairly between tenants. @default '' */
  readonly tenant?: string
  readonly signal?: AbortSignal
}

/**
 * Between PCM and files. A driver must stop its work (and its processes) when `signal` aborts or the reader leaves,
 * and must leave nothing behind after {@link Codec.close}.
 */
export interface Codec {
  /**
   * Encodes PCM to a complete file. What the reader has not taken yet is spooled, so that a reader that stalls keeps no
   * encoder busy. A WAV has its true sizes, so it comes only after the last sample.
   * @throws CodecUnavailableError before the first byte, when nothing here can encode that format.
   */
  encode(chunks: AsyncIterable<Uint8Array>, options: EncodeOptions): AsyncIterable<Uint8Array>
  /**
   * Decodes an audio or video file to 16 kHz mono signed 16-bit little-endian PCM, in constant memory.
   * @param path A file on this machine. The content decides how it is read, never its name.
   * @throws UndecodableAudioError when the content is not audio, is empty or is corrupt from the start.
   * @throws CodecUnavailableError when nothing here can decode it.
   */
  decode(path: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>
  close(): Promise<void>
}
