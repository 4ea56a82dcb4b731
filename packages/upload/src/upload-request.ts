import type { IncomingHttpHeaders } from 'node:http'
import type { ServerHttp2Stream } from 'node:http2'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'

/**
 * What this package reads of a request. Node's `IncomingMessage` and `Http2ServerRequest` are such requests: `req` in
 * Express, `request.raw` in Fastify.
 */
export interface UploadRequest extends Readable {
  /** Headers by lower-case name. `content-type` and `content-length` describe the form. */
  readonly headers: IncomingHttpHeaders
  /** Method. A `HEAD` request has no body and is refused. */
  readonly method?: string | undefined
  /** 1 over HTTP/1, 2 over HTTP/2; missing if the server does not tell. */
  readonly httpVersionMajor?: number
  /** Whether the whole request has arrived. */
  readonly complete: boolean
  /** The connection of HTTP/1.1. */
  readonly socket?: Socket
  /** The stream of HTTP/2. */
  readonly stream?: ServerHttp2Stream
}
