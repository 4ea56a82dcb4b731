import type { Services } from '../../services.ts'
import { type TimedTranscription, type TranscribeOptions, transcribeSound } from './transcribe.ts'

/** Bytes of one piece: a tenth of a second. */
const PIECE_BYTES = 3200

/** Options of {@link transcribeSamples}. */
export interface LiveOptions extends TranscribeOptions {
  /** Words and phrases to listen for. @default none */
  readonly keyterms?: readonly string[]
}

/**
 * Transcribes a turn of a speaker, which is in memory. It takes its turn among the recordings of all tenants.
 * @param samples 16 kHz, mono.
 */
export function transcribeSamples(
  services: Services,
  samples: Int16Array<ArrayBuffer>,
  { keyterms = [], ...options }: LiveOptions,
): Promise<TimedTranscription> {
  return transcribeSound(services, () => piecesOf(samples), { diarize: false, keyterms }, options)
}

/** Loads the recognizer with a tenth of a second of silence. It belongs to no client. */
export async function warmUp({ engines: { recognition } }: Services, signal: AbortSignal): Promise<void> {
  await recognition.recognize(piecesOf(new Int16Array(PIECE_BYTES / 2)), { signal })
}

async function* piecesOf({ buffer, byteLength }: Int16Array<ArrayBuffer>): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < byteLength; at += PIECE_BYTES) {
    yield new Uint8Array(buffer, at, Math.min(PIECE_BYTES, byteLength - at))
  }
}
