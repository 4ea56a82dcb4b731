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
} from '@nestjs/common'
import { HttpAdapterHost, ModuleRef } from '@nestjs/core'
import { type AudioClient, ConfigurationError, type PureAudioClient } from '@svc-audio/core'
import {
  discardUpload,
  disconnectSignal,
  type FailureLogger,
  optionRules,
  type OptionRules,
  resultCheck,
  valueFor,
} from '@svc-audio/upload'
import { Observable, type Subscription } from 'rxjs'
import { acceptMultipart, assertHttp, nativeRequest, nativeResponse } from './platform.ts'
import { setRetryAfter, responseOf, toException } from './audio-exception.ts'
import { missingClient, sharedClientToken, uploadDefaultsToken } from './audio-client.ts'
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

/** The rules of {@link UploadMixinOptions}. */
export const MIXIN_RULES: OptionRules = {
  client: optionRules.optional((value) =>
    (typeof value === 'string' && value !== '') || typeof value === 'function'
      ? undefined
      : 'must be the name of a client, or a function of the execution context',
  ),
  logger: optionRules.optional(optionRules.logger),
}

/**
 * Refuses `@UseInterceptors(TranscribeInterceptor)`: Nest takes the function for a class.
 * @throws ConfigurationError
 */
export function assertCalled(name: string, target: unknown): void {
  if (target === undefined) return
  throw new ConfigurationError(`${name} makes an interceptor: call it with its options, \`${name}({ … })\``)
}

/** Without it, `undefined` would be the client without a name, whose key may be another tenant's. */
const checkClient = resultCheck('client', {
  client: (value) =>
    (typeof value === 'string' && value !== '') || optionRules.clientWith('transcriptions')(value) === undefined
      ? undefined
      : 'must be the name of a client or an AudioClient',
})

/** Context of one upload. */
export interface UploadWork {
  readonly client: PureAudioClient
  readonly signal: AbortSignal
  readonly context: ExecutionContext
}

/** The differences between the interceptors. */
export interface UploadKind<Options extends UploadMixinOptions> {
  /** Name for messages. */
  readonly name: string
  readonly options: Options
  /** Whether a default of the module is an option of this interceptor. */
  readonly takes: (option: string) => boolean
  /** Checks the options together with the defaults. @throws ConfigurationError */
  readonly check: (options: Options) => void
  /** Runs the upload. `route` runs the route after or within it, and resolves at its end. */
  readonly work: (options: Options, work: UploadWork, route: () => Promise<void>) => Promise<void>
}

/** Makes the exception of a failed upload, and sets the headers of its response. */
function refusal(context: ExecutionContext, error: unknown, logger: FailureLogger | false): unknown {
  // An option that is a function may refuse the request before anything is read of it.
  discardUpload(nativeRequest(context))
  const exception = toException(error, { logger, where: whereOf(context) })
  const response = responseOf(exception)
  if (response !== undefined) setRetryAfter(context, response)
  return exception
}

/** @throws ConfigurationError naming a wrong option */
function mergedOptions<Options extends UploadMixinOptions>(
  kind: UploadKind<Options>,
  given: Partial<Options> | undefined,
): Options {
  const defaults = Object.entries(given ?? {}).filter(([option]) => kind.takes(option))
  const merged = { ...Object.fromEntries(defaults), ...kind.options }
  kind.check(merged)
  return merged
}

/** Creates the interceptor of a kind: a separate class for each set of options. */
export function uploadMixin<Options extends UploadMixinOptions>(kind: UploadKind<Options>): Type<NestInterceptor> {
  const named = typeof kind.options.client === 'string' ? kind.options.client : undefined

  class UploadMixin implements NestInterceptor, OnModuleInit {
    readonly #logger = new Logger(kind.name)
    readonly #client: AudioClient | undefined
    readonly #defaults: Partial<Options> | undefined
    readonly #modules: ModuleRef
    readonly #host: HttpAdapterHost
    readonly #shutdown: Shutdown | undefined
    #merged: Options | undefined

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
      if (typeof kind.options.client !== 'function' && this.#client === undefined) throw missingClient(kind.name, named)
      this.#options()
      acceptMultipart(this.#host)
    }

    intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
      assertHttp(context, kind.name)
      return whileWanted(next, (unwanted, route) => this.#run(context, unwanted, route))
    }

    async #run(context: ExecutionContext, unwanted: AbortSignal, route: () => Promise<void>): Promise<void> {
      let routeError: { readonly error: unknown } | undefined
      const routed = async (): Promise<void> =>
        route().catch((error: unknown) => {
          routeError = { error }
          throw error
        })
      try {
        const response = nativeResponse(context)
        this.#shutdown?.enter(response)
        const ends = this.#shutdown === undefined ? [] : [this.#shutdown.signal]
        const signal = AbortSignal.any([unwanted, disconnectSignal(response), ...ends])
        const client = await this.#choose(context)
        await kind.work(this.#options(), { client, signal, context }, routed)
      } catch (error) {
        // Errors of the route belong to the app, except the end of a live stream by the shutdown.
        if (routeError?.error === error && error !== this.#shutdown?.signal.reason) throw error
        throw this.#failed(context, error)
      }
    }

    #failed(context: ExecutionContext, error: unknown): unknown {
      return refusal(context, error, this.#options().logger ?? this.#logger)
    }

    /** Merges the options with the module's defaults, and checks them. Defaults are known when the app starts. */
    #options(): Options {
      if (this.#merged !== undefined) return this.#merged
      return (this.#merged = mergedOptions(kind, this.#defaults))
    }

    async #choose(context: ExecutionContext): Promise<PureAudioClient> {
      const { client: option } = kind.options
      const chosen = typeof option === 'function' ? await valueFor(option, context, checkClient) : this.#client
      if (typeof chosen === 'object') return chosen
      const found = findClient(this.#modules, chosen)
      if (found === undefined) throw missingClient(kind.name, chosen)
      return found
    }
  }
  return mixin(UploadMixin)
}

/** Method and path of the request, for the log. */
function whereOf(context: ExecutionContext): string {
  const { method, url = '' } = nativeRequest(context)
  return `${method} ${url.split('?', 1).join('')}`
}

function findClient(modules: ModuleRef, name: string | undefined): AudioClient | undefined {
  try {
    return modules.get<AudioClient>(sharedClientToken(name), { strict: false })
  } catch {
    return undefined
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
