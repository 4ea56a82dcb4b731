import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type ConfigurableModuleCls,
  type DynamicModule,
  Module,
  type Provider,
} from '@nestjs/common'
import { APP_INTERCEPTOR } from '@nestjs/core'
import { type AudioClientOptions, ConfigurationError } from '@svc-audio/core'
import { checkOptions, optionRules } from '@svc-audio/upload/adapter'
import { ClientLifecycle, getAudioClientToken, sharedClientToken, uploadDefaultsToken } from './audio-client.ts'
import { UnreadUploads } from './platform.ts'
import { AudioResponseInterceptor } from './speech-file.ts'
import { Shutdown, SHUTDOWN } from './shutdown.ts'
import { type AudioUploadDefaults, checkUploadDefaults } from './upload-interceptors.ts'

/** Options of the client, such as `apiKey`, `baseUrl`, `timeout` and `tracer`, and defaults for uploads. */
export interface AudioModuleOptions extends AudioClientOptions {
  /** Defaults of the upload interceptors that use this client. @default none */
  readonly uploads?: AudioUploadDefaults | undefined
  /**
   * Milliseconds for requests in flight when the application shuts down, counted from the start of the shutdown. New uploads
   * get 503 `shutting_down` at once. After this time, live streams end with an event, uploads in flight with 503, and speech
   * in flight breaks. Call `app.enableShutdownHooks()` to shut down by SIGTERM. @default 25000
   */
  readonly shutdownTimeout?: number
}

/** Options that the module needs before a factory runs. */
export interface AudioModuleExtras {
  /** Whether every module can inject the client without importing this module. @default false */
  readonly isGlobal?: boolean
  /** Name of the client, for several clients. @default the client without a name */
  readonly name?: string | undefined
}

/** A class for `useClass` or `useExisting`. */
export interface AudioModuleOptionsFactory {
  /** Returns the options of the module. Nest calls it once. */
  createAudioOptions(): AudioModuleOptions | Promise<AudioModuleOptions>
}

/** Options of `AudioModule.forRootAsync()`: one of `useFactory`, `useClass`, `useExisting`, and its dependencies. */
export interface AudioModuleAsyncOptions
  extends ConfigurableModuleAsyncOptions<AudioModuleOptions, 'createAudioOptions'>, AudioModuleExtras {
  /** Providers only for the factory, besides those of `imports`. */
  readonly extraProviders?: readonly Provider[]
}

type AllExtras = AudioModuleExtras & Pick<AudioModuleAsyncOptions, 'extraProviders'>

const OPTIONS = Symbol.for('svc-audio.module-options')

/** The class that Nest's module builder creates. `AudioModule` extends it. */
const ConfigurableAudioModule: ConfigurableModuleCls<AudioModuleOptions, 'forRoot', 'createAudioOptions', AllExtras> =
  new ConfigurableModuleBuilder<AudioModuleOptions>({ optionsInjectionToken: OPTIONS })
    .setClassMethodName('forRoot')
    .setFactoryMethodName('createAudioOptions')
    // Every extra needs an entry here. Nest's builder takes extras without an entry for options of the client.
    .setExtras<AllExtras>({ isGlobal: false, name: undefined, extraProviders: [] }, (definition, extras) => {
      const { isGlobal = false, name, extraProviders = [] } = extras
      const own = [...clientProviders(name), defaultsProvider(name)]
      const shared = [{ provide: SHUTDOWN, useClass: Shutdown }, ClientLifecycle, RESPONSES, UnreadUploads]
      const providers = [...(definition.providers ?? []), ...extraProviders, ...shared, ...own]
      const exports = [getAudioClientToken(name), sharedClientToken(name), uploadDefaultsToken(name), SHUTDOWN]
      return { ...definition, global: isGlobal, providers, exports: [...new Set(exports)] }
    })
    .build().ConfigurableModuleClass

/** Nest applies it to every route of the app. */
const RESPONSES: Provider = { provide: APP_INTERCEPTOR, useClass: AudioResponseInterceptor }

function clientProviders(name: string | undefined): Provider[] {
  const token = getAudioClientToken(name)
  const shared = sharedClientToken(name)
  const client: Provider = {
    provide: token,
    useFactory: (lifecycle: ClientLifecycle, given: AudioModuleOptions | undefined) => {
      const { uploads: _uploads, shutdownTimeout, ...options } = returned(given)
      checkOptions(
        'AudioModule',
        { shutdownTimeout },
        { shutdownTimeout: optionRules.optional(optionRules.milliseconds) },
      )
      return lifecycle.open(options, shutdownTimeout)
    },
    inject: [ClientLifecycle, OPTIONS],
  }
  // An alias: a test that overrides the client overrides both tokens.
  return shared === token ? [client] : [client, { provide: shared, useExisting: token }]
}

function defaultsProvider(name: string | undefined): Provider {
  return {
    provide: uploadDefaultsToken(name),
    useFactory: (given: AudioModuleOptions | undefined) => checkUploadDefaults(returned(given).uploads ?? {}),
    inject: [OPTIONS],
  }
}

/** @throws ConfigurationError if a factory returned no options */
function returned(options: AudioModuleOptions | undefined): AudioModuleOptions {
  if (typeof options === 'object') return options
  throw new ConfigurationError(`The factory of AudioModule must return an object of options, got ${typeof options}`)
}

/**
 * Provides an `AudioClient`, and closes it when the application has shut down. For several clients, import it several
 * times with a `name` each.
 *
 * @example
 * imports: [AudioModule.forRoot({ apiKey, baseUrl: 'http://127.0.0.1:8787', isGlobal: true })]
 */
@Module({})
export class AudioModule extends ConfigurableAudioModule {
  /**
   * Takes the options directly. Without `apiKey` and `baseUrl` it reads `SVC_AUDIO_API_KEY` and `SVC_AUDIO_BASE_URL`.
   * Wrong options stop the start of the application with a `ConfigurationError`.
   */
  static override forRoot(options: AudioModuleOptions & AudioModuleExtras = {}): DynamicModule {
    return super.forRoot(options)
  }

  /**
   * Takes the options from other providers.
   * @throws ConfigurationError without `useFactory`, `useClass` and `useExisting`
   */
  static override forRootAsync(options: AudioModuleAsyncOptions): DynamicModule {
    const { useFactory, useClass, useExisting } = options
    if ((useFactory ?? useClass ?? useExisting) === undefined) {
      throw new ConfigurationError('AudioModule.forRootAsync() needs `useFactory`, `useClass` or `useExisting`')
    }
    return super.forRootAsync(options)
  }
}
