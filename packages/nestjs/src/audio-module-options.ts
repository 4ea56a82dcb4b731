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

/** What a module must know before any factory has run. */
export interface AudioModuleExtras {
  /** Whether every module sees the client without importing this one. @default false */
  readonly isGlobal?: boolean
  /** Name of the client, for more than one of them. @default the client without a name */
  readonly name?: string | undefined
}

/** What `useClass` and `useExisting` name. */
export interface AudioModuleOptionsFactory {
  createAudioOptions(): AudioModuleOptions | Promise<AudioModuleOptions>
}

/** Options of `AudioModule.forRootAsync()`: one of `useFactory`, `useClass`, `useExisting`, and what they need. */
export interface AudioModuleAsyncOptions
  extends ConfigurableModuleAsyncOptions<AudioModuleOptions, 'createAudioOptions'>, AudioModuleExtras {
  /** Providers for the factory alone, beside those of `imports`. */
  readonly extraProviders?: readonly Provider[]
}

type AllExtras = AudioModuleExtras & Pick<AudioModuleAsyncOptions, 'extraProviders'>

const OPTIONS = Symbol.for('svc-audio.module-options')

/** What Nest's own builder makes of the options: the class that `AudioModule` extends. */
export const ConfigurableAudioModule: ConfigurableModuleCls<
  AudioModuleOptions,
  'forRoot',
  'createAudioOptions',
  AllExtras
> = new ConfigurableModuleBuilder<AudioModuleOptions>({ optionsInjectionToken: OPTIONS })
  .setClassMethodName('forRoot')
  .setFactoryMethodName('createAudioOptions')
  // Every extra stands here, also without a value: the builder takes what does not for an option of the client.
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
  // The alias follows a test that overrides the client.
  return shared === token ? [client] : [client, { provide: shared, useExisting: token }]
}

function defaultsProvider(name: string | undefined): Provider {
  return {
    provide: uploadDefaultsToken(name),
    useFactory: ({ uploads = {} }: AudioModuleOptions) => checkUploadDefaults(uploads),
    inject: [OPTIONS],
  }
}
