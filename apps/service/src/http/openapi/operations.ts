import { z } from 'zod'
import { RESULTS_PATH } from '../../domain/result-links.ts'
import { AUDIO_OPERATIONS } from '../../use-cases/operations/registry.ts'
import { TranscriptionBody } from '../../use-cases/transcription/transcription-rules.ts'
import * as answers from './answers.ts'

/** The description of an endpoint, beside its route's schema. */
export interface Operation {
  readonly operationId: string
  readonly tag: 'speech' | 'transcription' | 'voices' | 'files' | 'tasks' | 'models' | 'results' | 'service'
  readonly summary: string
  /** Request bodies by media type. Unset when the route's own schema describes them. */
  readonly bodies?: Readonly<Record<string, z.ZodType>>
  /** Status of a successful answer. @default 200 */
  readonly status?: number
  /** Bodies of a successful answer, by media type. @default no body */
  readonly answers?: Readonly<Record<string, z.ZodType>>
  /** Possible error statuses, beside 500, 503 and, on routes with a key, 401, 403 and 429. */
  readonly errors?: readonly number[]
  /** Other answers by status, beside success and the error body. */
  readonly others?: Readonly<Record<number, OtherAnswer>>
  /** Whether the route needs a key. @default true */
  readonly keyed?: boolean
}

/** An answer with its own description. */
export interface OtherAnswer {
  readonly description: string
  /** Bodies by media type. @default no body */
  readonly answers?: Readonly<Record<string, z.ZodType>>
}

const binary = z.string().meta({ format: 'binary' })
const json = (schema: z.ZodType) => ({ 'application/json': schema })
const audioOr = (...schemas: readonly [z.ZodType, z.ZodType]) => ({ 'audio/*': binary, ...json(z.union(schemas)) })
const spoken = audioOr(answers.SpeechResultAnswer, answers.TaskCreationAnswer)
const uploadForm = z.object({ file: binary, purpose: z.string().optional() })
/** Operations that make audio describe themselves. */
const audioOperations = Object.fromEntries(
  AUDIO_OPERATIONS.map(({ path, notes: { body, ...notes }, stream }): [string, Operation] => [
    `POST ${path}`,
    {
      ...notes,
      ...(body === undefined ? {} : { bodies: json(body) }),
      answers: stream === undefined ? spoken : { ...spoken, 'text/event-stream': z.string() },
      errors: [400, 404, 409, 413, 415],
    },
  ]),
)

/** Every endpoint, by method and path. */
export const OPERATIONS: Readonly<Record<string, Operation>> = {
  ...audioOperations,
  'POST /v1/audio/transcriptions': {
    operationId: 'createTranscription',
    tag: 'transcription',
    summary: 'Transcribes an uploaded file, a stored one or one at a public URL',
    bodies: {
      'multipart/form-data': TranscriptionBody.extend({ file: binary.optional() }),
      ...json(TranscriptionBody),
    },
    answers: {
      ...json(z.union([answers.TranscriptionAnswer, answers.TaskCreationAnswer])),
      'text/plain': z.string(),
      'text/event-stream': z.string(),
    },
    errors: [400, 404, 409, 413, 415],
  },
  'GET /v1/audio/tasks/:task_id': {
    operationId: 'retrieveTask',
    tag: 'tasks',
    summary: 'The state of a task, with its result on success',
    answers: json(answers.TaskAnswer),
    errors: [404],
  },
  'DELETE /v1/audio/tasks/:task_id': {
    operationId: 'cancelTask',
    tag: 'tasks',
    summary: 'Cancels a task; an addition of this service. An ended task stays as it is',
    answers: json(answers.TaskAnswer),
    errors: [404],
  },
  'GET /v1/audio/voices': {
    operationId: 'listVoices',
    tag: 'voices',
    summary: 'A page of the voices of this account',
    answers: json(answers.VoiceListAnswer),
    errors: [400],
  },
  'POST /v1/audio/voices': {
    operationId: 'createVoice',
    tag: 'voices',
    summary: 'Makes a voice from a sample',
    bodies: {
      'multipart/form-data': z.object({
        audio_sample: binary,
        name: z.string().optional(),
        description: z.string().optional(),
      }),
    },
    answers: json(answers.VoiceAnswer),
    errors: [400, 409, 413, 415],
  },
  'POST /v1/files': {
    operationId: 'uploadFile',
    tag: 'files',
    summary: 'Stores a file for use by its id',
    bodies: { 'multipart/form-data': uploadForm },
    answers: json(answers.FileAnswer),
    errors: [400, 409, 413, 415],
  },
  'GET /v1/files': {
    operationId: 'listFiles',
    tag: 'files',
    summary: 'A page of the uploaded files',
    answers: json(answers.FileListAnswer),
    errors: [400],
  },
  'GET /v1/files/:file_id': {
    operationId: 'retrieveFile',
    tag: 'files',
    summary: 'The description of a file',
    answers: json(answers.FileAnswer),
    errors: [404],
  },
  'DELETE /v1/files/:file_id': {
    operationId: 'deleteFile',
    tag: 'files',
    summary: 'Deletes a file and its bytes',
    answers: json(answers.FileDeletionAnswer),
    errors: [404],
  },
  'GET /v1/models': {
    operationId: 'listModels',
    tag: 'models',
    summary: 'Every model of the service',
    answers: json(answers.ModelListAnswer),
  },
  [`GET ${RESULTS_PATH}/:name`]: {
    operationId: 'readResult',
    tag: 'results',
    summary: 'The audio of a result, by its signed link, whole or one byte range',
    answers: { 'audio/*': binary },
    errors: [404, 416],
    others: {
      206: { description: 'The requested range', answers: { 'audio/*': binary } },
      302: { description: 'The address of the audio in the object store of a cluster, for an hour' },
      304: { description: 'Not modified: If-None-Match has its ETag' },
    },
    keyed: false,
  },
  [`HEAD ${RESULTS_PATH}/:name`]: {
    operationId: 'checkResult',
    tag: 'results',
    summary: 'Size, type and ETag of a result or of one byte range, by its signed link',
    errors: [404, 416],
    others: {
      206: { description: 'The requested range exists' },
      304: { description: 'Not modified: If-None-Match has its ETag' },
    },
    keyed: false,
  },
  [`OPTIONS ${RESULTS_PATH}/:name`]: {
    operationId: 'preflightResult',
    tag: 'results',
    summary: 'The methods and headers that pages of any origin may use (CORS)',
    status: 204,
    keyed: false,
  },
  'GET /docs': {
    operationId: 'readReference',
    tag: 'service',
    summary: 'This reference as a page without scripts',
    answers: { 'text/html': z.string() },
    keyed: false,
  },
  'GET /openapi.json': {
    operationId: 'readDescription',
    tag: 'service',
    summary: 'This description',
    answers: json(z.looseObject({ openapi: z.string() })),
    keyed: false,
  },
  'GET /healthz': {
    operationId: 'isAlive',
    tag: 'service',
    summary: 'Answers while the process lives',
    answers: json(answers.HealthAnswer),
    keyed: false,
  },
  'GET /readyz': {
    operationId: 'isReady',
    tag: 'service',
    summary: 'Whether the service accepts requests',
    answers: json(answers.HealthAnswer),
    others: {
      503: { description: 'The service or an engine does not accept requests', answers: json(answers.HealthAnswer) },
    },
    keyed: false,
  },
  'GET /metrics': {
    operationId: 'readMetrics',
    tag: 'service',
    summary: 'Metrics for Prometheus. With a metrics token set, send it as bearer token',
    answers: { 'text/plain': z.string() },
    errors: [401],
    keyed: false,
  },
}
