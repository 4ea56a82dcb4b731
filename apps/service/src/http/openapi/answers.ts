import { z } from 'zod'
import { AUDIO_KINDS, TASK_KINDS } from '../../use-cases/operations/registry.ts'

/**
 * The service's answers, as schemas for the OpenAPI document. Tests compare them with core's types and real answers.
 */
const unixSeconds = z.int().describe('Unix seconds')

const describedError = z.object({
  code: z.string().describe('The error code, for programs'),
  message: z.string().describe('The error message, for people'),
  type: z.enum(['invalid_request_error', 'authentication_error', 'service_error']),
  param: z.string().nullable().describe('The field at fault'),
})

/** The body of every failed request. */
export const ErrorAnswer = z.object({ error: describedError })

/** The answer with `delivery_method=url`. */
export const SpeechResultAnswer = z.looseObject({
  id: z.string(),
  object: z.enum(AUDIO_KINDS),
  status: z.string(),
  url: z.url().describe('Signed and expiring; needs no key'),
  response_format: z.string(),
  content_type: z.string(),
  created_at: unixSeconds,
})

const taskObject = z.enum(TASK_KINDS)
const taskStatus = z.enum(['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED'])

/** The answer with `async=true`. */
export const TaskCreationAnswer = z.looseObject({
  id: z.string(),
  task_id: z.string(),
  object: taskObject,
  status: taskStatus,
  model_id: z.string().optional().describe('Voice generation only'),
  retry_after: z.int().optional().describe('Seconds until the next poll'),
  created_at: unixSeconds,
  updated_at: unixSeconds.optional(),
})

const webhookState = z.object({
  status: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  last_outcome: z.string().optional(),
  next_attempt_at: unixSeconds.optional(),
})

const segment = z.object({
  type: z.string(),
  id: z.string(),
  start: z.number().describe('Seconds'),
  end: z.number().describe('Seconds'),
  text: z.string(),
  speaker: z.string().describe('As S01'),
})

/** A task. On success it also has the fields of its result. */
export const TaskAnswer = z.looseObject({
  id: z.string(),
  object: taskObject,
  status: taskStatus,
  created_at: unixSeconds,
  updated_at: unixSeconds,
  retry_after: z.int().optional().describe('Seconds until the next poll; present until the task ends'),
  error: z.object({ code: z.string(), message: z.string() }).optional().describe('On failure'),
  url: z.url().optional().describe('Speech, on success'),
  response_format: z.string().optional().describe('Speech, on success'),
  content_type: z.string().optional().describe('Speech, on success'),
  text: z.string().optional().describe('Transcription, on success'),
  webhook: webhookState.optional().describe('The state of its webhook'),
})

/** A transcription. With speakers it has the other fields too. */
export const TranscriptionAnswer = z.looseObject({
  text: z.string(),
  task: z.string().optional(),
  duration: z.number().optional().describe('Seconds'),
  segments: z.array(segment).optional(),
})

/** A voice. */
export const VoiceAnswer = z.looseObject({
  id: z.string(),
  object: z.literal('audio.voice'),
  name: z.string(),
  created_at: unixSeconds,
})

/** A page of voices. */
export const VoiceListAnswer = z.looseObject({
  object: z.literal('list'),
  data: z.array(VoiceAnswer),
  has_more: z.boolean(),
  first_id: z.string().optional(),
  last_id: z.string().optional(),
  next_cursor: z.string().optional().describe('Pass it as `after`'),
})

/** An uploaded file. */
export const FileAnswer = z.looseObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int(),
  created_at: unixSeconds,
  filename: z.string(),
  purpose: z.string(),
  status: z.enum(['processed', 'active', 'failed']),
})

/** A page of files. */
export const FileListAnswer = z.looseObject({ object: z.literal('list'), data: z.array(FileAnswer) })

/** A deleted file. */
export const FileDeletionAnswer = z.looseObject({
  id: z.string(),
  object: z.literal('file'),
  deleted: z.literal(true),
})

/** All models. */
export const ModelListAnswer = z.looseObject({
  object: z.literal('list'),
  data: z.array(
    z.looseObject({ id: z.string(), object: z.literal('model'), created: unixSeconds, owned_by: z.string() }),
  ),
})

/** The state of the service. */
export const HealthAnswer = z.object({
  status: z.string(),
  engines: z.array(z.string()).optional().describe('Engines that do not work'),
})
