import type { TaskCreation } from '@svc-audio/core/interface'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { bodyError } from '../../domain/service-error.ts'
import { meterCall } from '../../http/records.ts'
import { idempotencyOf } from '../../http/idempotency.ts'
import type { ReceivedUpload } from '../../http/uploads.ts'
import { taskTraceOf } from '../../http/request.ts'
import { liveFrames, sendEvents } from '../../http/streams.ts'
import type { Services } from '../../services.ts'
import { acceptNamedSource, acceptUpload, type TaskTerms } from '../../use-cases/tasks/accept-task.ts'
import { deleteUsed } from '../../use-cases/files/files.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import { replayTask } from '../../use-cases/idempotency/replay.ts'
import type { WorkOptions } from '../../use-cases/speech/speak.ts'
import { streamTranscription } from '../../use-cases/transcription/stream-transcription.ts'
import { requireEngines } from '../../use-cases/tasks/task-engines.ts'
import { transcribe } from '../../use-cases/transcription/transcribe.ts'
import {
  checkTranscription,
  TranscriptionBody,
  type TranscriptionOrder,
} from '../../use-cases/transcription/transcription-rules.ts'
import { withSource } from '../../use-cases/transcription/transcription-source.ts'

/**
 * Refuses a request without an available engine before its file is read. A task waits for its engine, and its form
 * must contain `async` before the file. Other errors of an incomplete form are ignored here: later fields may correct
 * them.
 */
export function refuseWithoutEngine(services: Services, fields: ReceivedUpload['fields']): void {
  let order: TranscriptionOrder
  try {
    order = checkTranscription(parseBody(formBody(fields)), true, services)
  } catch {
    return
  }
  if (order.task === undefined) requireEngines('recognition', order.work, services.engines)
}

/** A request, its reply, and the terms of its work. */
export interface TranscriptionExchange extends WorkOptions {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
}

/**
 * Responds with the transcription, with events or with a task.
 * @param path The uploaded file, if any. The caller may remove it when this resolves.
 */
export async function sendTranscription(
  services: Services,
  given: unknown,
  path: string | undefined,
  { request, reply, ...options }: TranscriptionExchange,
): Promise<unknown> {
  const body = parseBody(given)
  if (body.async === true) {
    const idempotency = await idempotencyOf(request, body, path)
    const terms = { tenant: options.tenant, idempotency, trace: taskTraceOf(request) }
    return services.keysInFlight.inTurn(terms, () => acceptOnce(services, body, path, terms))
  }
  const order = checkTranscription(body, path !== undefined, services)
  const { source } = order
  const make = (file: string): Promise<unknown> =>
    transcribeNow(services, order, file, { reply, ...options, trace: taskTraceOf(request) })
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

/** Responds with events or with the finished transcription. Resolves when the file is no longer needed. */
async function transcribeNow(
  services: Services,
  { stream, format, model, work, source }: TranscriptionOrder,
  path: string,
  { reply, trace, ...options }: WorkOptions & Pick<TaskTerms, 'trace'> & { readonly reply: FastifyReply },
): Promise<unknown> {
  const used = source === 'upload' ? undefined : source
  if (stream) {
    const succeeded = await streamTranscription(services, { path, model, work, trace }, options, (events, taskId) => {
      reply.request.subject = taskId
      void sendEvents(reply, liveFrames(events, services.clock))
    })
    if (succeeded) await deleteUsed(services, options.tenant, used)
    return reply
  }
  const meter = meterCall(services, reply, 'transcription')
  const result = await transcribe(services, path, work, { ...options, model, meter })
  await deleteUsed(services, options.tenant, used)
  return format === 'json' ? result : reply.type('text/plain; charset=utf-8').send(result.text)
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
export function formBody(fields: ReceivedUpload['fields']): Record<string, unknown> {
  const body: Record<string, unknown> = { ...fields }
  for (const name of BOOLEANS) {
    if (body[name] === 'true') body[name] = true
    else if (body[name] === 'false') body[name] = false
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
