import { z } from 'zod'
import { AUDIO_KINDS, TASK_KINDS } from '../../domain/task-kinds.ts'

// Responses of several endpoints, as schemas for the OpenAPI document. Tests compare them with core's types and real
// responses.

/** A time, in the OpenAPI document. */
export const unixSeconds = z.int().describe('Unix seconds')

const describedError = z.object({
  code: z.string().describe('The error code, for programs'),
  message: z.string().describe('The error message, for people'),
  type: z.enum(['invalid_request_error', 'authentication_error', 'service_error']),
  param: z.string().nullable().describe('The field at fault'),
})

/** The body of every failed request. */
export const ErrorResponse = z.object({ error: describedError })

/** The response with `delivery_method=url`. */
export const SpeechResultResponse = z.looseObject({
  id: z.string(),
  object: z.enum(AUDIO_KINDS),
  status: z.string(),
  url: z.url().describe('Signed and expiring; needs no key'),
  response_format: z.string(),
  content_type: z.string(),
  created_at: unixSeconds,
})

/** The kind of a task. */
export const taskObject = z.enum(TASK_KINDS)
/** The state of a task. */
export const taskStatus = z.enum(['PENDING', 'PROCESSING', 'SUCCESS', 'FAILED'])

/** The response with `async=true`. */
export const TaskCreationResponse = z.looseObject({
  id: z.string(),
  task_id: z.string(),
  object: taskObject,
  status: taskStatus,
  model_id: z.string().optional().describe('Voice generation only'),
  retry_after: z.int().optional().describe('Seconds until the next poll'),
  created_at: unixSeconds,
  updated_at: unixSeconds.optional(),
})
