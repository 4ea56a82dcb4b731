import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { bodyFault } from '../domain/body-fault.ts'
import { invalid, type ServiceError } from '../domain/service-error.ts'
import { goneSignal } from '../http/gone-signal.ts'
import { idempotencyOf } from '../http/idempotency.ts'
import { type ReceivedUpload, receiveUpload } from '../http/receive-upload.ts'
import type { Services } from '../services.ts'
import { acceptTranscription } from '../use-cases/accept-task.ts'
import { transcribe } from '../use-cases/transcribe.ts'
import { checkTranscription, TranscriptionBody } from '../use-cases/transcription-rules.ts'

/** `POST /v1/audio/transcriptions`. */
export function transcriptionRoutes(app: FastifyInstance, services: Services): void {
  app.post('/v1/audio/transcriptions', async (request, reply) => {
    const signal = goneSignal(reply, services.stopping)
    if (!request.isMultipart()) {
      checkTranscription(parseBody(request.body), false, services.webhooks)
      throw missingFile()
    }
    const upload = await receiveUpload(request, 'file', { folder: services.uploadFolder, signal })
    try {
      const { path } = upload
      const body = parseBody(formBody(upload.fields))
      const { format, model, task } = checkTranscription(body, path !== undefined, services.webhooks)
      if (path === undefined) throw missingFile()
      const { tenant } = request
      if (task !== undefined) {
        const terms = { tenant, ...task, idempotency: await idempotencyOf(request, body, path) }
        return await acceptTranscription(services, { model, path }, terms)
      }
      const result = await transcribe(services, path, { tenant, signal })
      if (format === 'json') return result
      return await reply.type('text/plain; charset=utf-8').send(result.text)
    } finally {
      await upload.dispose()
    }
  })
}

function missingFile(): ServiceError {
  return invalid('missing_required_field', 'file', 'A file is required, as a multipart upload')
}

function parseBody(body: unknown): TranscriptionBody {
  const parsed = TranscriptionBody.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw bodyFault(String(issue?.path[0] ?? 'body'), issue?.message)
}

const BOOLEANS = ['diarize', 'stream', 'async']

/** A form's text fields as the JSON body would be: booleans, and keyterms in each of the spellings that are read. */
function formBody(fields: ReceivedUpload['fields']): Record<string, unknown> {
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
