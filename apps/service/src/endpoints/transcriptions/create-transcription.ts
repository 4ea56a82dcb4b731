import { z } from 'zod'
import { ServiceError } from '../../domain/service-error.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { binary, defineEndpoint, json, TaskCreationResponse } from '../../http/endpoint.ts'
import { keyOf } from '../../http/idempotency.ts'
import { receiveUpload } from '../../http/uploads.ts'
import type { TaskOperation } from '../../use-cases/tasks/task-operation.ts'
import { transcribe } from '../../use-cases/transcription/transcribe.ts'
import { NamedSource, TranscriptionBody } from '../../use-cases/transcription/transcription-rules.ts'
import { withSource } from '../../use-cases/transcription/transcription-source.ts'
import { formBody, refuseWithoutEngine, sendTranscription } from './send-transcription.ts'

/** A transcription. With speakers it has the other fields too. */
export const TranscriptionResponse = z.looseObject({
  text: z.string(),
  task: z.string().optional(),
  duration: z.number().optional().describe('Seconds'),
  segments: z
    .array(
      z.object({
        type: z.string(),
        id: z.string(),
        start: z.number().describe('Seconds'),
        end: z.number().describe('Seconds'),
        text: z.string(),
        speaker: z.string().describe('As S01'),
      }),
    )
    .optional(),
})

/** The stored request of a task. The defaults are for tasks of older versions. */
const TranscriptionRequest = z.object({
  diarize: z.boolean().default(false),
  keyterms: z.array(z.string()).default([]),
  /** Without a source, the task uses its input object. */
  source: NamedSource.optional(),
})

const task: TaskOperation = {
  object: 'audio.transcription',
  engine: 'recognition',
  request: TranscriptionRequest,
  async performTask(services, claim, given) {
    const { source, ...work } = TranscriptionRequest.parse(claim.request)
    const { tenant, id, model } = claim.task
    const options = { tenant, id, model, ...given }
    const perform = (path: string) => transcribe(services, path, work, options)
    if (source !== undefined) return { source, result: { ...(await withSource(services, source, options, perform)) } }
    if (claim.input === undefined) throw new TypeError('A transcription task has no input')
    const result = await services.inputs.withFile(claim.input, perform)
    if (result === undefined) {
      throw new ServiceError(404, 'input_not_found', 'The file to transcribe was deleted')
    }
    return { result: { ...result } }
  },
}

/** `POST /v1/audio/transcriptions` (interface: transcription). */
export const CREATE_TRANSCRIPTION = defineEndpoint({
  method: 'POST',
  path: '/v1/audio/transcriptions',
  operationId: 'createTranscription',
  tag: 'transcription',
  summary: 'Transcribes an uploaded file, a stored one or one at a public URL',
  description:
    'Send one of `file`, `file_id` and `url`. Put `model` and `async` before the file. With `stream`, the model with speakers answers with events. With `async` the response is a task.',
  rules: ['transcription', 'transcription-result', 'transcription-events'],
  usage: 'transcription',
  bodies: {
    'multipart/form-data': TranscriptionBody.extend({ file: binary.optional() }),
    ...json(TranscriptionBody),
  },
  content: {
    ...json(z.union([TranscriptionResponse, TaskCreationResponse])),
    'text/plain': z.string(),
    'text/event-stream': z.string(),
  },
  errors: [400, 404, 409, 413, 415],
  task,
  handle:
    ({ services }) =>
    async (request, reply) => {
      const { tenant } = request
      const signal = disconnectSignal(reply, services.stopping)
      const exchange = { tenant, signal, request, reply }
      if (!request.isMultipart()) return sendTranscription(services, request.body, undefined, exchange)
      const upload = await receiveUpload(request, 'file', {
        folder: services.uploadFolder,
        signal,
        maxBytes: services.maxUploadBytes,
        meter: services.uploads.meter(tenant, { key: keyOf(request) }),
        beforeFile: (fields) => refuseWithoutEngine(services, fields),
      })
      try {
        return await sendTranscription(services, formBody(upload.fields), upload.path, exchange)
      } finally {
        await upload.dispose()
      }
    },
})
