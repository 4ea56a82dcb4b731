import type { Server, ServerResponse } from 'node:http'
import { Inject, Injectable } from '@nestjs/common'
import { HttpAdapterHost } from '@nestjs/core'
import { AudioGatewayError } from '@svc-audio/upload'

/** Token of {@link Shutdown}, equal in every copy of this package and for every client. */
export const SHUTDOWN: symbol = Symbol.for('svc-audio.shutdown')

/** Milliseconds for the clients of aborted requests to read their responses. */
const GRACE = 1000

/** Milliseconds between searches for idle connections. */
const IDLE_CHECK = 200

/** Requests in flight, and their end when the application shuts down. */
@Injectable()
export class Shutdown {
  readonly #host: HttpAdapterHost
  readonly #controller = new AbortController()
  readonly #responses = new Set<ServerResponse>()
  #isStopping = false

  constructor(@Inject(HttpAdapterHost) host: HttpAdapterHost) {
    this.#host = host
  }

  /** Aborts when the time of the shutdown is over. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /**
   * Refuses new uploads from now on, and aborts those in flight after a time. The timers do not keep the process alive: the
   * server does, while it has requests.
   *
   * @param timeout In milliseconds.
   * @param end Called when the clients of aborted requests had their time.
   */
  begin(timeout: number, end: () => void): void {
    if (this.#isStopping) return
    this.#isStopping = true
    setInterval(() => this.#closeIdle(), IDLE_CHECK).unref()
    setTimeout(() => {
      this.#controller.abort(shuttingDown())
      setTimeout(() => {
        for (const response of this.#responses) response.destroy()
        end()
      }, GRACE).unref()
    }, timeout).unref()
  }

  /**
   * Counts a request as in flight until its response has ended.
   * @throws AudioGatewayError 503 `shutting_down`
   */
  enter(response: ServerResponse): void {
    if (this.#isStopping) throw shuttingDown()
    this.#responses.add(response)
    response.once('close', () => this.#responses.delete(response))
  }

  /** A connection that becomes idle after the close of the server would keep it open, on Fastify for more than a minute. */
  #closeIdle(): void {
    // Nest's type is never null. The value is null without an HTTP server, and a server of HTTP/2 has no such method.
    const adapter = this.#host.httpAdapter as HttpAdapterHost['httpAdapter'] | null | undefined
    const server: Partial<Server> | undefined = adapter?.getHttpServer()
    if (server?.listening === false) server.closeIdleConnections?.()
  }
}

function shuttingDown(): AudioGatewayError {
  const message = 'The server is shutting down: send the request again'
  return new AudioGatewayError({ status: 503, code: 'shutting_down', message, retryAfterSeconds: 1 })
}
