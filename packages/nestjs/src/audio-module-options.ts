import { type ConfigurableModuleAsyncOptions, ConfigurableModuleBuilder, type Provider } from '@nestjs/common'
import type { ConfigurableModuleCls } from '@nestjs/common'
import type { AudioClientOptions } from '@svc-audio/core'
import { ClientLifecycle } from './client-lifecycle.ts'
import { getAudioClientToken } from './client-token.ts'

/** Options of the client: `apiKey`, `baseUrl`, `timeout`, `transport`. */
export type AudioModuleOptions = AudioClientOptions

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
    const token = getAudioClientToken(name)
    const client: Provider = {
      provide: token,
      useFactory: (lifecycle: ClientLifecycle, options: AudioModuleOptions) => lifecycle.open(options),
      inject: [ClientLifecycle, OPTIONS],
    }
    const providers = [...(definition.providers ?? []), ...extraProviders, ClientLifecycle, client]
    return { ...definition, global: isGlobal, providers, exports: [token] }
  })
  .build().ConfigurableModuleClass
