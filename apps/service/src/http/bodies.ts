import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import type { FastifyInstance, preParsingHookHandler } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'

/** A `charset` of a media type. */
const CHARSET = /;\s*charset\s*=\s*"?(?<charset>[^\s";]*)/i
/** ASCII is a part of UTF-8. */
const UTF8: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii', 'ascii'])

/**
 * Refuses compressed bodies and bodies in another character set than UTF-8, in the later routes of this scope. The
 * service would read them as something that their client did not send.
 */
export function refuseEncodings(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // The framework reads no body of other methods.
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preParsing = [route.preParsing ?? [], refuseEncoding].flat()
  })
}

const refuseEncoding: preParsingHookHandler = ({ headers }, reply, payload, done) => {
  const { 'content-encoding': coding = 'identity', 'content-type': type = '' } = headers
  if (coding !== 'identity' && coding.toLowerCase() !== 'identity') {
    reply.header('accept-encoding', 'identity')
    const message = `Content-Encoding ${JSON.stringify(coding.slice(0, 40))} is not supported: send the body as it is`
    return done(new ServiceError(415, 'unsupported_content_encoding', message))
  }
  const charset = type.includes(';') ? CHARSET.exec(type)?.groups?.['charset'] : undefined
  if (charset !== undefined && !UTF8.has(charset.toLowerCase())) {
    const message = `The charset ${JSON.stringify(charset.slice(0, 40))} is not supported: send UTF-8`
    return done(new ServiceError(415, 'unsupported_charset', message))
  }
  done(null, payload)
}

/**
 * Reads JSON bodies of this app as strict UTF-8. A DELETE may have no body: some clients send the media type with every
 * request.
 */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body: Buffer, done) => {
    if (body.length === 0 && request.method === 'DELETE') return done(null)
    if (!isUtf8(body)) return done(notUtf8('The body'))
    void parse(request, body.toString(), done)
  })
}

/** Where a form's parser put bytes that are not UTF-8. */
const REPLACEMENT = '\uFFFD'

/**
 * Checks a text field of a form, which its parser has decoded.
 * @throws ServiceError 400 `invalid_utf8` with the field
 */
export function requireUtf8(field: string, value: string): void {
  if (value.includes(REPLACEMENT)) throw notUtf8(field, field)
}

function notUtf8(what: string, param?: string): ServiceError {
  const message = `${what} contains bytes that are not UTF-8: encode the text as UTF-8`
  return new ServiceError(400, 'invalid_utf8', message, param === undefined ? {} : { param })
}

/**
 * Lets the later routes of this scope read the body of a request that announces none, as an empty one. The HTTP
 * listener starts such a request with an ended body, and the framework's parser would wait for its end for ever.
 */
export function readEmptyBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    // The framework reads no body of other methods.
    if (route.method === 'GET' || route.method === 'HEAD') return
    route.preParsing = [replaceEnded, route.preParsing ?? []].flat()
  })
}

const replaceEnded: preParsingHookHandler = ({ raw }, _reply, payload, done) => {
  done(null, raw.readableEnded ? Readable.from([]) : payload)
}
