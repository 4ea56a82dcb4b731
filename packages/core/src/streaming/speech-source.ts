import type { PcmFormat } from '../audio/pcm-format.ts'
import type { StreamEvent } from './event-data.ts'

/** A speech stream behind {@link SpeechStream}: server-sent events, or raw PCM. */
export interface SpeechSource {
  readonly format: PcmFormat
  readonly taskId: string | undefined
  readonly requestId: string | undefined
  /** Whether the stream proved that it is complete. */
  readonly complete: boolean
  /** Whole frames, until the audio ends. */
  pcm(): AsyncGenerator<Uint8Array, void, undefined>
  /** Every event, from the first one. */
  events(): AsyncGenerator<StreamEvent, void, undefined>
  cancel(): void
}
