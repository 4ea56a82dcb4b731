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
    const message = `The model ${JSON.stringify(id.slice(0, 100))} is unknown: use one of ${known}`
    throw new ServiceError(404, 'model_not_found', message, { param: 'model' })
  }
  return model
}
