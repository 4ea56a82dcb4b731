import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { z } from 'zod'
import { contentTypeOf, isAudioFormat } from '../../domain/formats.ts'
import { RESULTS_PATH } from '../../domain/result-links.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { acceptRequest } from '../../http/connection.ts'
import { AUDIO, defineEndpoint } from '../../http/endpoint.ts'
import type { Services } from '../../services.ts'

/** Parameters of the path of a result. */
export const ResultParams = z.object({ name: z.string() })

/** The signature of a link. */
export const ResultQuery = z.object({ expires: z.string().default(''), signature: z.string().default('') })

/** Path of results. */
export const RESULT_PATH = `${RESULTS_PATH}/:name` as const

const OPEN_TO_ALL = {
  // Never cache a missing result: it may exist later.
  'cache-control': 'no-store',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'accept-ranges, content-length, content-range, etag, retry-after, x-request-id',
  // Pages with a cross-origin embedder policy require this header.
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

/**
 * Sets the headers of every response, also of errors. The link is the permission. Players on phones and on other sites
 * need ranges and CORS for every origin.
 */
export const openToAll: onRequestHookHandler = (_request, reply, done) => {
  reply.headers(OPEN_TO_ALL)
  done()
}

/**
 * Responds with a result, one byte range of it, or its headers.
 * @throws ServiceError 404 `result_not_found`; 416 `range_not_satisfiable`
 */
export async function sendResult(
  { objects: { results, links }, runtime: { clock } }: Services,
  request: FastifyRequest<{ Params: z.infer<typeof ResultParams>; Querystring: z.infer<typeof ResultQuery> }>,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { name } = request.params
  const { expires, signature } = request.query
  if (!links.verify(name, expires, signature)) throw notFound()
  acceptRequest(request.raw)
  const info = await results.stat(name)
  if (info === undefined) throw notFound()
  const { bytes, storedAt } = info
  // The content of a name never changes: the tag is a strong one.
  const etag = `"${bytes.toString(36)}-${Math.trunc(storedAt).toString(36)}"`
  const lastModified = new Date(storedAt).toUTCString()
  const seconds = Math.max(0, Number(expires) - Math.floor(clock.now() / 1000))
  const kept = { 'cache-control': `private, max-age=${seconds}, immutable`, etag, 'last-modified': lastModified }
  reply.header('accept-ranges', 'bytes')
  const { headers } = request
  if (isKnown(headers['if-none-match'], etag)) return reply.code(304).headers(kept).send()
  const range = rangeCounts(single(headers['if-range']), { etag, lastModified })
    ? readRange(headers.range, bytes)
    : undefined
  if (range === 'unsatisfiable') {
    reply.header('content-range', `bytes */${bytes}`)
    throw new ServiceError(416, 'range_not_satisfiable', `Range must be within the ${bytes} bytes of the result`)
  }
  const isHead = request.method === 'HEAD'
  const contentType = contentTypeOfName(name)
  if (results.direct !== undefined && !isHead) {
    // The store answers ranges and conditions itself.
    return reply.header('cache-control', 'no-store').redirect(await results.direct.directUrl(name, contentType), 302)
  }
  const object = isHead ? undefined : await results.open(name, range)
  if (object === undefined && !isHead) throw notFound()
  reply.headers({
    ...kept,
    'content-type': contentType,
    // The store accepts no name with characters that need quoting here.
    'content-disposition': `inline; filename="${name}"`,
    'content-length': range === undefined ? bytes : range.end - range.start + 1,
  })
  if (range !== undefined) reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${bytes}`)
  return reply.send(object?.stream)
}

function contentTypeOfName(name: string): string {
  const format = extname(name).slice(1)
  return isAudioFormat(format) ? contentTypeOf(format) : 'application/octet-stream'
}

function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0]
}

function notFound(): ServiceError {
  return new ServiceError(404, 'result_not_found', 'The result does not exist, or its link has expired')
}

/** A part of a representation, both ends included. */
interface ByteRange {
  readonly start: number
  readonly end: number
}

/**
 * Reads a `Range` header for a body of the given size (RFC 9110, 14.2). Serves one range. Ignores several ranges,
 * another unit or an unreadable header, as the RFC allows.
 * @returns `undefined` for the whole body, `unsatisfiable` for a range behind the end
 */
function readRange(header: string | undefined, bytes: number): ByteRange | 'unsatisfiable' | undefined {
  const { first = '', last = '' } = /^bytes=(?<first>\d*)-(?<last>\d*)$/.exec(header?.trim() ?? '')?.groups ?? {}
  if (first === '' && last === '') return undefined
  if (first === '') {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 }
  }
  const start = Number(first)
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (last !== '' && Number(last) < start) return undefined
  return start >= bytes ? 'unsatisfiable' : { start, end }
}

/**
 * Whether an `If-Range` header lets the range count: the header is missing or names this version. Weak tags never match
 * (RFC 9110, 13.1.5).
 * @param version Its strong entity tag, and the date of its `Last-Modified`.
 */
function rangeCounts(
  header: string | undefined,
  version: { readonly etag: string; readonly lastModified: string },
): boolean {
  return header === undefined || header === version.etag || header === version.lastModified
}

/** Whether an `If-None-Match` header names this entity tag (RFC 9110, 13.1.2). */
function isKnown(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, '')))
}

/** `GET /v1/audio/results/{name}`: the URL of a result. */
export const READ_RESULT = defineEndpoint({
  method: 'GET',
  path: RESULT_PATH,
  operationId: 'readResult',
  tag: 'results',
  summary: 'The audio of a result, by its signed link, whole or one byte range',
  description: 'The link is the permission, and no key is needed. Pages of any origin may read it, also in ranges.',
  rules: ['speech-result'],
  access: 'link',
  params: ResultParams,
  query: ResultQuery,
  content: AUDIO,
  errors: [404, 416],
  others: {
    206: { description: 'The requested range', content: AUDIO },
    302: { description: 'The address of the audio in the object store of a cluster, for an hour' },
    304: { description: 'Not modified: If-None-Match has its ETag' },
  },
  onRequest: openToAll,
  handle:
    ({ services }) =>
    (request, reply) =>
      sendResult(services, request, reply),
})
