import 'reflect-metadata'
import type { IncomingMessage } from 'node:http'
import {
  Controller,
  type DynamicModule,
  Inject,
  Injectable,
  type InjectionToken,
  Logger,
  Module,
  type ModuleMetadata,
  type OnApplicationBootstrap,
  type OptionalFactoryDependency,
  Post,
  type Provider,
  Req,
  Res,
  SetMetadata,
  type Type,
} from '@nestjs/common'
import { DiscoveryModule, DiscoveryService, MetadataScanner } from '@nestjs/core'
import { type AudioClient, ConfigurationError } from '@svc-audio/core'
import type { TaskObject } from '@svc-audio/core/interface'
import {
  type Callback,
  type CallbackOptions,
  createWebhookReceiver,
  type WebhookHandler,
  type WebhookReceiver,
  type WebhookReceiverOptions,
} from '@svc-audio/core/webhooks'
import { checkOptions, describeFailure, type OptionRules, webhookRequest } from '@svc-audio/upload/adapter'
import { missingClient, sharedClientToken } from './audio-client.ts'

/** Options of the receiver. Its client comes from `AudioModule`, its handlers from `@OnAudioTask()`. */
export type AudioWebhooksOptions = Omit<WebhookReceiverOptions, 'client' | 'handlers'>

/** Options that the module needs before a factory runs. */
export interface AudioWebhooksExtras {
  /** Path of the route, below a global prefix. It must match the path of `url`. @default 'hooks/audio' */
  readonly path?: string
  /** Name of the client that reads the tasks. @default the client without a name */
  readonly client?: string
}

/** Options of `AudioWebhooksModule.forRootAsync()`. */
export interface AudioWebhooksAsyncOptions extends Pick<ModuleMetadata, 'imports'>, AudioWebhooksExtras {
  /** Tokens of the values that the factory receives, in order. */
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[]
  /** Returns the options. Nest calls it once. */
  // oxlint-disable-next-line typescript/no-explicit-any -- only the factory knows the injected types, as in Nest
  readonly useFactory: (...injected: any[]) => AudioWebhooksOptions | Promise<AudioWebhooksOptions>
}

/** The token of the options. */
const WEBHOOK_OPTIONS: symbol = Symbol.for('svc-audio.webhook-options')

/** The token of the client that reads the tasks. */
const WEBHOOK_CLIENT: symbol = Symbol.for('svc-audio.webhook-client')

/**
 * Receives the callbacks of finished tasks: a `POST` route whose addresses are signed, and `@OnAudioTask()` handlers. The
 * task itself is read from the service, so a forged body has no effect. Inject `AudioWebhooks` to create the addresses.
 *
 * It needs `AudioModule` with `isGlobal`, or among the `imports` of `forRootAsync()`.
 *
 * @example
 * imports: [AudioWebhooksModule.forRoot({ url: 'https://my.app/hooks/audio', secret })]
 */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
export class AudioWebhooksModule {
  /** Takes the options directly. Wrong options stop the start of the app with a `ConfigurationError`. */
  static forRoot({ path, client, ...options }: AudioWebhooksOptions & AudioWebhooksExtras): DynamicModule {
    return dynamicModule({ path, client }, { provide: WEBHOOK_OPTIONS, useValue: options })
  }

  /** Takes the options from other providers. */
  static forRootAsync({ path, client, imports, inject, useFactory }: AudioWebhooksAsyncOptions): DynamicModule {
    const options = { provide: WEBHOOK_OPTIONS, useFactory, ...(inject === undefined ? {} : { inject }) }
    return dynamicModule({ path, client }, options, imports)
  }
}

function dynamicModule(
  { path = 'hooks/audio', client }: { readonly path: string | undefined; readonly client: string | undefined },
  options: Provider,
  imports: DynamicModule['imports'] = [],
): DynamicModule {
  return {
    module: AudioWebhooksModule,
    imports: [DiscoveryModule, ...imports],
    controllers: [webhookController(path)],
    providers: [options, clientProvider(client), AudioWebhooks],
    exports: [AudioWebhooks],
  }
}

/** A dynamic module sees only its own imports and global modules, not the imports beside it. */
const remedy = (call: string): string =>
  `Set isGlobal on ${call}, or import it in the \`imports\` of AudioWebhooksModule.forRootAsync().`

