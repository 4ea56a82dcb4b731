import { z } from 'zod'
import { RESULTS_PATH } from '../../domain/result-links.ts'
import { AUDIO_OPERATIONS } from '../../use-cases/operations/registry.ts'
import { TranscriptionBody } from '../../use-cases/transcription/transcription-rules.ts'
import * as answers from './answers.ts'

/** Groups of endpoints, in the order of the document. */
export const TAGS = {
  speech: 'Text to audio',
  transcription: 'Audio to text',
  voices: 'Voices of the service and of the account',
  files: 'Uploaded files',
  tasks: 'Work that goes on after the answer',
  models: 'What the service can do',
  results: 'Audio by signed links',
  service: 'For operators and monitors',
} as const

/** The description of an endpoint, beside its route's schema. */
export interface Operation {
  readonly operationId: string
  readonly tag: keyof typeof TAGS
  readonly summary: string
  /** A sentence or more, beyond the summary. */
  readonly description: string
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
    description:
      'Send one of `file`, `file_id` and `url`. Put `model` and `async` before the file. With `stream`, the model with speakers answers with events. With `async` the answer is a task.',
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
    description:
      'Poll at the interval of `retry_after`. `SUCCESS` and `FAILED` are final. The fields of the result stand beside the status.',
    answers: json(answers.TaskAnswer),
    errors: [404],
  },
  'DELETE /v1/audio/tasks/:task_id': {
    operationId: 'cancelTask',
    tag: 'tasks',
    summary: 'Cancels a task; an addition of this service. An ended task stays as it is',
    description: 'The work stops, and the task fails with the code `task_cancelled`. Its webhook is called.',
    answers: json(answers.TaskAnswer),
    errors: [400, 404],
  },
  'GET /v1/audio/voices': {
    operationId: 'listVoices',
    tag: 'voices',
    summary: 'A page of the voices of this account',
    description:
      'The voices of the service come first, then those of the account in the order of their creation. Pass `next_cursor` as `after` for the next page.',
    answers: json(answers.VoiceListAnswer),
    errors: [400],
  },
  'POST /v1/audio/voices': {
    operationId: 'createVoice',
    tag: 'voices',
    summary: 'Makes a voice from a sample',
    description: 'The sample has 1 s to 5 min of speech and at most 20 MB. The voice follows its pitch and tempo.',
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
    description: 'The id is the `file_id` of a transcription. A file has at most 512 MB and is sent as a stream.',
    bodies: { 'multipart/form-data': uploadForm },
    answers: json(answers.FileAnswer),
    errors: [400, 409, 413, 415],
  },
  'GET /v1/files': {
    operationId: 'listFiles',
    tag: 'files',
    summary: 'A page of the uploaded files',
    description: 'The newest files come first. Add the number of received files to `offset` until a page is empty.',
    answers: json(answers.FileListAnswer),
    errors: [400],
  },
  'GET /v1/files/:file_id': {
    operationId: 'retrieveFile',
    tag: 'files',
    summary: 'The description of a file',
    description: 'Size, name, purpose and time of the upload. The bytes are not returned.',
    answers: json(answers.FileAnswer),
    errors: [404],
  },
  'DELETE /v1/files/:file_id': {
    operationId: 'deleteFile',
    tag: 'files',
    summary: 'Deletes a file and its bytes',
    description: 'The id is unknown from then on. A waiting task that names the file fails.',
    answers: json(answers.FileDeletionAnswer),
    errors: [400, 404],
  },
  'GET /v1/models': {
    operationId: 'listModels',
    tag: 'models',
    summary: 'Every model of the service',
    description: 'Names of models are exact. A name without a date is the current version.',
    answers: json(answers.ModelListAnswer),
  },
  [`GET ${RESULTS_PATH}/:name`]: {
    operationId: 'readResult',
    tag: 'results',
    summary: 'The audio of a result, by its signed link, whole or one byte range',
    description: 'The link is the permission, and no key is needed. Pages of any origin may read it, also in ranges.',
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
    description: 'The headers of the audio without its bytes.',
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
    description: 'Browsers ask this before they read a result from another origin.',
    status: 204,
    keyed: false,
  },
  'GET /docs': {
    operationId: 'readReference',
    tag: 'service',
    summary: 'This reference as a page without scripts',
    description: 'It loads nothing from other hosts.',
    answers: { 'text/html': z.string() },
    keyed: false,
  },
  'GET /openapi.json': {
    operationId: 'readDescription',
    tag: 'service',
    summary: 'This description',
    description: 'OpenAPI 3.1, from the schemas that check the requests.',
    answers: json(z.looseObject({ openapi: z.string() })),
    keyed: false,
  },
  'GET /healthz': {
    operationId: 'isAlive',
    tag: 'service',
    summary: 'Answers while the process lives',
    description: 'For the restart of a process that hangs. It asks neither the database nor the engines.',
    answers: json(answers.HealthAnswer),
    keyed: false,
  },
  'GET /readyz': {
    operationId: 'isReady',
    tag: 'service',
    summary: 'Whether the service accepts requests',
    description:
      'For a proxy in front of several machines. `status` names what is missing: the database, space on the disk, an engine. `draining` is a drain.',
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
    description: 'The text format of Prometheus. With the token, requests are counted by tenant too.',
    answers: { 'text/plain': z.string() },
    errors: [401],
    keyed: false,
  },
}
