import { Controller, Get, Injectable } from '@nestjs/common'
import { Test } from '@nestjs/testing'
import { AudioClient, TaskFailedError } from '@svc-audio/core'
import { status, wavFile } from '@svc-audio/testing'
import { expect, test } from 'vitest'
import { InjectAudioClient, speechFile } from '../src/index.ts'
import { AudioTestingModule, AudioUpstream } from '../src/testing/index.ts'

@Injectable()
class Notes {
  constructor(
    private readonly audio: AudioClient,
    @InjectAudioClient('good') private readonly good: AudioClient,
  ) {}

  async text(file: Uint8Array): Promise<string> {
    return (await this.audio.transcriptions.create({ model: 'svc-transcribe-1.0', file })).text
  }

  async models(): Promise<number> {
    return (await this.good.models.list()).data.length
  }
}

@Controller()
class Routes {
  constructor(private readonly audio: AudioClient) {}

  @Get()
  speak() {
    return speechFile(this.audio.speech.create({ model: 'svc-tts-1.5-flash', voice_id: 'rms', input: 'Hello' }))
  }
}

test('an app runs against a scripted upstream with all of its named clients', async () => {
  const made = await Test.createTestingModule({
    imports: [AudioTestingModule.forRoot({ transcript: 'hello', names: ['good'] })],
    providers: [Notes],
    controllers: [Routes],
  }).compile()
  const { upstream } = made.get(AudioUpstream)
  expect(await made.get(Notes).text(new Uint8Array(10))).toBe('hello')
  expect(await made.get(Notes).models()).toBeGreaterThan(0)
  expect(upstream.requests).toHaveLength(2)
  upstream.next('*', status(503))
  await expect(made.get(Notes).text(new Uint8Array(10))).rejects.toMatchObject({ name: 'ApiError', status: 503 })
  upstream.nextTask({ error: { code: 'unsupported', message: 'no audio' } })
  const task = await made
    .get(AudioClient)
    .transcriptions.createTask({ model: 'svc-transcribe-1.0', file: wavFile(100) })
  await expect(task.wait()).rejects.toBeInstanceOf(TaskFailedError)
  await made.close()
  expect(upstream.connections).toBe(0)
})
