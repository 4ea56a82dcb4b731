import { z } from 'zod'
import { contentTypeOf, FORMATS } from '../domain/formats.ts'
import { ServiceError } from '../domain/service-error.ts'
import type { Claim, JsonObject, TaskKind } from '../ports/task-store.ts'
import type { Services } from '../services.ts'
import { AigcMetadata } from './speech-body.ts'
import { speak } from './speak.ts'
import { transcribe } from './transcribe.ts'

/** What a speech task keeps of its request. */
const SpeechRequest = z.object({
  text: z.string(),
  pauses: z.boolean(),
  voiceId: z.string(),
  format: z.enum(FORMATS),
  aigc: AigcMetadata.optional(),
})

/** What a task has made. */
export interface Performance {
  readonly result: JsonObject
  /** The object among it, if there is one. */
  readonly file?: string
}

/**
 * Does what a task asks for. An object that it makes is named by the claim too, so that a worker whose lease was lost
 * cannot touch what another one makes.
 */
export function performTask(services: Services, claim: Claim, signal: AbortSignal): Promise<Performance> {
  return PERFORMERS[claim.task.kind](services, claim, signal)
}

const PERFORMERS: Readonly<Record<TaskKind, typeof performTask>> = {
  'audio.speech': performSpeech,
  'audio.transcription': performTranscription,
}

async function performSpeech(services: Services, claim: Claim, signal: AbortSignal): Promise<Performance> {
  const { tenant, id } = claim.task
  const { aigc, ...request } = SpeechRequest.parse(claim.request)
  const { format } = request
  const file = `${id}-${claim.token}.${format}`
  await services.results.of(tenant).put(file, await speak(services, { ...request, aigc }, { id, tenant, signal }))
  return { file, result: { file, response_format: format, content_type: contentTypeOf(format) } }
}

async function performTranscription(services: Services, claim: Claim, signal: AbortSignal): Promise<Performance> {
  const { input, task } = claim
  if (input === undefined) throw new TypeError('A transcription task has no input')
  const options = { tenant: task.tenant, signal }
  const result = await services.inputs.withFile(input, (path) => transcribe(services, path, options))
  if (result === undefined) {
    throw new ServiceError(404, 'input_not_found', 'The file to transcribe is not there any more')
  }
  return { result: { ...result } }
}
