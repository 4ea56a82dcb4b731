import type { Voice } from '@svc-audio/core/interface'
import { newId } from '../../domain/ids.ts'
import { invalid, type ServiceError } from '../../domain/service-error.ts'
import {
  type SampleLimits,
  type SampleTraits,
  UndecodableAudioError,
  UnusableSampleError,
} from '@svc-audio/engine-ports'
import type { Services } from '../../services.ts'
import { idempotencyConflict } from '../idempotency/in-flight.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { findStored } from '../idempotency/store.ts'
import { voiceOf } from '../idempotency/replay.ts'
import type { WorkOptions } from '../speech/speak.ts'
import { baseVoices, viewVoice } from './voices.ts'

/** Largest voice sample, in bytes: 20 MB, read as MiB. */
export const MAX_SAMPLE_BYTES = 20 * 1024 * 1024

/** Shortest and longest voice sample, in seconds. Encoders add padding: the limit is slightly above five minutes. */
export const SAMPLE_LIMITS: SampleLimits = { minSeconds: 1, maxSeconds: 300.2 }

/** A checked request for a voice. */
export interface VoiceOrder {
  /** The sample, a file on this machine. */
  readonly path: string
  readonly name: string
  readonly description: string
}

/**
 * Creates a voice from a sample: a built-in voice with the measured pitch, range and tempo. The sample itself is not
 * stored. A repeated request gets its earlier voice, even if the voice was deleted later.
 * @throws ServiceError 400 `invalid_audio_sample`; 409 `idempotency_conflict`
 */
export async function createVoice(
  services: MeasuringServices & Pick<Services, 'speech' | 'designer' | 'voices' | 'responses'>,
  { path, name, description }: VoiceOrder,
  { tenant, idempotency, signal }: IdempotencyContext & { readonly signal: AbortSignal },
): Promise<Voice> {
  const { voices, responses, speech, designer } = services
  const before = await findStored(responses, { tenant, idempotency })
  const repeated = before && (await voiceOf(voices, tenant, before))
  if (repeated !== undefined) return repeated
  const bases = baseVoices(speech, 'audio_sample')
  const parameters = designer.fromSample(await measure(services, path, { tenant, signal }), bases)
  const voice = { id: newId('voice'), tenant, name, description, status: 'active', parameters } as const
  const made = await voices.create(voice, idempotency)
  if (made.outcome === 'accepted') return viewVoice(made.voice)
  const earlier = made.outcome === 'repeated' ? await voiceOf(voices, tenant, made.answer) : undefined
  if (earlier === undefined) throw idempotencyConflict()
  return earlier
}

type MeasuringServices = Pick<Services, 'codec' | 'analyser' | 'semaphores'>

async function measure(
  { codec, analyser, semaphores }: MeasuringServices,
  path: string,
  { tenant, signal }: WorkOptions,
): Promise<SampleTraits> {
  try {
    return await semaphores.analysis.use(tenant, signal, () =>
      analyser.analyse(codec.decode(path, { signal }), { signal }),
    )
  } catch (error) {
    if (error instanceof UnusableSampleError || error instanceof UndecodableAudioError) {
      throw invalidSample(error.message)
    }
    throw error
  }
}

/** Creates the 400 for an unusable sample. */
export function invalidSample(message: string): ServiceError {
  return invalid('invalid_audio_sample', 'audio_sample', message)
}
