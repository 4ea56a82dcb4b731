import type { FastifyInstance } from 'fastify'
import { ServiceError } from '../domain/service-error.ts'
import { whenResponseEnds } from './response-end.ts'

/** Tells whether the service accepts requests. Counts the requests in flight. */
export class Readiness {
  #phase: 'starting' | 'ready' | 'stopping' = 'starting'
  #running = 0
  readonly #drained = Promise.withResolvers<undefined>()
  readonly #stopping = new AbortController()

  /** Aborts when the service begins to stop: connections that never end by themselves end then. */
  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  get phase(): 'starting' | 'ready' | 'stopping' {
    return this.#phase
  }

  /** Starts to accept requests. Call it when everything works. */
  open(): void {
    if (this.#phase === 'starting') this.#phase = 'ready'
  }

  /** Refuses new requests with 503 from now on. Resolves when the requests in flight are answered. */
  async stop(): Promise<void> {
    this.#phase = 'stopping'
    this.#stopping.abort()
    if (this.#running === 0) this.#drained.resolve(undefined)
    await this.#drained.promise
  }

  /** Counts the requests of this scope, and refuses them when the service stops. */
  guard(app: FastifyInstance): void {
    app.addHook('onRequest', (_request, reply, done) => {
      if (this.#phase === 'stopping') {
        reply.header('connection', 'close')
        done(new ServiceError(503, 'shutting_down', 'The service is shutting down', { retryAfterSeconds: 5 }))
        return
      }
      this.#running += 1
      whenResponseEnds(reply, () => {
        this.#running -= 1
        if (this.#phase === 'stopping' && this.#running === 0) this.#drained.resolve(undefined)
      })
      done()
    })
  }
}
