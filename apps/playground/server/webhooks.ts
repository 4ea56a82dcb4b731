import { randomBytes } from 'node:crypto'
import type { Task } from '@svc-audio/core'
import { createWebhookReceiver, type WebhookClient, type WebhookReceiver } from '@svc-audio/core/webhooks'
import { audioWebhooks } from '@svc-audio/express-middleware'
import express, { type RequestHandler, type Router } from 'express'
import type { WebhookAddress, WebhookArrival, WebhooksResponse } from '../shared/api.ts'
import { HttpError } from './http.ts'
import { LatestMap } from './latest-map.ts'

/** Path of the callbacks. */
export const HOOK_PATH = '/hooks/audio'

/** Maximum number of remembered callbacks. */
const MAX_ARRIVALS = 500

/** Receives the callbacks of finished tasks and shows them to the page. */
export class Webhooks {
  readonly #receiver: WebhookReceiver | undefined
  readonly #arrivals = new LatestMap<string, WebhookArrival>(MAX_ARRIVALS)
  readonly #listeners = new Set<(arrival: WebhookArrival) => void>()

  /**
   * @param client Reads the task that a callback names.
   * @param url Address of {@link HOOK_PATH} that the service can call. Without it, the page offers no webhooks.
   */
  constructor(client: WebhookClient, url: string | undefined) {
    if (url === undefined) return
    const secret = randomBytes(32).toString('base64url')
    this.#receiver = createWebhookReceiver({ client, secret, url, handlers: { '*': (task) => this.#note(task) } })
  }

  /** The handler of the service's calls. The token of the address protects it, so it accepts every host name. */
  hook(): RequestHandler {
    if (this.#receiver !== undefined) return audioWebhooks({ receiver: this.#receiver })
    return () => {
      throw new HttpError(404, 'no_webhooks', 'This playground receives no webhooks: set SVC_AUDIO_WEBHOOK_URL')
    }
  }

  /** Routes of the page: list the callbacks, make an address, and follow the callbacks as they arrive. */
  routes(): Router {
    return express.Router().get('/', this.#list).post('/', this.#createAddress).get('/events', this.#follow)
  }

  #note({ id, status }: Task): void {
    const arrival = { task_id: id, status, received_at: Date.now() }
    this.#arrivals.set(id, arrival)
    for (const listener of this.#listeners) listener(arrival)
  }

  readonly #list: RequestHandler = (_request, response) => {
    const available = this.#receiver !== undefined
    response.set('cache-control', 'no-store')
    response.json({ available, arrivals: [...this.#arrivals.values()] } satisfies WebhooksResponse)
  }

  readonly #createAddress: RequestHandler = async (_request, response) => {
    if (this.#receiver === undefined) {
      throw new HttpError(409, 'no_webhooks', 'The service cannot call this playground: set SVC_AUDIO_WEBHOOK_URL')
    }
    const { url } = await this.#receiver.createCallback()
    response.json({ url } satisfies WebhookAddress)
  }

  /** Server-sent events. Earlier callbacks come first, so nothing is missed between two connections. */
  readonly #follow: RequestHandler = (_request, response) => {
    response.set({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' }).flushHeaders()
    const send = (arrival: WebhookArrival): void => void response.write(`data: ${JSON.stringify(arrival)}\n\n`)
    for (const arrival of this.#arrivals.values()) send(arrival)
    this.#listeners.add(send)
    response.once('close', () => this.#listeners.delete(send))
  }
}
