import 'reflect-metadata'
import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common'
import { DiscoveryService, MetadataScanner } from '@nestjs/core'
import { type AudioClient, ConfigurationError } from '@svc-audio/core'
import {
  type Callback,
  type CallbackOptions,
  createWebhookReceiver,
  type WebhookHandler,
  type WebhookReceiver,
} from '@svc-audio/core/webhooks'
import { checkOptions, describeFailure, type OptionRules } from '@svc-audio/upload'
import { type AudioWebhookOptions, WEBHOOK_OPTIONS } from './audio-webhook-options.ts'
import { kindsInsteadOf, TASK_METADATA } from './on-audio-task.ts'

/** The token of the client that reads the tasks. */
export const WEBHOOK_CLIENT: symbol = Symbol.for('svc-audio.webhook-client')

/** The options by name. The receiver checks their values. */
const RULES = {
  secret: () => undefined,
  url: () => undefined,
  signingSecret: () => undefined,
  seen: () => undefined,
  onError: () => undefined,
  now: () => undefined,
} satisfies OptionRules & Record<keyof AudioWebhookOptions, unknown>

/** Creates callback addresses for tasks, and passes the finished tasks to the `@OnAudioTask()` handlers. Inject it. */
@Injectable()
export class AudioWebhooks implements OnApplicationBootstrap {
  readonly #logger = new Logger(AudioWebhooks.name)
  readonly #handlers: Record<string, WebhookHandler> = {}
  readonly #discovery: DiscoveryService
  readonly #receiver: WebhookReceiver

  constructor(
    @Inject(WEBHOOK_OPTIONS) options: AudioWebhookOptions,
    @Inject(WEBHOOK_CLIENT) client: AudioClient,
    @Inject(DiscoveryService) discovery: DiscoveryService,
  ) {
    checkOptions('AudioWebhookModule', options, RULES)
    this.#discovery = discovery
    const onError = options.onError ?? ((error: unknown) => this.#logger.error(`Callback: ${describeFailure(error)}`))
    this.#receiver = createWebhookReceiver({ ...options, client, onError, handlers: this.#handlers })
  }

  /**
   * Creates a signed address for one task: pass `url` as `webhook_url`, then call `bind` with the id of the created task.
   * @throws ConfigurationError for an impossible option
   */
  createCallback(options?: CallbackOptions): Promise<Callback> {
    return this.#receiver.createCallback(options)
  }

  /** Answers one callback. The controller calls it. */
  handle(request: Request): Promise<Response> {
    return this.#receiver.handle(request)
  }

  /** Finds the handlers. Every provider and controller exists by now. */
  onApplicationBootstrap(): void {
    const scanner = new MetadataScanner()
    const found = [...this.#discovery.getProviders(), ...this.#discovery.getControllers()]
    for (const { instance, isNotMetatype, name } of found) {
      const provider: unknown = instance
      if (isNotMetatype || typeof provider !== 'object' || provider === null) continue
      for (const method of scanner.getAllMethodNames(Object.getPrototypeOf(provider))) {
        const handler: unknown = Reflect.get(provider, method)
        if (typeof handler !== 'function') continue
        const object: unknown = Reflect.getMetadata(TASK_METADATA, handler)
        if (typeof object === 'string') this.#add(object, `${String(name)}.${method}`, handler.bind(provider))
      }
    }
  }

  #add(object: string, method: string, handler: WebhookHandler): void {
    if (Object.hasOwn(this.#handlers, object)) {
      throw new ConfigurationError(`@OnAudioTask('${object}') is on two methods, ${method} is one: remove one of them`)
    }
    const known = kindsInsteadOf(object)
    if (known !== undefined) {
      this.#logger.warn(`@OnAudioTask('${object}') on ${method} may never be called. The known kinds are ${known}`)
    }
    this.#handlers[object] = handler
  }
}
