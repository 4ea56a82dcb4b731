import { Agent, request, type OutgoingHttpHeaders } from 'node:http'

/** A request as sent over the wire, without normalization. */
export interface RawRequest {
  readonly method: string
  /** With its query. May contain anything. */
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body?: Buffer
}

/** Its response. */
export interface RawResponse {
  readonly status: number
  /** The start of the body. */
  readonly text: string
  readonly bytes: number
}

const KEPT = 64 * 1024

/** A client without any checks. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 16 })
  readonly #url: URL
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = new URL(url)
    this.#key = key
  }

  /** Sends a request, and reads its whole response. @throws Error without a response within `timeout` ms */
  send({ method, path, headers, body }: RawRequest, timeout = 60_000): Promise<RawResponse> {
    const { promise, resolve, reject } = Promise.withResolvers<RawResponse>()
    const call = request(
      {
        host: this.#url.hostname,
        port: this.#url.port,
        agent: this.#agent,
        method,
        path,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...('transfer-encoding' in headers ? {} : { 'content-length': body?.byteLength ?? 0 }),
          ...headers,
        },
        signal: AbortSignal.timeout(timeout),
      },
      (response) => {
        const kept: Buffer[] = []
        let bytes = 0
        response.on('data', (data: Buffer) => {
          if (bytes < KEPT) kept.push(data)
          bytes += data.byteLength
        })
        response.on('error', reject)
        response.on('end', () => {
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(kept).toString().slice(0, KEPT), bytes })
        })
      },
    )
    call.on('error', reject)
    call.end(body)
    return promise
  }

  close(): void {
    this.#agent.destroy()
  }
}
