// A Nest app that speaks what it is asked to and writes down what is uploaded to it.
import 'reflect-metadata'
import { Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { type AudioClient, WavMeter } from '@svc-audio/core'
import * as svc from '@svc-audio/nestjs'
import { wordErrorRate } from '@svc-audio/testing'
import type { ExampleContext, ExampleOutcome } from './run.ts'

const TEXT = 'We will meet at the old bridge tomorrow morning.'

class SpeechController {
  declare readonly audio: AudioClient
  // Audio flows out while the service makes it.
  speak(input: string) {
    const body = { model: 'svc-tts-1.5-flash', input, voice_id: 'rms', response_format: 'wav' }
    return svc.speechFile(this.audio.speech.create(body))
  }
  // The upload has flowed through to the service by now: no temporary file, no buffer.
  transcribe({ text }: svc.Transcription) {
    return text
  }
}

// Node runs this file as it is and knows no decorators, so they are called. Yours stand where they belong, with an @:
// `@Post('transcribe') @UseInterceptors(...) transcribe(@Transcription() { text }: Transcription) {}`
const { prototype } = SpeechController
const decorate = (name: 'speak' | 'transcribe', ...decorators: MethodDecorator[]) =>
  Reflect.decorate(decorators, prototype, name, Object.getOwnPropertyDescriptor(prototype, name))
Reflect.decorate([Controller()], SpeechController)
svc.InjectAudioClient()(prototype, 'audio')
decorate('speak', Get('speak'))
Query('text')(prototype, 'speak', 0)
decorate('transcribe', Post('transcribe'), UseInterceptors(svc.TranscribeInterceptor({ model: 'svc-transcribe-1.0' })))
svc.Transcription()(prototype, 'transcribe', 0)

/** Has a sentence spoken and uploads the audio again, both over HTTP as a browser would. */
export async function run({ baseUrl, apiKey }: ExampleContext): Promise<ExampleOutcome> {
  // The module makes the client, and closes it with the app. Yours would be one of the `imports` of your app's own.
  const root = { ...svc.AudioModule.forRoot({ apiKey, baseUrl }), controllers: [SpeechController] }
  const app = await NestFactory.create(root, { logger: ['error'], forceCloseConnections: true })
  // Refused uploads and a failing service become answers in this app's own words.
  app.useGlobalFilters(new svc.AudioExceptionFilter())
  await app.listen(0, '127.0.0.1')
  try {
    const url = await app.getUrl()
    const audio = await (await fetch(`${url}/speak?text=${encodeURIComponent(TEXT)}`)).bytes()
    const meter = new WavMeter()
    meter.add(audio)
    const form = new FormData()
    form.set('file', new Blob([audio], { type: 'audio/wav' }), 'bridge.wav')
    const heard = await fetch(`${url}/transcribe`, { method: 'POST', body: form })
    const transcript = await heard.text()
    const { durationSeconds: audioSeconds = 0 } = meter
    const summary = 'spoken and uploaded through a Nest app'
    return { audioSeconds, transcript, wordErrorRate: wordErrorRate(TEXT, transcript), summary }
  } finally {
    await app.close()
  }
}
