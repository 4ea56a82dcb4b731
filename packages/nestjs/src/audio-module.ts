import { type DynamicModule, Module } from '@nestjs/common'
import { ConfigurationError } from '@svc-audio/core'
import {
  type AudioModuleAsyncOptions,
  type AudioModuleExtras,
  type AudioModuleOptions,
  ConfigurableAudioModule,
} from './audio-module-options.ts'

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
