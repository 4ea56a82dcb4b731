import { z } from 'zod'
import { type AudioFormat, contentTypeOf, FORMATS } from '../../domain/formats.ts'
import { ServiceError } from '../../domain/service-error.ts'
import type { Claim, JsonObject, TaskKind } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { speakDialogue } from '../dialogue/dialogue.ts'
import { AigcMetadata } from '../speech/speech-body.ts'
import { speak } from '../speech/speak.ts'
import { transcribe } from '../transcription/transcribe.ts'
import { NamedSource } from '../transcription/transcription-rules.ts'
import { withSource } from '../transcription/transcription-source.ts'
import { generateVoice } from '../voices/voice-generation.ts'
import { requireVoices } from '../voices/voices.ts'

/** What a speech task keeps of its request. */
const SpeechRequest = z.object({
  text: z.string(),
  pauses: z.boolean(),
  voiceId: z.string(),
  format: z.enum(FORMATS),
  aigc: AigcMetadata.optional(),
})

/** What a dialogue's task keeps of its request. */
const DialogueRequest = z.object({
  lines: z.array(z.object({ speaker: z.string(), voiceId: z.string(), text: z.string() })),
  format: z.enum(FORMATS),
  aigc: AigcMetadata.optional(),
})

/** What a voice generation task keeps of its request. */
const GenerationRequest = z.object({ text: z.string(), instruction: z.string(), format: z.enum(FORMATS) })

/** What a transcription task keeps of its request; the defaults are for tasks of older versions. */
const TranscriptionRequest = z.object({
  diarize: z.boolean().default(false),
  keyterms: z.array(z.string()).default([]),
  /** Without one, it works on its input. */
  source: NamedSource.optional(),
})

/** What a task has made. */
export interface TaskOutput {
  readonly result: JsonObject
  /** The object among it, if there is one. */
  readonly file?: string
  /** What it was made of, where the request only named it. */
  readonly source?: NamedSource
}

/**
 * Does what a task asks for. An object that it makes is named by the claim too, so that a worker whose lease was lost
 * cannot touch what another one makes.
 */
export function performTask(services: Services, claim: Claim, signal: AbortSignal): Promise<TaskOutput> {
  return PERFORMERS[claim.task.kind](services, claim, signal)
}

const PERFORMERS: Readonly<Record<TaskKind, typeof performTask>> = {
  'audio.speech': performSpeech,
  'audio.voice_generation': performGeneration,
  'audio.transcription': performTranscription,
}

async function performSpeech(services: Services, claim: Claim, signal: AbortSignal): Promise<TaskOutput> {
  const { tenant, id } = claim.task
  const options = { id, tenant, signal }
  const { aigc, ...request } = z.union([SpeechRequest, DialogueRequest]).parse(claim.request)
  if ('lines' in request) {
    await requireVoices(services, tenant, [...new Set(request.lines.map(({ voiceId }) => voiceId))])
    return storeFile(services, claim, request.format, await speakDialogue(services, { ...request, aigc }, options))
  }
  await requireVoices(services, tenant, [request.voiceId])
  const audio = await speak(services, { ...request, aigc }, options)
  return storeFile(services, claim, request.format, audio)
}

async function performGeneration(services: Services, claim: Claim, signal: AbortSignal): Promise<TaskOutput> {
  const { tenant, model } = claim.task
  const request = GenerationRequest.parse(claim.request)
  const audio = await generateVoice(services, request, { tenant, signal })
  const { file, result } = await storeFile(services, claim, request.format, audio)
  return { file, result: { ...result, model_id: model } }
}

async function storeFile(
  { results }: Pick<Services, 'results'>,
  { taskId, token, task }: Claim,
  format: AudioFormat,
  audio: AsyncIterable<Uint8Array>,
): Promise<Required<Omit<TaskOutput, 'source'>>> {
  const file = `${taskId}-${token}.${format}`
  await results.of(task.tenant).put(file, audio)
  return { file, result: { file, response_format: format, content_type: contentTypeOf(format) } }
}

async function performTranscription(services: Services, claim: Claim, signal: AbortSignal): Promise<TaskOutput> {
  const { source, ...work } = TranscriptionRequest.parse(claim.request)
  const options = { tenant: claim.task.tenant, signal }
  const perform = (path: string) => transcribe(services, path, work, options)
  if (source !== undefined) return { source, result: { ...(await withSource(services, source, options, perform)) } }
  if (claim.input === undefined) throw new TypeError('A transcription task has no input')
  const result = await services.inputs.withFile(claim.input, perform)
  if (result === undefined) {
    throw new ServiceError(404, 'input_not_found', 'The file to transcribe is not there any more')
  }
  return { result: { ...result } }
}
