import { Controller, Inject, Post, Req, Res, type Type } from '@nestjs/common'
import { ConfigurationError } from '@svc-audio/core'
import { type AudioWebhookOptions, WEBHOOK_OPTIONS } from './audio-webhook-options.ts'
import { AudioWebhooks } from './audio-webhooks.ts'

/** The part of a request that both platforms share. */
interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The parsed body. */
  readonly body?: unknown
  /** The bytes of the body, in an app created with `rawBody: true`. */
  readonly rawBody?: Uint8Array
}

/** The response methods that both platforms share. */
interface WebhookResponse {
  status(status: number): unknown
}

/** Creates the controller of a path. */
export function webhookController(path: string): Type<unknown> {
  @Controller(path)
  class AudioWebhookController {
    readonly #webhooks: AudioWebhooks
    readonly #options: AudioWebhookOptions

    constructor(@Inject(AudioWebhooks) webhooks: AudioWebhooks, @Inject(WEBHOOK_OPTIONS) options: AudioWebhookOptions) {
      this.#webhooks = webhooks
      this.#options = options
    }

    @Post()
    async receive(
      @Req() request: WebhookRequest,
      @Res({ passthrough: true }) response: WebhookResponse,
    ): Promise<unknown> {
      const body = webhookBody(request, this.#options.signingSecret !== undefined)
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [
        name,
        [value ?? ''].flat().join(', '),
      ])
      const address = new URL(request.url, this.#options.url)
      const answer = await this.#webhooks.handle(new Request(address, { method: 'POST', headers, body }))
      response.status(answer.status)
      const text = await answer.text()
      return text === '' ? undefined : JSON.parse(text)
    }
  }
  return AudioWebhookController
}

/**
 * Returns the body of a callback. A signature needs its exact bytes. Without a signature, a parsed body is enough,
 * because the task itself is read from the service.
 *
 * @throws ConfigurationError when a signature must be checked and the app does not keep the bytes
 */
function webhookBody({ rawBody, body }: WebhookRequest, isSigned: boolean): Uint8Array<ArrayBuffer> | string {
  if (rawBody !== undefined) return Uint8Array.from(rawBody)
  if (isSigned) {
    throw new ConfigurationError(
      'AudioWebhookModule needs the exact bytes of the body to check its signature: create the app with `rawBody: true`',
    )
  }
  return JSON.stringify(body ?? {})
}
