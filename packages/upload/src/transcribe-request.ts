import type {
  DiarizedTranscription,
  TaskHandle,
  Transcription,
  TranscriptionStream,
  TranscriptionTask,
} from '@svc-audio/core'
import type { ReceivedUpload } from './received-upload.ts'
import { type StreamedUpload, streamUpload, type StreamUploadOutcome } from './stream-upload.ts'
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
export interface TranscribedUpload {
  /** Has `segments` if diarized. */
  readonly transcription: Transcription | DiarizedTranscription
  readonly upload: ReceivedUpload
}

/** The outcome of {@link transcribeRequestAsTask}. */
export interface TranscriptionTaskUpload {
  readonly task: TaskHandle<TranscriptionTask>
  readonly upload: ReceivedUpload
}

/**
 * Transcribes the one file of a multipart form. The file streams to the service, which starts before the upload has
 * ended: nothing of it is stored in memory or on disk.
 *
 * @throws what `streamUpload` throws
 */
export async function transcribeRequest<Context>(
  request: UploadRequest,
  options: TranscribeOptions<Context>,
  context: TranscribeContext<Context>,
): Promise<TranscribedUpload> {
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
export async function transcribeRequestAsTask<Context>(
  request: UploadRequest,
  options: TranscribeOptions<Context>,
  context: TranscribeContext<Context>,
  webhookUrl?: string,
): Promise<TranscriptionTaskUpload> {
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
export async function transcribeRequestAsEvents<Context, Result>(
  request: UploadRequest,
  options: TranscribeOptions<Context>,
  context: TranscribeContext<Context>,
  consume: (events: TranscriptionStream) => Promise<Result>,
): Promise<StreamUploadOutcome<Result>> {
  return transcribe(request, options, context, 'sse', async (fields, { file, options: call }) =>
    consume(await context.client.transcriptions.stream({ ...fields, file }, call)),
  )
}

async function transcribe<Context, Result>(
  request: UploadRequest,
  options: TranscribeOptions<Context>,
  { context, signal }: TranscribeContext<Context>,
  outcome: TranscribeOutcome,
  call: (fields: TranscriptionFields, upload: StreamedUpload) => Promise<Result>,
): Promise<StreamUploadOutcome<Result>> {
  const { model: _, diarize: _diarize, keyterms: _keyterms, body, ...rest } = options
  // First: a tenant without a plan must not upload half a gigabyte before the refusal.
  const fields = await fieldsFor(options, context, outcome)
  return streamUpload(request, rest, { signal, context }, async (upload) => {
    const chosen = await body?.(context, upload)
    checkBody(chosen)
    return call({ ...fields, ...definedFields(chosen) }, upload)
  })
}
