import type { Model } from '@svc-audio/core/interface'
import { invalid, ServiceError } from './service-error.ts'

/** The purpose of a model. */
export type ModelKind = 'speech' | 'dialogue' | 'transcription' | 'voice generation'

/** A model that this service offers. */
export interface OfferedModel {
  readonly id: string
  readonly kind: ModelKind
  /** The id without its date. */
  readonly base: string
}

/** The date of the offered versions. Dated ids pin them (interface: Versioning). */
const VERSION = '2026-11-21'
/** Creation time of the models of this version, in Unix seconds. */
const VERSION_CREATED: number = Date.parse(`${VERSION}T00:00:00Z`) / 1000

/** The transcription model with speakers, keyterms and streaming. */
export const DIARIZING_MODEL = 'svc-transcribe-diarize-pro'

/** The transcription model of OpenAI with speakers. */
export const OPENAI_DIARIZING_MODEL = 'gpt-4o-transcribe-diarize'

/**
 * Our models by OpenAI's names. Every transcription model of OpenAI accepts a prompt or a stream, so all of them are
 * the model that does.
 */
export const OPENAI_MODELS: ReadonlyMap<string, string> = new Map([
  ['tts-1', 'svc-tts-1.5-flash'],
  ['tts-1-1106', 'svc-tts-1.5-flash'],
  ['tts-1-hd', 'svc-tts-1.0-pro'],
  ['tts-1-hd-1106', 'svc-tts-1.0-pro'],
  ['gpt-4o-mini-tts', 'svc-tts-1.5-flash'],
  ['gpt-4o-mini-tts-2025-03-20', 'svc-tts-1.5-flash'],
  ['gpt-4o-mini-tts-2025-12-15', 'svc-tts-1.5-flash'],
  ['whisper-1', DIARIZING_MODEL],
  ['gpt-transcribe', DIARIZING_MODEL],
  ['gpt-live-transcribe', DIARIZING_MODEL],
  ['gpt-realtime-whisper', DIARIZING_MODEL],
  ['gpt-4o-transcribe', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe-2025-03-20', DIARIZING_MODEL],
  ['gpt-4o-mini-transcribe-2025-12-15', DIARIZING_MODEL],
  [OPENAI_DIARIZING_MODEL, DIARIZING_MODEL],
])

const KINDS: Readonly<Record<string, ModelKind>> = {
  'svc-tts-1.5-flash': 'speech',
  'svc-tts-1.0-pro': 'speech',
  'svc-ttsd-1.0': 'dialogue',
  'svc-transcribe-1.0': 'transcription',
  [DIARIZING_MODEL]: 'transcription',
  'svc-voice-generator-1.0': 'voice generation',
}

/** The dates of dated ids. Only single-speaker and dialogue models have them (interface: Known model ids). */
const SNAPSHOTS: Readonly<Partial<Record<ModelKind, string>>> = { speech: VERSION, dialogue: '2026-03-20' }

const offered: ReadonlyMap<string, OfferedModel> = new Map(
  Object.entries(KINDS)
    .flatMap(([base, kind]): OfferedModel[] => {
      const current = { id: base, kind, base }
      const snapshot = SNAPSHOTS[kind]
      return snapshot === undefined ? [current] : [current, { id: `${base}-${snapshot}`, kind, base }]
    })
    .map((model) => [model.id, model]),
)

/** Returns all offered models, as the interface lists them. */
export function listModels(): Model[] {
  return [...offered.keys()].map((id) => ({ id, object: 'model', created: VERSION_CREATED, owned_by: 'svc-audio' }))
}

/**
 * Returns the model of a request.
 * @throws ServiceError 404 `model_not_found`; 400 `unsupported_for_model` for a model of another endpoint
 */
export function requireModel(id: string, kind: ModelKind): OfferedModel {
  const model = findModel(id)
  if (model.kind !== kind) throw invalid('unsupported_for_model', 'model', `${id} is not a ${kind} model`)
  return model
}

/**
 * Returns a model by its exact, case-sensitive id.
 * @throws ServiceError 404 `model_not_found`
 */
export function findModel(id: string): OfferedModel {
  const model = offered.get(id)
  if (model === undefined) {
    const known = [...offered.keys()].join(', ')
    const ours = OPENAI_MODELS.get(id)
    const message =
      ours === undefined
        ? `The model ${JSON.stringify(id.slice(0, 100))} is unknown: use one of ${known}`
        : `${id} is a name of OpenAI: use ${ours} here, or the base URL /openai/v1 with the setting --openai-api true`
    throw new ServiceError(404, 'model_not_found', message, { param: 'model' })
  }
  return model
}
