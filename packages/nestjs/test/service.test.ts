import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Controller, Get, Post, Query, UseInterceptors } from '@nestjs/common'
import type { AudioClient } from '@svc-audio/core'
import { type RunningService, startService } from '@svc-audio/service'
import { uploadForm, wavFile, wordErrorRate } from '@svc-audio/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import {
  AudioModule,
  DisconnectSignal,
  InjectAudioClient,
  type ReceivedUpload,
  speechFile,
  TranscribeUploadInterceptor,
  Transcription,
  Upload,
} from '../src/index.ts'
import { PLATFORMS, post, startApp, type TestApp } from './support/app.ts'

const KEY = 'nest-test-key-0123456789'
const SAID = 'He opened the door and walked into the room with a letter in his hand.'

let folder: string
let service: RunningService
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nestjs-'))
  service = await startService({ dataDir: folder, port: 0, apiKeys: new Map([[KEY, 'tests']]), logLevel: 'silent' })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  app = undefined
})

@Controller()
class Routes {
  readonly #audio: AudioClient

  constructor(@InjectAudioClient() audio: AudioClient) {
    this.#audio = audio
  }

  @Get('speak')
  speak(
    @Query('text') input: string,
    @Query('voice') voice_id: string,
    @Query('format') response_format: string,
    @DisconnectSignal() signal: AbortSignal,
  ) {
    return speechFile(
      this.#audio.speech.create({ model: 'svc-tts-1.5-flash', input, voice_id, response_format }, { signal }),
    )
  }

  @Post('transcribe')
  @UseInterceptors(TranscribeUploadInterceptor({ model: 'svc-transcribe-1.0', client: 'ears' }))
  transcribe(@Transcription() { text }: Transcription, @Upload() { bytes }: ReceivedUpload): object {
    return { text, bytes }
  }
}

describe.each(PLATFORMS)('on %s, with the real service', (platform) => {
  async function start(apiKey = KEY): Promise<(query: Record<string, string>) => Promise<Response>> {
    const options = { apiKey, baseUrl: service.url }
    const imports = [AudioModule.forRoot(options), AudioModule.forRoot({ ...options, name: 'ears' })]
    const { url } = (app = await startApp(platform, { imports, controllers: [Routes] }))
    return (query) =>
      fetch(`${url}/speak?${String(new URLSearchParams({ text: SAID, voice: 'rms', format: 'wav', ...query }))}`)
  }

  test('spoken text is recognized again', async () => {
    const say = await start()
    const spoken = await say({})
    expect(spoken.status).toBe(200)
    expect(spoken.headers.get('content-type')).toBe('audio/wav')
    const audio = await spoken.bytes()
    expect(Number(spoken.headers.get('content-length') ?? audio.byteLength)).toBe(audio.byteLength)
    const { status, body } = await post(`${app?.url}/transcribe`, uploadForm(audio))
    expect(status).toBe(201)
    const { text, bytes } = body as { text: string; bytes: number }
    expect(bytes).toBe(audio.byteLength)
    expect(wordErrorRate(SAID, text)).toBeLessThanOrEqual(0.15)
  })

  test('another format has its own type', async () => {
    const spoken = await (await start())({ text: 'Hello.', format: 'mp3' })
    expect(spoken.headers.get('content-type')).toBe('audio/mpeg')
    expect((await spoken.bytes()).byteLength).toBeGreaterThan(1000)
  })

  test('an unknown voice is 502, and a file that cannot be decoded is 415', async () => {
    const say = await start()
    expect((await say({ voice: 'nobody' })).status).toBe(502)
    // Only a header: it has the signature of WAV, and cannot be decoded.
    const { status, body } = await post(`${app?.url}/transcribe`, uploadForm(wavFile(0).subarray(0, 20)))
    expect(status).toBe(415)
    expect(body).toMatchObject({ errorCode: 'undecodable_audio' })
  })

  test('a refused key is 502 and does not appear in the response', async () => {
    const say = await start('sk-unknown-key')
    const spoken = await say({})
    expect(spoken.status).toBe(502)
    expect(await spoken.text()).not.toContain('sk-unknown-key')
    expect((await post(`${app?.url}/transcribe`, uploadForm(wavFile(32_000)))).status).toBe(502)
  })
})