function clientProvider(name: string | undefined): Provider {
  return {
    provide: WEBHOOK_CLIENT,
    inject: [{ token: sharedClientToken(name), optional: true }],
    useFactory: (client: AudioClient | undefined) => {
      if (client === undefined) throw missingClient('AudioWebhooksModule', name, remedy)
      return client
    },
  }
}

/** The options by name. The receiver checks their values. */
const RULES = {
  secret: () => undefined,
  url: () => undefined,
  signingSecret: () => undefined,
  seen: () => undefined,
  onError: () => undefined,
  now: () => undefined,
} satisfies OptionRules & Record<keyof AudioWebhooksOptions, unknown>

/** Metadata key for the kind of a handler. Nest's reflector requires a string. */
const TASK_METADATA = 'svc-audio.on-audio-task'

/** Creates callback addresses for tasks, and passes the finished tasks to the `@OnAudioTask()` handlers. Inject it. */
@Injectable()
export class AudioWebhooks implements OnApplicationBootstrap {
  readonly #logger = new Logger(AudioWebhooks.name)
  readonly #handlers: Record<string, WebhookHandler> = {}
  readonly #discovery: DiscoveryService
  readonly #receiver: WebhookReceiver

  constructor(
    @Inject(WEBHOOK_OPTIONS) options: AudioWebhooksOptions,
    @Inject(WEBHOOK_CLIENT) client: AudioClient,
    @Inject(DiscoveryService) discovery: DiscoveryService,
  ) {
    checkOptions('AudioWebhooksModule', options, RULES)
    this.#discovery = discovery
    const onError = options.onError ?? ((error: unknown) => this.#logger.error(`Callback: ${describeFailure(error)}`))
    this.#receiver = createWebhookReceiver({ ...options, client, onError, handlers: this.#handlers })
  }

  /**
   * Creates a signed address for one task: pass `url` as `webhook_url`, then call `bind` with the id of the created task. Write
   * the job of your app first, and pass its id as `state`.
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

/** Kinds of tasks. A newer service may have more. */
const KNOWN = { 'audio.speech': true, 'audio.transcription': true, 'audio.voice_generation': true } satisfies Record<
  TaskObject,
  true
>

/** The kinds that a handler may name, for a message, if it names another one. */
function kindsInsteadOf(object: string): string | undefined {
  return object === '*' || Object.hasOwn(KNOWN, object) ? undefined : Object.keys(KNOWN).join(', ')
}

/**
 * Makes a method of a provider or controller a handler of finished tasks, for the callbacks that `AudioWebhooksModule` receives. It gets
 * the task, in `SUCCESS` or `FAILED`, and `{ state }` as given to `createCallback()`. If it throws or returns `'retry'`, the
 * service calls again. A handled task is not handled again.
 *
 * @param object The task's `object`, such as `audio.transcription`. A warning names one that this version does not know.
 *   @default '*', every task that has no handler of its own
 *
 * @example
 * @OnAudioTask('audio.transcription')
 * async transcribed(task: Task, { state }: WebhookContext) {}
 */
export function OnAudioTask(object: TaskObject | '*' | (string & {}) = '*'): MethodDecorator {
  return SetMetadata(TASK_METADATA, object)
}

/** The part of a request that both platforms share. */
interface WebhookRequest extends Pick<IncomingMessage, 'url' | 'headers'> {
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
function webhookController(path: string): Type<unknown> {
  @Controller(path)
  class AudioWebhookController {
    readonly #webhooks: AudioWebhooks
    readonly #options: AudioWebhooksOptions

    constructor(
      @Inject(AudioWebhooks) webhooks: AudioWebhooks,
      @Inject(WEBHOOK_OPTIONS) options: AudioWebhooksOptions,
    ) {
      this.#webhooks = webhooks
      this.#options = options
    }

    @Post()
    async receive(
      @Req() { url, headers, body, rawBody }: WebhookRequest,
      @Res({ passthrough: true }) response: WebhookResponse,
    ): Promise<unknown> {
      if (rawBody === undefined && this.#options.signingSecret !== undefined) {
        throw new ConfigurationError(
          'AudioWebhooksModule needs the exact bytes of the body to check its signature: create the app with `rawBody: true`',
        )
      }
      // Without a signature, a parsed body is enough: the task itself is read from the service.
      const answer = await this.#webhooks.handle(webhookRequest({ url, headers }, rawBody ?? body ?? {}))
      response.status(answer.status)
      const text = await answer.text()
      return text === '' ? undefined : JSON.parse(text)
    }
  }
  return AudioWebhookController
}
