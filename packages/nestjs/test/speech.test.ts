import { Controller, Get, Header, Query } from '@nestjs/common'
import type { AudioClient } from '@svc-audio/core'
import {
  type ScriptedResponse,
  audioBytes,
  createTestUpstream,
  cut,
  hold,
  stall,
  status,
  type TestUpstream,
} from '@svc-audio/testing'
import { afterEach, describe, expect, test } from 'vitest'
import { AudioModule, DisconnectSignal, InjectAudioClient, speechFile } from '../src/index.ts'
import { KEY, PLATFORMS, startApp, type TestApp } from './support/app.ts'

let upstream: TestUpstream | undefined
let app: TestApp | undefined
afterEach(async () => {
  await app?.close()
  await upstream?.close()
  app = undefined
})

const VOICE = { model: 'svc-tts-1.5-flash', voice_id: 'rms' }

@Controller()
class Routes {
  readonly #audio: AudioClient

  constructor(@InjectAudioClient() audio: AudioClient) {
    this.#audio = audio
  }

  @Get('speak')
  speak(@Query('text') input: string, @DisconnectSignal() signal: AbortSignal) {
    return speechFile(this.#audio.speech.create({ ...VOICE, input }, { signal }))
  }

  @Get('lazy')
  lazy(@Query('text') input: string, @DisconnectSignal() signal: AbortSignal) {
    return speechFile(() => this.#audio.speech.create({ ...VOICE, input }, { signal }))
  }

  @Get('download')
  @Header('content-type', 'audio/x-route')
  async download(@Query('text') input: string) {
    const audio = await this.#audio.speech.create({ ...VOICE, input })
    return speechFile(audio, { disposition: 'attachment; filename="speech.wav"' })
  }
}

const speaks = audioBytes(Buffer.from('RIFFspeech'))

/** Speech without a content length. */
const unsized = (...pieces: readonly string[]): ScriptedResponse => ({
  headers: { 'content-type': 'audio/mpeg' },
  body: pieces.map((piece) => Buffer.from(piece)),
})

const begins = stall({ afterBytes: 5 }, unsized('first'))

describe.each(PLATFORMS)('on %s', (platform) => {
  async function start(response: ScriptedResponse = speaks) {
    upstream = (await createTestUpstream({ apiKey: KEY })).on('*', response)
    // The client would retry a text, and wait for the service's Retry-After.
    const imports = [AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url, maxRetries: 0 })]
    const running = await startApp(platform, { imports, controllers: [Routes] })
    app = running
    return {
      app: running,
      upstream,
      say: (text = 'Hello', init: RequestInit = {}, route = 'speak') =>
        fetch(`${running.url}/${route}?text=${encodeURIComponent(text)}`, init),
    }
  }

  test('the response has the type and length of the audio', async () => {
    const { say, upstream: service } = await start()
    const response = await say('Guten Tag')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('audio/wav')
    expect(response.headers.get('content-length')).toBe('10')
    expect(response.headers.has('content-disposition')).toBe(false)
    expect(response.headers.get('cache-control')).toBe('no-store, no-transform')
    expect(response.headers.get('x-accel-buffering')).toBe('no')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toBe('RIFFspeech')
    expect(service.requests).toMatchObject([{ authorized: true }])
    expect(service.requests[0]?.json).toEqual({ ...VOICE, input: 'Guten Tag' })
  })

  test('HEAD does not run a function that makes the call, and GET does', async () => {
    const { say, upstream: service } = await start()
    const response = await say('Hello', { method: 'HEAD' }, 'lazy')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, null])
    expect(service.requests).toEqual([])
    const played = await say('Hello', {}, 'lazy')
    expect(played.headers.get('content-type')).toBe('audio/wav')
    expect(await played.text()).toBe('RIFFspeech')
    expect(service.requests).toHaveLength(1)
  })

  test('audio without a known length is chunked, and the route may set the disposition', async () => {
    const { say } = await start(unsized('first', 'last'))
    const response = await say('Hello', {}, 'download')
    expect(response.headers.has('content-length')).toBe(false)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="speech.wav"')
    expect(response.headers.get('content-type')).toContain('audio/x-route')
    expect(await response.text()).toBe('firstlast')
  })

  test('audio is sent while the service synthesizes it', async () => {
    const rest = stall({ afterBytes: 5 }, unsized('first', 'last'))
    const { say } = await start(rest)
    const reader = (await say()).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    rest.release()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last')
    expect((await reader?.read())?.done).toBe(true)
  })

  test('an empty text is 400 without a call to the service, also after the route has set a type', async () => {
    const { say, upstream: service } = await start()
    for (const route of ['speak', 'download']) {
      const response = await say(' ', {}, route)
      expect(response.status).toBe(400)
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      expect(await response.json()).toEqual({
        statusCode: 400,
        errorCode: 'content_refused',
        message: 'The audio service cannot use this content',
      })
    }
    expect(service.requests).toEqual([])
  })

  describe('a service that fails', () => {
    test.each([
      [401, 502],
      [404, 502],
      [429, 429],
      [500, 502],
    ])('its %i before any audio becomes %i in our own words', async (theirs, ours) => {
      const words = `sekret ${KEY}`
      const error = { code: words, message: words }
      const { say } = await start(status(theirs, { headers: { 'retry-after': '7' }, error }))
      const response = await say()
      expect(response.status).toBe(ours)
      expect(response.headers.get('retry-after')).toBe('7')
      expect(await response.text()).not.toContain('sekret')
    })

    test('a stream cut before any audio is 502', async () => {
      const { say } = await start(cut())
      expect((await say()).status).toBe(502)
    })

    test('a page instead of audio is 502, without the page', async () => {
      const { say } = await start(audioBytes(Buffer.from('<svg><script>alert(1)</script></svg>'), 'image/svg+xml'))
      const response = await say()
      expect(response.status).toBe(502)
      expect(await response.text()).not.toContain('script')
    })

    test('a stream cut after audio closes the connection to the client, and is logged once', async () => {
      const { say, app: running, upstream: service } = await start(begins)
      const response = await say()
      expect(response.status).toBe(200)
      const reading = response.text()
      ;(await service.waitForRequest()).cut()
      await expect(reading).rejects.toBeInstanceOf(TypeError)
      expect(running.log).toHaveLength(1)
      expect(running.log.join()).toContain('The audio is incomplete')
    })
  })

  describe('a disconnect', () => {
    test('before any audio aborts the call to the service', async () => {
      const { say, app: running, upstream: service } = await start()
      service.next('*', hold())
      const leaving = new AbortController()
      const left = say('Hello', { signal: leaving.signal }).catch(() => 'left')
      const request = await service.waitForRequest()
      await request.received()
      leaving.abort()
      expect(await request.closed()).toBe('closedByClient')
      expect(await left).toBe('left')
      expect((await say()).status).toBe(200)
      expect(running.log).toEqual([])
    })

    test.each(['speak', 'download'])(
      'during the audio aborts the call to the service, with or without a signal (%s)',
      async (route) => {
        const { say, app: running, upstream: service } = await start(begins)
        // Several requests: a crash of the app would fail the others.
        for (let client = 0; client < 5; client += 1) {
          const leaving = new AbortController()
          await say('Hello', { signal: leaving.signal }, route)
          const request = await service.waitForRequest()
          leaving.abort()
          expect(await request.closed()).toBe('closedByClient')
        }
        expect(running.log).toEqual([])
      },
    )

    test('of a slow reader, while the service is paused, aborts the call too', async () => {
      const endless = function* make(): Generator<Buffer> {
        for (;;) yield Buffer.alloc(256 * 1024)
      }
      const speech = { headers: { 'content-type': 'audio/wav' }, body: endless() }
      const { say, upstream: service } = await start(speech)
      const leaving = new AbortController()
      const reading = await say('Hello', { signal: leaving.signal })
      const call = await service.waitForRequest()
      leaving.abort()
      expect(await call.closed()).toBe('closedByClient')
      await expect(reading.arrayBuffer()).rejects.toThrow('aborted')
    })

    test('after the headers of HEAD aborts the call', async () => {
      const { say, upstream: service } = await start(begins)
      expect((await say('Hello', { method: 'HEAD' })).status).toBe(200)
      const call = await service.waitForRequest()
      expect(await call.closed()).toBe('closedByClient')
    })
  })
})
