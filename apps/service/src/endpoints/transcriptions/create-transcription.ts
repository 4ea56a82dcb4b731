import type { TaskCreation } from '@svc-audio/core/interface'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { bodyError, ServiceError } from '../../domain/service-error.ts'
import { binary, defineEndpoint, json, TaskCreationResponse, TranscriptionResponse } from '../../http/endpoint.ts'
import { holdKey, idempotencyOf, keyOf } from '../../http/idempotency.ts'
import { meterCall } from '../../http/records.ts'
import { taskTraceOf } from '../../http/request.ts'
import { disconnectSignal } from '../../http/response-end.ts'
import { liveFrames, sendEvents } from '../../http/streams.ts'
import { readBoolean, type ReceivedUpload, receiveUpload } from '../../http/uploads.ts'
import type { IdempotencyContext } from '../../ports/response-store.ts'
import type { Services } from '../../services.ts'
import { requireEngines } from '../../use-cases/engines/pool.ts'
import { deleteUsed } from '../../use-cases/files.ts'
import { repeatableWork } from '../../use-cases/idempotency.ts'
import { replayTask, type TaskTerms } from '../../use-cases/tasks/accept.ts'
import type { TaskOperation, WorkOptions } from '../../use-cases/tasks/task.ts'
import { checkTranscription, TranscriptionBody, type TranscriptionOrder } from '../../use-cases/transcription/rules.ts'
import {
  acceptNamedSource,
  acceptUpload,
  fileOf,
  NamedSource,
  withSource,
} from '../../use-cases/transcription/source.ts'
import { streamTranscription } from '../../use-cases/transcription/stream.ts'
import { transcribe, type TranscribeOptions, viewEarlyEnd } from '../../use-cases/transcription/transcribe.ts'

/** The stored request of a task. */
const TranscriptionRequest = z.object({
  diarize: z.boolean(),
  keyterms: z.array(z.string()),
  /** Without a source, the task uses its input object. */
  source: NamedSource.optional(),
})

const TASK: TaskOperation = {
  object: 'audio.transcription',
  engine: 'recognition',
  request: TranscriptionRequest,
  async performTask(services, claim, given) {
    const { source, ...work } = TranscriptionRequest.parse(claim.request)
    const { tenant, id, model } = claim.task
    let endsEarly = false
    const onEarlyEnd = (): void => void (endsEarly = true)
    const options = { tenant, id, model, ...given, onEarlyEnd }
    const perform = async (path: string): Promise<object> => {
      const made = await transcribe(services, path, work, options)
      return { ...made, ...viewEarlyEnd(endsEarly) }
    }
    if (source !== undefined) {
      const usedFile = fileOf(source)
      const result = { ...(await withSource(services, source, options, perform)) }
      return { result, ...(usedFile === undefined ? {} : { usedFile }) }
    }
    if (claim.input === undefined) throw new TypeError('A transcription task has no input')
    const result = await services.objects.inputs.withFile(claim.input, perform)
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
    'Send one of `file`, `file_id` and `url`. Put `model` and `async` before the file. Without a file, the same fields may come as JSON. With `stream`, the model with speakers answers with events. With `async` the response is a task.',
  rules: ['transcription', 'transcription-result', 'transcription-events'],
  usage: 'transcription',
  // Generators take one body for each operation: the form has every field.
  bodies: { 'multipart/form-data': TranscriptionBody.extend({ file: binary.optional() }) },
  content: {
    ...json(z.union([TranscriptionResponse, TaskCreationResponse])),
    'text/plain': z.string(),
    'text/event-stream': z.string(),
  },
  errors: [400, 404, 409, 413, 415],
  task: TASK,
  handle:
    ({ services }) =>
    async (request, reply) => {
      const { tenant } = request
      const signal = disconnectSignal(reply, services.runtime.stopping)
      const exchange = { tenant, signal, request, reply }
      if (!request.isMultipart()) return sendTranscription(services, request.body, undefined, exchange)
      const upload = await receiveUpload(request, 'file', {
        folder: services.objects.uploadFolder,
        signal,
        maxBytes: services.settings.maxUploadBytes,
        meter: services.objects.inFlight.meter(tenant, { key: keyOf(request) }),
        beforeFile: (fields) => refuseWithoutEngine(services, fields),
      })
      try {
        return await sendTranscription(services, formBody(upload.fields), upload.path, exchange)
      } finally {
        await upload.dispose()
      }
    },
})

/**
 * Refuses a request without an available engine before its file is read. A task waits for its engine, and its form
 * must contain `async` before the file. Other errors of an incomplete form are ignored here: later fields may correct
 * them.
 */
function refuseWithoutEngine(services: Services, fields: ReceivedUpload['fields']): void {
  let order: TranscriptionOrder
  try {
    order = checkTranscription(parseBody(formBody(fields)), true, services)
  } catch {
    return
  }
  if (order.task === undefined) requireEngines('recognition', order.work, services.engines.states)
}

