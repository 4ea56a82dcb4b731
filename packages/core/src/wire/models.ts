/**
 * One of the known values, or any other string. A hosted service may have its own ids. An unknown id is sent unchanged,
 * and the server decides.
 */
export type Open<Known extends string> = Known | (string & {})

/** Models of single-speaker speech; dated snapshot ids of either are accepted too (interface: Known model ids). */
export type SpeechModel = 'svc-tts-1.5-flash' | 'svc-tts-1.0-pro'

/** The one model that streams speech; its case is not normalized (interface: streaming speech). */
export type StreamingSpeechModel = 'svc-tts-1.5-flash'

/** Models of multi-speaker speech; the dated one pins the version (interface: Known model ids). */
export type DialogueModel = 'svc-ttsd-1.0' | 'svc-ttsd-1.0-2026-03-20'

/** Models of transcription: standard, and with speakers (interface: Known model ids). */
export type TranscriptionModel = 'svc-transcribe-1.0' | 'svc-transcribe-diarize-pro'

/** Models of voice generation (interface: "seen in use"; the full list is not documented). */
export type VoiceGenerationModel = 'svc-voice-generator-1.0'

/** Every model id that the interface names. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  'svc-tts-1.5-flash',
  'svc-tts-1.0-pro',
  'svc-ttsd-1.0',
  'svc-ttsd-1.0-2026-03-20',
  'svc-transcribe-1.0',
  'svc-transcribe-diarize-pro',
  'svc-voice-generator-1.0',
]

/** A model id that the interface names. */
export type KnownModel = SpeechModel | DialogueModel | TranscriptionModel | VoiceGenerationModel

/**
 * A model of an endpoint whose known models are `Known`. Any other string passes, but a known model of another endpoint
 * does not: the compiler then names the models to use.
 */
export type ModelOf<Known extends KnownModel, Given extends string> =
  Given extends Exclude<KnownModel, Known> ? Known : Given

/** Whether the interface names this model id; case counts. */
export function isKnownModel(model: unknown): model is KnownModel {
  return KNOWN_MODELS.some((known) => known === model)
}

/** A model (interface: Model). */
export interface Model {
  /** The value to pass as `model`. */
  readonly id: string
  /** Always `model`. */
  readonly object: 'model'
  /** Unix seconds. */
  readonly created: number
  /** Owner of the model. */
  readonly owned_by: string
}

/** Answer of `GET /v1/models`. */
export interface ModelList {
  /** Kind of the object. */
  readonly object: 'list'
  /** Entries of this page. */
  readonly data: readonly Model[]
}
