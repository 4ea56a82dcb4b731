import { type DynamicModule, Inject, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common'
import { createTestUpstream, type TestUpstream, type TestUpstreamOptions } from '@svc-audio/testing'
import { AudioModule } from '../audio-module.ts'

/** Options of {@link AudioTestingModule.forRoot}: those of the scripted upstream, and the names of clients. */
export interface AudioTestingOptions extends TestUpstreamOptions {
  /** Names of further clients, as the app injects them. @default none */
  readonly names?: readonly string[]
}

const UPSTREAM = Symbol.for('svc-audio.test-upstream')

/** The scripted upstream of a test: `app.get(AudioUpstream).upstream`. */
@Injectable()
export class AudioUpstream implements OnApplicationShutdown {
  /** Scripts answers and faults, and records requests. See `@svc-audio/testing`. */
  readonly upstream: TestUpstream

  constructor(@Inject(UPSTREAM) upstream: TestUpstream) {
    this.upstream = upstream
  }

  /** Ends after the clients, which the module of the upstream outlives. */
  async onApplicationShutdown(): Promise<void> {
    await this.upstream.close()
  }
}

@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
class AudioUpstreamModule {}

/**
 * Stands in for `AudioModule` in tests: the same clients, connected to a scripted upstream in this process. Nothing of the
 * client is mocked: requests, streams, tasks, retries and errors are real.
 *
 * @example
 * const module = await Test.createTestingModule({
 *   imports: [AudioTestingModule.forRoot({ transcript: 'hello' })],
 *   controllers: [UploadController],
 * }).compile()
 */
@Module({})
// oxlint-disable-next-line typescript/no-extraneous-class -- a Nest module is a class
export class AudioTestingModule {
  /** Every module of the test sees the clients and {@link AudioUpstream}. */
  static forRoot({ names = [], ...options }: AudioTestingOptions = {}): DynamicModule {
    const upstream: DynamicModule = {
      module: AudioUpstreamModule,
      providers: [{ provide: UPSTREAM, useFactory: () => createTestUpstream(options) }, AudioUpstream],
      exports: [AudioUpstream],
      global: true,
    }
    const clients = [undefined, ...names].map((name) =>
      AudioModule.forRootAsync({
        name,
        isGlobal: true,
        imports: [upstream],
        inject: [AudioUpstream],
        useFactory: ({ upstream: { apiKey, url } }: AudioUpstream) => ({ apiKey, baseUrl: url, maxRetries: 0 }),
      }),
    )
    return { module: AudioTestingModule, imports: [upstream, ...clients] }
  }
}
