import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'

/** What this package reads of a request. Node's `IncomingMessage` is one: `req` in Express, `request.raw` in Fastify. */
export interface UploadRequest extends Readable {
  readonly headers: IncomingHttpHeaders
  readonly method?: string | undefined
  /** Whether the whole request has arrived. */
  readonly complete: boolean
}
