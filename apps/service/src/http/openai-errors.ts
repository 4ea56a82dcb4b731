import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ServiceError } from '../domain/service-error.ts'
import { sendError } from './error-handler.ts'

/** The names of fields and paths in OpenAI's calls, by our names. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ['voice_id', 'voice'],
  ['keyterms', 'keywords'],
  ['keyterm', 'keyword'],
  ['diarize', 'response_format'],
  ['/v1/audio/voices', '/openai/v1/audio/voices'],
])

const NAMED = new RegExp(`(?<![\\w/-])(?:${[...NAMES.keys()].join('|')})(?![\\w-])`, 'gi')

/** Answers a failed request of the OpenAI API with its error body: `{ "error": { message, type, param, code } }`. */
export async function handleOpenaiError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await sendError(error, request, reply, (failure) => {
    // OpenAI's clients send a request again after 408, 409, 429 and 5xx, unless this header forbids it.
    reply.header('x-should-retry', String(mayRepeat(failure)))
    return openaiErrorBody(failure)
  })
}

/** Makes the error body of the OpenAI API, with its names of fields. */
export function openaiErrorBody({ status, code, message, param }: ServiceError): object {
  const named = message.replaceAll(NAMED, (name) => NAMES.get(name.toLowerCase()) ?? name)
  return {
    error: {
      message: named,
      type: typeOf(status),
      param: param === undefined ? null : (NAMES.get(param) ?? param),
      code,
    },
  }
}

function typeOf(status: number): string {
  if (status >= 500) return 'server_error'
  if (status === 429) return 'rate_limit_error'
  return status === 401 ? 'authentication_error' : 'invalid_request_error'
}

/** Whether the work cannot have started, so that a repeated request is not counted twice. */
function mayRepeat({ status, code }: ServiceError): boolean {
  return status === 429 || status === 503 || code === 'idempotency_in_progress'
}
