import type { Codec } from './ports/codec.ts'
import type { KeyStore } from './ports/key-store.ts'
import type { ObjectStore } from './ports/object-store.ts'
import type { RecognitionEngine } from './ports/recognition-engine.ts'
import type { SpeechEngine } from './ports/speech-engine.ts'
import type { TaskStore } from './ports/task-store.ts'
import type { VoiceStore } from './ports/voice-store.ts'
import type { ResultLinks } from './domain/result-links.ts'

/** Everything the routes and use cases work with: ports only. */
export interface Services {
  readonly speech: SpeechEngine
  readonly recognition: RecognitionEngine
  readonly codec: Codec
  readonly keys: KeyStore
  readonly tasks: TaskStore
  /** Voices that tenants have made. */
  readonly voices: VoiceStore
  /** Finished audio, by name. */
  readonly results: ObjectStore
  readonly links: ResultLinks
  /** Folder for uploads while they are worked on. */
  readonly uploadFolder: string
  /** Longest `input`, in characters. */
  readonly maxInputCharacters: number
  /** Aborts when the service stops and its time to finish is over. */
  readonly stopping: AbortSignal
}
