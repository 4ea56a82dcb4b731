import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { hasZodFastifySchemaValidationErrors } from 'fastify-type-provider-zod'
import { ClientDisconnectedError } from '../domain/errors.ts'
import { bodyError, isInternalError, ServiceError } from '../domain/service-error.ts'
import { toServiceError } from '../use-cases/to-service-error.ts'
import { ownerOf } from './log.ts'

/** Answers every failed request with the one error body: `{ "error": { code, message, type, param } }`. */
export async function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<void> {
  await sendError(error, request, reply, errorBody)
}

/** Answers a failed request. @param bodyOf Makes the body of the error. */
export async function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  bodyOf: (failure: ServiceError) => object,
): Promise<void> {
  // A disconnected client reads no response.
  if (error instanceof ClientDisconnectedError) {
    request.log.info('the client disconnected')
    reply.raw.destroy()
    return reply.hijack()
  }
  const failure = fromFramework(error, request) ?? toServiceError(error)
  if (isInternalError(failure))
    request.log.error({ err: failure.cause ?? failure, ...ownerOf(request) }, failure.message)
  else if (failure.status >= 500) request.log.info(failure.message)
  if (failure.retryAfterSeconds !== undefined) reply.header('retry-after', String(failure.retryAfterSeconds))
  if (failure.status === 401) reply.header('www-authenticate', 'Bearer')
  await reply.code(failure.status).type('application/json; charset=utf-8').send(bodyOf(failure))
}

/** Makes the error body. */
export function errorBody({ code, message, status, param }: ServiceError): object {
  const type = status >= 500 ? 'service_error' : status === 401 ? 'authentication_error' : 'invalid_request_error'
  return { error: { code, message, type, param: param ?? null } }
}

/** Maps errors of the HTTP framework and of body validation to the service's errors. */
function fromFramework(error: unknown, request: FastifyRequest): ServiceError | undefined {
  const { url } = request
  if (hasZodFastifySchemaValidationErrors(error)) {
    const [first] = error.validation
    const param = fieldAt(first?.instancePath ?? '')
    return bodyError(param, first?.message, param === '' ? 'The request' : param)
  }
  if (!isFastifyError(error)) return undefined
  if (error.code === 'FST_ERR_MAX_PARAM_LENGTH') return idTooLong(url)
  return FRAMEWORK_ERRORS[error.code]?.(request) ?? (error.statusCode === 400 ? badRequest() : undefined)
}

/** Formats the path of a field: `/speakers/0/id` becomes `speakers[0].id`, the body itself an empty text. */
function fieldAt(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .map((part, depth) => (depth > 0 && /^\d+$/.test(part) ? `[${part}]` : depth === 0 ? part : `.${part}`))
    .join('')
}

/** Longest id in a path, in characters. The service's ids have about 30. */
export const MAX_ID_CHARACTERS = 100

/** The kind of an id in a path, by the beginning of the path. */
const RESOURCES = [
  ['/v1/files/', 'file_not_found', 'file_id'],
  ['/v1/audio/tasks/', 'task_not_found', 'task_id'],
  ['/v1/audio/results/', 'result_not_found', undefined],
] as const

/** No id is that long, so the response is 404, with or without a key. */
function idTooLong(url: string): ServiceError {
  const [, code = 'not_found', param] = RESOURCES.find(([path]) => url.startsWith(path)) ?? []
  const message = `The id is unknown: ids have at most ${MAX_ID_CHARACTERS} characters`
  return new ServiceError(404, code, message, param === undefined ? {} : { param })
}

const badRequest = (): ServiceError => new ServiceError(400, 'invalid_request', 'The request cannot be read')
const invalidJson = (): ServiceError => new ServiceError(400, 'invalid_json', 'The body is not valid JSON')
const tooLarge = (): ServiceError =>
  new ServiceError(413, 'request_too_large', 'The body is too large for this endpoint')
/** Names the media types that the endpoint accepts. */
function wrongMediaType({ routeOptions, headers }: Pick<FastifyRequest, 'routeOptions' | 'headers'>): ServiceError {
  const accepted = Object.keys(routeOptions.config.endpoint?.bodies ?? { 'application/json': true }).join(' or ')
  const given = headers['content-type']
  const message =
    given === undefined
      ? `The request has no content-type: send ${accepted}`
      : `This endpoint does not accept the content-type ${JSON.stringify(given.slice(0, 60))}: send ${accepted}`
  return new ServiceError(415, 'unsupported_media_type', message)
}
const badForm = (): ServiceError => new ServiceError(400, 'invalid_form', 'The multipart body has too many parts')

const FRAMEWORK_ERRORS: Readonly<Record<string, (request: FastifyRequest) => ServiceError>> = {
  FST_ERR_CTP_EMPTY_JSON_BODY: invalidJson,
  FST_ERR_CTP_INVALID_JSON_BODY: invalidJson,
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: badRequest,
  FST_ERR_CTP_BODY_TOO_LARGE: tooLarge,
  FST_ERR_CTP_INVALID_MEDIA_TYPE: wrongMediaType,
  FST_INVALID_MULTIPART_CONTENT_TYPE: wrongMediaType,
  FST_PARTS_LIMIT: badForm,
  FST_FILES_LIMIT: badForm,
  FST_FIELDS_LIMIT: badForm,
  FST_PROTO_VIOLATION: badForm,
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
}

/** Answers a request that never reaches the framework, as the framework answers errors. */
export function sendRefusal(response: ServerResponse, error: ServiceError): void {
  response.writeHead(error.status, {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': randomUUID(),
    ...(error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) }),
  })
  response.end(JSON.stringify(errorBody(error)))
}
