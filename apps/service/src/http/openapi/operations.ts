import { z } from 'zod'
import { RESULTS_PATH } from '../../domain/result-links.ts'
import { AUDIO_OPERATIONS } from '../../use-cases/operations/registry.ts'
import { TranscriptionBody } from '../../use-cases/transcription/transcription-rules.ts'
import * as answers from './answers.ts'

/** What is said of an endpoint beside what its route says itself. */
export interface Operation {
  readonly operationId: string
  readonly tag: 'speech' | 'transcription' | 'voices' | 'files' | 'tasks' | 'models' | 'results' | 'service'
  readonly summary: string
  /** What it takes, by media type; where the route's own schema says that, nothing. */
  readonly bodies?: Readonly<Record<string, z.ZodType>>
  /** What it answers when all is well, with 200, by media type. */
  readonly answers: Readonly<Record<string, z.ZodType>>
  /** Which errors it can answer beside 500, 503 and, where it wants a key, 401 and 429. */
  readonly errors?: readonly number[]
  /** What else it answers than that all is well and the error body, by status. */
  readonly others?: Readonly<Record<number, OtherAnswer>>
  /** Whether it wants a key. @default true */
  readonly keyed?: boolean
}

/** An answer of its own kind. */
export interface OtherAnswer {
  readonly description: string
  /** By media type. @default it has no body */
  readonly answers?: Readonly<Record<string, z.ZodType>>
}

const binary = z.string().meta({ format: 'binary' })
const json = (schema: z.ZodType) => ({ 'application/json': schema })
const audioOr = (...schemas: readonly [z.ZodType, z.ZodType]) => ({ 'audio/*': binary, ...json(z.union(schemas)) })
const spoken = audioOr(answers.SpeechResultAnswer, answers.TaskCreationAnswer)
const uploadForm = z.object({ file: binary, purpose: z.string().optional() })
/** The operations that make audio describe themselves. */
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
    summary: 'How a task stands, with its result once it succeeded',
    answers: json(answers.TaskAnswer),
    errors: [404],
  },
  'GET /v1/audio/voices': {
    operationId: 'listVoices',
    tag: 'voices',
    summary: 'A page of the voices that this account can use',
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
    summary: 'Keeps a file, to be named by its id elsewhere',
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
    summary: 'What is known of a file',
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
    summary: 'Every model that can be asked for',
    answers: json(answers.ModelListAnswer),
  },
  [`GET ${RESULTS_PATH}/:name`]: {
    operationId: 'readResult',
    tag: 'results',
    summary: 'The audio of a result, by its signed link; one byte range can be asked for',
    answers: { 'audio/*': binary },
    errors: [404, 416],
    others: {
      206: { description: 'The part that the Range asks for', answers: { 'audio/*': binary } },
      304: { description: 'Not changed: If-None-Match has its ETag' },
    },
    keyed: false,
  },
  'GET /healthz': {
    operationId: 'isAlive',
    tag: 'service',
    summary: 'Whether the process lives',
    answers: json(answers.HealthAnswer),
    keyed: false,
  },
  'GET /readyz': {
    operationId: 'isReady',
    tag: 'service',
    summary: 'Whether requests are taken',
    answers: json(answers.HealthAnswer),
    others: { 503: { description: 'Not now, or not all of them', answers: json(answers.HealthAnswer) } },
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
