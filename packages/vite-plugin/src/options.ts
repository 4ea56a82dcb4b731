import type { AigcMetadata, Open, PureAudioClient, SpeechModel } from '@svc-audio/core'
import type { NarrationFormat } from './audio/formats.ts'

/** Options of {@link narration}. */
export interface NarrationOptions {
  /**
   * A client of your own, which stays yours to close. Its `baseUrl` names the service in the cache.
   * @default one made from `apiKey` and `baseUrl`
   */
  readonly client?: PureAudioClient
  /**
   * The bearer key. It is needed when audio is made, not for what is cached, and never reaches a bundle.
   * @default `SVC_AUDIO_API_KEY` of the environment or of Vite's `.env` files
   */
  readonly apiKey?: string
  /**
   * Address of the service, e.g. `http://127.0.0.1:8787`. It is part of the cache's keys, so it is always needed.
   * @default `SVC_AUDIO_BASE_URL` of the environment or of Vite's `.env` files
   */
  readonly baseUrl?: string
  /** The voice that reads, unless an import asks for another (`?voice=…&narrate`). */
  readonly voice_id: string
  /** The model that speaks, unless an import asks for another (`?model=…&narrate`). @default 'svc-tts-1.5-flash' */
  readonly model?: Open<SpeechModel>
  /** Format of the audio, unless an import asks for another (`?format=…&narrate`). @default 'mp3' */
  readonly response_format?: NarrationFormat
  /** Marks the files as generated, in their metadata. @default nothing is written */
  readonly aigc_metadata?: AigcMetadata
  /**
   * Folder for finished audio, relative to Vite's root. Commit one of your own, and a build elsewhere makes no call and
   * needs no key.
   * @default 'node_modules/.cache/svc-audio' beside the nearest package.json
   */
  readonly cacheDir?: string
  /** Most calls at once. @default 2 */
  readonly concurrency?: number
  /** Deadline for one call, in milliseconds. @default none */
  readonly timeout?: number
}