/** A request, its reply, and the terms of its work. */
interface TranscriptionExchange extends WorkOptions {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Responds with the transcription, with events or with a task.
 * @param path The uploaded file, if any. The caller may remove it when this resolves.
 */
async function sendTranscription(
  services: Services,
  given: unknown,
  path: string | undefined,
  { request, reply, ...options }: TranscriptionExchange,
): Promise<unknown> {
  const body = parseBody(given)
  const idempotency = await idempotencyOf(request, body, path)
  const terms = { tenant: options.tenant, idempotency, trace: taskTraceOf(request) }
  const { keysInFlight } = services.stores
  if (body.async === true) return keysInFlight.inTurn(terms, () => acceptOnce(services, body, path, terms))
  const order = checkTranscription(body, path !== undefined, services)
  await holdKey(reply, keysInFlight, terms)
  const { source } = order
  const make = (file: string): Promise<unknown> => transcribeNow(services, order, file, { reply, ...options, ...terms })
  return source === 'upload' ? make(requirePath(path)) : withSource(services, source, options, make)
}

/** Accepts a task, or returns the task of a repeated request. */
async function acceptOnce(
  services: Services,
  body: TranscriptionBody,
  path: string | undefined,
  terms: IdempotencyContext & Pick<TaskTerms, 'trace'>,
): Promise<TaskCreation> {
  const before = await replayTask(services, terms)
  if (before !== undefined) return before
  const { source, task, work, model } = checkTranscription(body, path !== undefined, services)
  const whole = { ...terms, webhookUrl: task?.webhookUrl }
  if (source !== 'upload') return acceptNamedSource(services, { model, work, source }, whole)
  return acceptUpload(services, { model, work, path: requirePath(path) }, whole)
}

/** What the work of a request that is not a task needs. */
interface NowOptions extends WorkOptions, IdempotencyContext, Pick<TaskTerms, 'trace'> {
  readonly reply: FastifyReply
}

/** Responds with events or with the finished transcription. Resolves when the file is no longer needed. */
async function transcribeNow(
  services: Services,
  { stream, format, model, work, source }: TranscriptionOrder,
  path: string,
  { reply, trace, idempotency, ...options }: NowOptions,
): Promise<unknown> {
  const { tenant } = options
  const used = fileOf(source)
  const { isRepeated, succeeded } = await repeatableWork(services, { tenant, idempotency })
  if (stream) {
    const streamed = { path, model, work, trace, isRepeated }
    const isWhole = await streamTranscription(services, streamed, options, (events, taskId) => {
      reply.request.subject = taskId
      void sendEvents(reply, liveFrames(events, services.runtime.clock))
    })
    if (!isWhole) return reply
    await succeeded()
    await deleteUsed(services, tenant, used)
    return reply
  }
  const meter = isRepeated ? undefined : meterCall(services, reply, 'transcription')
  const result = await transcribe(services, path, work, { ...options, model, meter, ...tellingEarlyEnd(reply) })
  await succeeded()
  await deleteUsed(services, tenant, used)
  return format === 'json' ? result : reply.type('text/plain; charset=utf-8').send(result.text)
}

/** The header of a response whose recording ends early: an addition to the interface. */
const EARLY_END_HEADER = 'x-recording-ended-early'

/** Tells the client of a recording that ends early. */
export function tellingEarlyEnd(reply: FastifyReply): Pick<TranscribeOptions, 'onEarlyEnd'> {
  return { onEarlyEnd: () => void reply.header(EARLY_END_HEADER, 'true') }
}

/** The rules return `upload` as the source only for a request with a file. */
function requirePath(path: string | undefined): string {
  if (path === undefined) throw new TypeError('The request has no uploaded file')
  return path
}

/** Parses a body. @throws ServiceError with the field */
export function parseBody(body: unknown): TranscriptionBody {
  const parsed = TranscriptionBody.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const param = String(issue?.path[0] ?? '')
  throw bodyError(param, issue?.message, param === '' ? 'The request' : param)
}

const BOOLEANS = ['diarize', 'stream', 'async']

/** Converts a form's text fields to the JSON body: booleans, and keyterms in each accepted spelling. */
function formBody(fields: ReceivedUpload['fields']): Record<string, unknown> {
  const body: Record<string, unknown> = { ...fields }
  for (const name of BOOLEANS) {
    if (name in body) body[name] = readBoolean(body[name])
  }
  const keyterms = body['keyterms'] ?? body['keyterms[]']
  delete body['keyterms[]']
  if (keyterms !== undefined) body['keyterms'] = readKeyterms(keyterms)
  return body
}

function readKeyterms(value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (!value.trimStart().startsWith('[')) return [value]
  try {
    return z.json().parse(JSON.parse(value))
  } catch {
    return [value]
  }
}
