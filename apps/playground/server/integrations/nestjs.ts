import { randomUUID } from 'node:crypto'
import { Body, ConsoleLogger, Controller, Inject, Injectable, Module, Post, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { AudioClient, Task } from '@svc-audio/core'
// #region shown
import { OnAudioTask, speechFile, TranscribeUploadInterceptor, Transcription } from '@svc-audio/nestjs'
// #endregion
import { AudioModule, AudioWebhooks, AudioWebhooksModule, InjectAudioClient } from '@svc-audio/nestjs'
import { callbackTrip, type IntegrationContext, type IntegrationOutcome, NO_CALLBACK, roundTrip } from './round-trip.ts'
import { freePort } from '../http.ts'

/** Runs a Nest application over HTTP, on its default platform, Express. */
export async function run(context: IntegrationContext): Promise<IntegrationOutcome> {
  const { text, voice_id, client, apiKey, baseUrl, callbacks, signal } = context
  const voice = { model: 'svc-tts-1.5-flash', voice_id, response_format: 'wav' } as const
  const { promise: finished, resolve } = Promise.withResolvers<string>()
  const port = await freePort()
  const hooks = { url: `http://127.0.0.1:${port}/hooks/audio`, secret: randomUUID() + randomUUID() }
  // #region shown
  @Controller()
  class AudioController {
    // #endregion
    constructor(
      @InjectAudioClient() private readonly audio: AudioClient,
      @Inject(AudioWebhooks) private readonly webhooks: AudioWebhooks,
    ) {}

    @Post('tasks')
    async create(@Body('text') input: string) {
      const { url: webhook_url } = await this.webhooks.createCallback()
      const task = await this.audio.speech.createTask({ ...voice, input, webhook_url })
      return task.creation
    }

    // #region shown
    @Post('speak')
    speak(@Body('text') input: string) {
      return speechFile(() => this.audio.speech.create({ ...voice, input }))
    }

    @Post('transcribe')
    @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0' }))
    transcribe(@Transcription() heard: Transcription) {
      return heard
    }
  }

  @Injectable()
  class FinishedTasks {
    @OnAudioTask('audio.speech')
    finished({ id }: Task) {
      resolve(id)
    }
  }
  // #endregion
  const imports = [AudioModule.forRoot({ apiKey, baseUrl, isGlobal: true }), AudioWebhooksModule.forRoot(hooks)]
  @Module({ imports, controllers: [AudioController], providers: [FinishedTasks] })
  class AppModule {}

  const log = new ErrorLines()
  const app = await NestFactory.create(AppModule, { logger: log, forceCloseConnections: true })
  try {
    await app.listen(port, '127.0.0.1')
    const running = { url: await app.getUrl(), log: log.lines }
    const outcome = await roundTrip(running, text, signal)
    const callback = callbacks ? await callbackTrip(running, text, { client, finished }, signal) : NO_CALLBACK
    return { ...outcome, steps: [...outcome.steps, callback] }
  } finally {
    await app.close()
  }
}

/** Collects the errors of an app. */
class ErrorLines extends ConsoleLogger {
  readonly lines: string[] = []

  constructor() {
    super({ logLevels: [] })
  }

  override error(message: unknown): void {
    this.lines.push(String(message))
  }
}
