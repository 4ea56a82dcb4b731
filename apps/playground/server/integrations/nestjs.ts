import { Body, Controller, Module, Post, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import type { AudioClient } from '@svc-audio/core'
// #region shown
import { AudioModule, InjectAudioClient, speechFile, TranscribeInterceptor, Transcription } from '@svc-audio/nestjs'
// #endregion
import { roundTrip } from '../support/round-trip.ts'
import type { IntegrationContext, IntegrationOutcome } from './integration.ts'

/** Runs a Nest application over HTTP, on its default platform, Express. */
export async function run(context: IntegrationContext): Promise<IntegrationOutcome> {
  const { text, voice_id, apiKey, baseUrl, signal } = context
  const voice = { model: 'svc-tts-1.5-flash', voice_id, response_format: 'wav' } as const
  // #region shown
  @Controller()
  class AudioController {
    constructor(@InjectAudioClient() private readonly audio: AudioClient) {}

    @Post('speak')
    speak(@Body('text') input: string) {
      return speechFile(() => this.audio.speech.create({ ...voice, input }))
    }

    @Post('transcribe')
    @UseInterceptors(TranscribeInterceptor({ model: 'svc-transcribe-1.0' }))
    transcribe(@Transcription() heard: Transcription) {
      return heard
    }
  }

  const audio = AudioModule.forRoot({ apiKey, baseUrl })
  @Module({ imports: [audio], controllers: [AudioController] })
  class AppModule {}
  // #endregion
  const app = await NestFactory.create(AppModule, { logger: false, forceCloseConnections: true })
  try {
    await app.listen(0, '127.0.0.1')
    return await roundTrip(await app.getUrl(), text, signal)
  } finally {
    await app.close()
  }
}
