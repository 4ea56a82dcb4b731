import type {
  DiarizedTranscription,
  TaskHandle,
  Transcription,
  TranscriptionStream,
  TranscriptionTask,
} from '@svc-audio/core'
import type { ReceivedUpload } from './received-upload.ts'
import { type StreamedUpload, streamUpload, type StreamUploadOutcome } from './stream-upload.ts'
import type { UploadValues } from './field-values.ts'
import { definedFields } from './per-request.ts'
import {
  checkBody,
  fieldsFor,
  type TranscribeContext,
  type TranscribeOptions,
  type TranscribeOutcome,
  type TranscriptionFields,
} from './transcribe-options.ts'
import type { UploadRequest } from './upload-request.ts'

/** The outcome of {@link transcribeRequest}. */
export interface TranscribedUpload<Values = UploadValues> {
  /** Has `segments` if diarized. */
  readonly transcription: Transcription | DiarizedTranscription
  /** Name, type, size and fields of the upload. */
  readonly upload: ReceivedUpload<Values>
}

/** The outcome of {@link transcribeRequestAsTask}. */
export interface TranscriptionTaskUpload<Values = UploadValues> {
  /** The started task. */
  readonly task: TaskHandle<TranscriptionTask>
  /** Name, type, size and fields of the upload. */
  readonly upload: ReceivedUpload<Values>
}

/**
 * Transcribes the one file of a multipart form. The file streams to the service, which starts before the upload has
 * ended: nothing of it is stored in memory or on disk.
 *
 * @throws what `streamUpload` throws
 */
export async function transcribeRequest<Context, Values = UploadValues>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
): Promise<TranscribedUpload<Values>> {
  const { result, upload } = await transcribe(request, options, context, 'json', (fields, { file, options: call }) =>
    context.client.transcriptions.create({ ...fields, response_format: 'json', file }, call),
  )
  return { transcription: result, upload }
}

/**
 * Uploads the one file of a multipart form into a new task, for long recordings. The task outlives the request.
 *
 * @param webhookUrl Called by the service when the task is over.
 * @throws what `streamUpload` throws
 */
export async function transcribeRequestAsTask<Context, Values = UploadValues>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
  webhookUrl?: string,
): Promise<TranscriptionTaskUpload<Values>> {
  const webhook = webhookUrl === undefined ? {} : { webhook_url: webhookUrl }
  const { result, upload } = await transcribe(request, options, context, 'task', (fields, { file, options: call }) =>
    context.client.transcriptions.createTask({ ...fields, ...webhook, file }, call),
  )
  return { task: result, upload }
}

/**
 * Transcribes the one file of a multipart form, and hands over the service's events while they arrive.
 *
 * @param consume Reads the stream to its end.
 * @throws what `streamUpload` and `consume` throw
 */
export async function transcribeRequestAsEvents<Context, Result, Values = UploadValues>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  context: TranscribeContext<Context>,
  consume: (events: TranscriptionStream) => Promise<Result>,
): Promise<StreamUploadOutcome<Result, Values>> {
  return transcribe(request, options, context, 'sse', async (fields, { file, options: call }) =>
    consume(await context.client.transcriptions.stream({ ...fields, file }, call)),
  )
}

async function transcribe<Context, Result, Values>(
  request: UploadRequest,
  options: TranscribeOptions<Context, Values>,
  { context, signal }: TranscribeContext<Context>,
  outcome: TranscribeOutcome,
  call: (fields: TranscriptionFields, upload: StreamedUpload<Values>) => Promise<Result>,
): Promise<StreamUploadOutcome<Result, Values>> {
  const { model: _, diarize: _diarize, keyterms: _keyterms, body, ...rest } = options
  // First: a tenant without a plan must not upload half a gigabyte before the refusal.
  const fields = await fieldsFor(options, context, outcome)
  return streamUpload(request, rest, { signal, context }, async (upload) => {
    const chosen = await body?.(context, upload)
    checkBody(chosen)
    return call({ ...fields, ...definedFields(chosen) }, upload)
  })
}
