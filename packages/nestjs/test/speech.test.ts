import { request } from 'node:http'
import { Controller, Get, Header, Query } from '@nestjs/common'
import type { AudioClient } from '@svc-audio/core'
import { afterEach, describe, expect, test } from 'vitest'
import { AudioModule, DisconnectSignal, InjectAudioClient, speechFile } from '../src/index.ts'
import { KEY, PLATFORMS, startApp, type TestApp } from './support/app.ts'
import { fails, startUpstream, type Upstream, type UpstreamCall } from './support/upstream.ts'

let upstream: Upstream | undefined
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

  @Get('download')
  @Header('content-type', 'audio/x-route')
  async download(@Query('text') input: string) {
    const audio = await this.#audio.speech.create({ ...VOICE, input })
    return speechFile(audio, { disposition: 'attachment; filename="speech.wav"' })
  }
}

const speaks = async (call: UpstreamCall): Promise<void> => {
  await call.body()
  call.response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '10' }).end('RIFFspeech')
}

const begins = async (call: UpstreamCall): Promise<void> => {
  await call.body()
  call.response.writeHead(200, { 'content-type': 'audio/mpeg' }).write('first')
}

describe.each(PLATFORMS)('on %s', (platform) => {
  async function start(answer: (call: UpstreamCall) => void | Promise<void>) {
    upstream = await startUpstream(answer)
    const imports = [AudioModule.forRoot({ apiKey: KEY, baseUrl: upstream.url })]
    const running = await startApp(platform, { imports, controllers: [Routes] })
    app = running
    return {
      app: running,
      upstream,
      say: (text = 'Hello', init: RequestInit = {}, route = 'speak') =>
        fetch(`${running.url}/${route}?text=${encodeURIComponent(text)}`, init),
    }
  }

  test('the text is spoken with the right type and length', async () => {
    let sent: unknown
    const { say } = await start(async (call) => {
      sent = JSON.parse((await call.body()).toString())
      await speaks(call)
    })
    const response = await say('Guten Tag')
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('audio/wav')
    expect(response.headers.get('content-length')).toBe('10')
    expect(response.headers.has('content-disposition')).toBe(false)
    expect(await response.text()).toBe('RIFFspeech')
    expect(sent).toEqual({ ...VOICE, input: 'Guten Tag' })
  })

  test('without a known length it is sent chunked, and the route may say how it is shown', async () => {
    const { say } = await start(async (call) => {
      await begins(call)
      call.response.end('last')
    })
    const response = await say('Hello', {}, 'download')
    expect(response.headers.has('content-length')).toBe(false)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="speech.wav"')
    expect(response.headers.get('content-type')).toContain('audio/x-route')
    expect(await response.text()).toBe('firstlast')
  })

  test('audio is sent on while the service still makes it', async () => {
    const { say, upstream: service } = await start(begins)
    const reader = (await say()).body?.getReader()
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('first')
    ;(await service.next()).response.end('last')
    expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toBe('last')
    expect((await reader?.read())?.done).toBe(true)
  })

  test('no text is 400 without a call to the service, also where the route has set another type', async () => {
    let calls = 0
    const { say } = await start(async (call) => {
      calls += 1
      await speaks(call)
    })
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
    expect(calls).toBe(0)
  })

  describe('a service that fails', () => {
    test.each([
      [401, 502],
      [404, 502],
      [429, 429],
      [500, 502],
    ])('its %i before any audio becomes %i in our own words', async (theirs, ours) => {
      const { say } = await start(fails(theirs, `sekret ${KEY}`))
      const response = await say()
      expect(response.status).toBe(ours)
      expect(response.headers.get('retry-after')).toBe('7')
      expect(await response.text()).not.toContain('sekret')
    })

    test('a cut before any audio is a 502', async () => {
      const { say } = await start(async (call) => {
        await call.body()
        call.response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': '100' }).flushHeaders()
        call.response.destroy()
      })
      expect((await say()).status).toBe(502)
    })

    test('a page instead of audio is a 502, and the page stays inside', async () => {
      const { say } = await start(async (call) => {
        await call.body()
        call.response.setHeader('content-type', 'image/svg+xml').end('<svg><script>alert(1)</script></svg>')
      })
      const response = await say()
      expect(response.status).toBe(502)
      expect(await response.text()).not.toContain('script')
    })

    test('a cut after audio cuts the connection to the client, and is logged once', async () => {
      const { say, app: running, upstream: service } = await start(begins)
      const response = await say()
      expect(response.status).toBe(200)
      const reading = response.text()
      ;(await service.next()).response.destroy()
      await expect(reading).rejects.toBeInstanceOf(TypeError)
      expect(running.log).toHaveLength(1)
      expect(running.log.join()).toContain('The audio broke off')
    })
  })

  describe('a client that leaves', () => {
    test('before any audio aborts the call to the service', async () => {
      let silent = true
      const { say, app: running, upstream: service } = await start((call) => (silent ? undefined : speaks(call)))
      const leaving = new AbortController()
      const left = say('Hello', { signal: leaving.signal }).catch(() => 'left')
      const call = await service.next()
      await call.body()
      leaving.abort()
      await call.left
      expect(await left).toBe('left')
      silent = false
      expect((await say()).status).toBe(200)
      expect(running.log).toEqual([])
    })

    test.each(['speak', 'download'])(
      'in mid-audio aborts the call to the service, with or without a signal (%s)',
      async (route) => {
        const { say, app: running, upstream: service } = await start(begins)
        // More than one, since one that crashes the app would take the others with it.
        for (let client = 0; client < 5; client += 1) {
          const leaving = new AbortController()
          await say('Hello', { signal: leaving.signal }, route)
          const call = await service.next()
          leaving.abort()
          await call.left
        }
        expect(running.log).toEqual([])
      },
    )

    test('while the service is held back, since it takes slowly, aborts it too', async () => {
      const { say, upstream: service } = await start(async (call) => {
        await call.body()
        const { response } = call
        response.writeHead(200, { 'content-type': 'audio/wav' })
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(256 * 1024)));
        }
        response.on('drain', more)
        more()
      })
      const leaving = new AbortController()
      const reading = await say('Hello', { signal: leaving.signal })
      const call = await service.next()
      leaving.abort()
      await call.left
      await expect(reading.arrayBuffer()).rejects.toThrow('aborted')
    })

    test('one that asks for the headers alone gets them, and the rest is not made', async () => {
      const { app: running, upstream: service } = await start(begins)
      const status = await new Promise((resolve, reject) => {
        request(`${running.url}/speak?text=Hello`, { method: 'HEAD' }, (response) => {
          resolve(response.resume().statusCode)
        })
          .on('error', reject)
          .end()
      })
      expect(status).toBe(200)
      await (
        await service.next()
      ).left
    })
  })
})
