import {
  type ConfigurableModuleAsyncOptions,
  ConfigurableModuleBuilder,
  type ConfigurableModuleCls,
  type Provider,
} from '@nestjs/common'
import { APP_INTERCEPTOR } from '@nestjs/core'
import type { AudioClientOptions } from '@svc-audio/core'
import { AudioResponseInterceptor } from './audio-response-interceptor.ts'
import { ClientLifecycle } from './client-lifecycle.ts'
import { getAudioClientToken, sharedClientToken, uploadDefaultsToken } from './client-token.ts'
import { type AudioUploadDefaults, checkUploadDefaults } from './upload-defaults.ts'

/** Options of the client, such as `apiKey`, `baseUrl`, `timeout` and `tracer`, and defaults for uploads. */
export interface AudioModuleOptions extends AudioClientOptions {
  /** Defaults of the upload interceptors that use this client. @default none */
  readonly uploads?: AudioUploadDefaults | undefined
}

/** Options that a module needs before a factory runs. */
export interface AudioModuleExtras {
  /** Whether every module can inject the client without an import. @default false */
  readonly isGlobal?: boolean
  /** Name of the client, for apps with several clients. @default the client without a name */
  readonly name?: string | undefined
}

/** A class for `useClass` and `useExisting`. */
export interface AudioModuleOptionsFactory {
  createAudioOptions(): AudioModuleOptions | Promise<AudioModuleOptions>
}

/** Options of `AudioModule.forRootAsync()`: one of `useFactory`, `useClass` and `useExisting`, with its dependencies. */
export interface AudioModuleAsyncOptions
  extends ConfigurableModuleAsyncOptions<AudioModuleOptions, 'createAudioOptions'>, AudioModuleExtras {
  /** Providers for the factory only, in addition to those of `imports`. */
  readonly extraProviders?: readonly Provider[]
}

type AllExtras = AudioModuleExtras & Pick<AudioModuleAsyncOptions, 'extraProviders'>

const OPTIONS = Symbol.for('svc-audio.module-options')

/** The class that Nest's builder makes from the options. `AudioModule` extends it. */
export const ConfigurableAudioModule: ConfigurableModuleCls<
  AudioModuleOptions,
  'forRoot',
  'createAudioOptions',
  AllExtras
> = new ConfigurableModuleBuilder<AudioModuleOptions>({ optionsInjectionToken: OPTIONS })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createAudioOptions')
  // Every extra is listed, also without a value. The builder treats all others as options of the client.
  .setExtras<AllExtras>({ isGlobal: false, name: undefined, extraProviders: [] }, (definition, extras) => {
    const { isGlobal = false, name, extraProviders = [] } = extras
    const own = [...clientProviders(name), defaultsProvider(name)]
    const providers = [...(definition.providers ?? []), ...extraProviders, ClientLifecycle, RESPONSES, ...own]
    const exports = [getAudioClientToken(name), sharedClientToken(name), uploadDefaultsToken(name)]
    return { ...definition, global: isGlobal, providers, exports: [...new Set(exports)] }
  })
  .build().ConfigurableModuleClass

/** Nest binds it to every route of the app. */
const RESPONSES: Provider = { provide: APP_INTERCEPTOR, useClass: AudioResponseInterceptor }

function clientProviders(name: string | undefined): Provider[] {
  const token = getAudioClientToken(name)
  const shared = sharedClientToken(name)
  const client: Provider = {
    provide: token,
    useFactory: (lifecycle: ClientLifecycle, { uploads: _uploads, ...options }: AudioModuleOptions) =>
      lifecycle.open(options),
    inject: [ClientLifecycle, OPTIONS],
  }
  // A test that overrides the client overrides the alias too.
  return shared === token ? [client] : [client, { provide: shared, useExisting: token }]
}

function defaultsProvider(name: string | undefined): Provider {
  return {
    provide: uploadDefaultsToken(name),
    useFactory: ({ uploads = {} }: AudioModuleOptions) => checkUploadDefaults(uploads),
    inject: [OPTIONS],
  }
}
