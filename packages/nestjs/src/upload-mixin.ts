import {
  type CallHandler,
  type ExecutionContext,
  Inject,
  Logger,
  mixin,
  type NestInterceptor,
  type OnModuleInit,
  Optional,
  type Type,
  ValidationPipe,
} from '@nestjs/common'
import { ApplicationConfig, HttpAdapterHost, ModuleRef } from '@nestjs/core'
import { type AudioClient, ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import { discardUpload, type FailureLogger } from '@svc-audio/upload'
import {
  checkOptions,
  type FailureLog,
  openCall,
  optionRules,
  type OptionRules,
  type Responder,
  resultCheck,
  valueFor,
} from '@svc-audio/upload/adapter'
import { Observable, type Subscription } from 'rxjs'
import { missingClient, sharedClientToken, uploadDefaultsToken } from './audio-client.ts'
import { responseOf, setRetryAfter, toException } from './audio-exception.ts'
import { acceptMultipart, assertHttp, contextPort, nativeRequest, nativeResponse } from './platform.ts'
import { SHUTDOWN, type Shutdown } from './shutdown.ts'

/** A client, or the name of one. */
export type ClientChoice = string | PureAudioClient

/** Options that every upload interceptor has. */
export interface UploadMixinOptions {
  /**
   * Name of the client, as given to `AudioModule.forRoot({ name })`, or a function of the execution context that
   * returns a name or a client, e.g. with a tenant's key. @default the client without a name
   */
  readonly client?: string | ((context: ExecutionContext) => ClientChoice | Promise<ClientChoice>)
  /** Where failures of status 500 and above are logged; `false` logs nothing. @default Nest's logger */
  readonly logger?: FailureLogger | false
}

const CLIENT_RULE = optionRules.optional((value) =>
  (typeof value === 'string' && value !== '') || typeof value === 'function'
    ? undefined
    : 'must be the name of a client, or a function of the execution context',
)

/** Without it, `undefined` would be the client without a name, whose key may be another tenant's. */
const checkClient = resultCheck('client', {
  client: (value) =>
    (typeof value === 'string' && value !== '') || optionRules.clientWith('transcriptions')(value) === undefined
      ? undefined
      : 'must be the name of a client or an AudioClient',
})

/** One request of an upload interceptor. */
export interface UploadExchange {
  readonly context: ExecutionContext
  readonly client: PureAudioClient
  /** Runs the route, and resolves at its end. */
  readonly route: () => Promise<void>
}

/** The requests in upload interceptors, by their contexts: functions of the options get these. */
const exchanges = new WeakMap<ExecutionContext, UploadExchange>()

/** The request of an upload interceptor. */
export function exchangeOf(context: ExecutionContext): UploadExchange {
  const exchange = exchanges.get(context)
  if (exchange === undefined) throw new ConfigurationError('The request has no upload interceptor')
  return exchange
}

/** The differences between the interceptors. */
export interface UploadKind<Options extends UploadMixinOptions> {
  /** Name for messages. */
  readonly name: string
  /** `new.target` of the function that makes the interceptor. */
  readonly target: unknown
  readonly options: Options
  /** The rules of options that only Nest has. */
  readonly rules: OptionRules
  /** Whether a default of the module is an option of this interceptor. */
  readonly takes: (option: string) => boolean
  /** Makes the work for a request. It throws ConfigurationError naming a wrong option. */
  readonly respond: (name: string, options: Options, validation: AppValidation) => RouteResponder
}

/** The validation pipes of the app, which run before `@Body()` of every route. They are known when the app has started. */
export type AppValidation = () => readonly ValidationPipe[]

/** Runs the upload of a request, and its route. */
export type RouteResponder = Responder<ExecutionContext, ExecutionContext, void>

/**
 * Creates the interceptor of a kind: a separate class for each set of options.
 * @throws ConfigurationError naming a wrong option
 */
export function uploadMixin<Options extends UploadMixinOptions>(kind: UploadKind<Options>): Type<NestInterceptor> {
  const { name, options } = kind
  assertCalled(kind)
  responderOf(kind, options, () => [])
  const named = typeof options.client === 'string' ? options.client : undefined

  class UploadMixin implements NestInterceptor, OnModuleInit {
    readonly #logger = new Logger(name)
    readonly #client: AudioClient | undefined
    readonly #defaults: Partial<Options> | undefined
    readonly #modules: ModuleRef
    readonly #host: HttpAdapterHost
    readonly #shutdown: Shutdown | undefined
    #work: { readonly options: Options; readonly respond: RouteResponder } | undefined

    // Optional, because Nest's own error cannot name this class. `onModuleInit` throws a clear error.
    constructor(
      @Optional() @Inject(sharedClientToken(named)) client: AudioClient | undefined,
      @Optional() @Inject(uploadDefaultsToken(named)) defaults: Partial<Options> | undefined,
      @Inject(ModuleRef) modules: ModuleRef,
      @Inject(HttpAdapterHost) host: HttpAdapterHost,
      @Optional() @Inject(SHUTDOWN) shutdown: Shutdown | undefined,
    ) {
      this.#client = client
      this.#defaults = defaults
      this.#modules = modules
      this.#host = host
      this.#shutdown = shutdown
    }

    onModuleInit(): void {
      if (typeof options.client !== 'function' && this.#client === undefined) throw missingClient(name, named)
      this.#merged()
      acceptMultipart(this.#host)
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      assertHttp(context, name)
      return whileWanted(next, (unwanted, route) => this.#run(context, unwanted, route))
    }

    async #run(context: ExecutionContext, unwanted: AbortSignal, route: () => Promise<void>): Promise<void> {
      let routeError: { readonly error: unknown } | undefined
      const routed = async (): Promise<void> =>
        route().catch((error: unknown) => {
          routeError = { error }
          throw error
        })
      const { options: merged, respond } = this.#merged()
      const ends = this.#shutdown === undefined ? [unwanted] : [unwanted, this.#shutdown.signal]
      const port = { ...contextPort, signal: () => AbortSignal.any([...ends, contextPort.signal(context)]) }
      const call = openCall(port, context, merged.logger ?? this.#logger)
      try {
        this.#shutdown?.enter(nativeResponse(context))
        exchanges.set(context, { context, client: await this.#choose(context), route: routed })
        await respond(call)
      } catch (error) {
        // Errors of the route belong to the app, except the end of a live stream by the shutdown.
        if (routeError?.error === error && error !== this.#shutdown?.signal.reason) throw error
        throw refusal(context, error, call.log)
      }
    }

    /** Merges the options with the module's defaults, and checks them. Defaults are known when the app starts. */
    #merged(): { readonly options: Options; readonly respond: RouteResponder } {
      if (this.#work !== undefined) return this.#work
      const defaults = Object.entries(this.#defaults ?? {}).filter(([one]) => one === 'logger' || kind.takes(one))
      const merged = { ...Object.fromEntries(defaults), ...options }
      return (this.#work = { options: merged, respond: responderOf(kind, merged, () => appValidation(this.#modules)) })
    }

    async #choose(context: ExecutionContext): Promise<PureAudioClient> {
      const { client: option } = options
      const chosen = typeof option === 'function' ? await valueFor(option, context, checkClient) : this.#client
      return typeof chosen === 'object' ? chosen : findClient(this.#modules, chosen, name)
    }
  }
  return mixin(UploadMixin)
}

/** Refuses `@UseInterceptors(TranscribeUploadInterceptor)`: Nest takes the function for a class. */
function assertCalled({ name, target }: Pick<UploadKind<UploadMixinOptions>, 'name' | 'target'>): void {
  if (target === undefined) return
  throw new ConfigurationError(`${name} makes an interceptor: call it with its options, \`${name}({ … })\``)
}

/** @throws ConfigurationError naming a wrong option */
function responderOf<Options extends UploadMixinOptions>(
  { name, rules, respond }: UploadKind<Options>,
  options: Options,
  validation: AppValidation,
): RouteResponder {
  const ours: OptionRules = { ...rules, client: CLIENT_RULE }
  checkOptions(name, Object.fromEntries(Object.keys(ours).map((one) => [one, Reflect.get(options, one)])), ours)
  return respond(name, options, validation)
}

/** The validation pipes of `useGlobalPipes()` and `APP_PIPE`. Nest hands its configuration to no provider. */
function appValidation(modules: ModuleRef): readonly ValidationPipe[] {
  const container: unknown = Reflect.get(modules, 'container')
  const config: unknown = Reflect.get(new Object(container), 'applicationConfig')
  if (!(config instanceof ApplicationConfig)) return []
  return config.getGlobalPipes().filter((pipe) => pipe instanceof ValidationPipe)
}

/** Makes the exception of a failed upload, and sets the headers of its response. */
function refusal(context: ExecutionContext, error: unknown, log: FailureLog): unknown {
  // An option that is a function may refuse the request before anything is read of it.
  discardUpload(nativeRequest(context))
  const exception = toException(error, log)
  const response = responseOf(exception)
  if (response !== undefined) setRetryAfter(context, response)
  return exception
}

/** @throws ConfigurationError for a name that no module has */
function findClient(modules: ModuleRef, name: string | undefined, needing: string): AudioClient {
  try {
    return modules.get<AudioClient>(sharedClientToken(name), { strict: false })
  } catch {
    throw missingClient(needing, name)
  }
}

/**
 * Runs work around a route. Its signal aborts when the subscriber unsubscribes: an outer interceptor has timed out, or
 * the client of an event stream has disconnected.
 */
function whileWanted(
  next: CallHandler,
  work: (signal: AbortSignal, route: () => Promise<void>) => Promise<void>,
): Observable<unknown> {
  return new Observable<unknown>((subscriber) => {
    const controller = new AbortController()
    let inner: Subscription | undefined
    const route = (): Promise<void> =>
      new Promise((resolve, reject) => {
        inner = next.handle().subscribe({
          next: (value: unknown) => subscriber.next(value),
          error: reject,
          complete: resolve,
        })
      })
    work(controller.signal, route).then(
      () => subscriber.complete(),
      (error: unknown) => subscriber.error(error),
    )
    return () => {
      inner?.unsubscribe()
      controller.abort()
    }
  })
}
