import { type DynamicModule, Module } from '@nestjs/common'
import {
  type AudioModuleAsyncOptions,
  type AudioModuleExtras,
  type AudioModuleOptions,
  ConfigurableAudioModule,
} from './audio-module-options.ts'

/**
 * Gives an application its `AudioClient`, and closes it when the application has shut down. Import it more than once,
 * with a `name` each, for more than one client.
 *
 * @example
 * imports: [AudioModule.forRoot({ apiKey, baseUrl: 'http://127.0.0.1:8787', isGlobal: true })]
 */
@Module({})
export class AudioModule extends ConfigurableAudioModule {
  /**
   * With options at hand, or none: then `SVC_AUDIO_API_KEY` and `SVC_AUDIO_BASE_URL` count. The application does not
   * start, with a `ConfigurationError`, when they are wrong.
   */
  static override forRoot(options: AudioModuleOptions & AudioModuleExtras = {}): DynamicModule {
    return super.forRoot(options)
  }

  /** With options that other providers know. */
  static override forRootAsync(options: AudioModuleAsyncOptions): DynamicModule {
    return super.forRootAsync(options)
  }
}
