import { extname } from 'node:path'
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from 'fastify'
import { z } from 'zod'
import { contentTypeOf, isAudioFormat } from '../../domain/formats.ts'
import { RESULTS_PATH } from '../../domain/result-links.ts'
import { ServiceError } from '../../domain/service-error.ts'
import { acceptRequest } from '../../http/accepted-requests.ts'
import { isKnown, rangeCounts, readRange } from '../../http/byte-range.ts'
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
  { results, links, clock }: Services,
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
