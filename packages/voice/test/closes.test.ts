import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type VoiceLimits, type VoiceRequest, VoiceServer } from '../src/index.ts'
import { AUDIO, FORMAT, listen, serveVoice, talk, type Talker } from './support/talk.ts'

const START = { type: 'start', protocol: 1, format: FORMAT }

describe('a message that the protocol does not have ends the connection', () => {
  test.each<[reason: string, message: string | object]>([
    ['The text is not JSON', 'hello'],
    ['The text is not a JSON object', 'null'],
    ['`type` must be start, played, settings or alive', { type: 'stop' }],
    ['`protocol` must be 1', { ...START, protocol: 2 }],
    ['`format.sampleRate` must be an integer from 8000 to 48000', { ...START, format: { ...FORMAT, sampleRate: 1 } }],
    ['`format.channels` must be 1', { ...START, format: { ...FORMAT, channels: 2 } }],
    ['`format.bitDepth` must be 16', { ...START, format: { ...FORMAT, bitDepth: 8 } }],
    ['`token` must be a string of at most 8192 characters', { ...START, token: 7 }],
    ['`session` must be a string of at most 64 characters', { ...START, session: 'x'.repeat(65) }],
    ['`locale` must be a language tag such as de-AT', { ...START, locale: 'not a tag' }],
    ['`voice` must be a string of 1 to 256 characters', { type: 'settings', voice: '' }],
    ['`turn` must be a non-negative integer', { type: 'played', turn: -1, seconds: 0 }],
    ['`seconds` must be a non-negative number', { type: 'played', turn: 0, seconds: null }],
  ])('%s', async (reason, message) => {
    const { url } = await serveVoice({ converse: listen })
    const { socket, closed } = await talk(url)
    socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    expect(await closed()).toEqual({ code: 4400, reason })
  })

  test('audio before ready', async () => {
    const { url } = await serveVoice({ converse: listen })
    const { socket, closed } = await talk(url)
    socket.send(AUDIO)
    expect(await closed()).toEqual({ code: 4400, reason: 'Audio comes after `ready`' })
  })

  test('a second start', async () => {
    const { url } = await serveVoice({ converse: listen })
    const talker = await talk(url)
    await talker.start()
    talker.socket.send(JSON.stringify(START))
    expect(await talker.closed()).toEqual({ code: 4400, reason: '`start` comes once' })
  })
})

describe('limits', () => {
  const start = async (url: string): Promise<Talker> => {
    const talker = await talk(url)
    await talker.start()
    return talker
  }

  test('audio that comes faster than it can be spoken ends the connection', async () => {
    const { url } = await serveVoice({ converse: listen, limits: { aheadSeconds: 1 } })
    const talker = await start(url)
    for (let index = 0; index < 12; index += 1) talker.socket.send(AUDIO)
    expect(await talker.closed()).toMatchObject({ code: 4429 })
  })

  test('a frame over the limit ends the connection', async () => {
    const { url } = await serveVoice({ converse: listen, limits: { frameBytes: 2048 } })
    const talker = await start(url)
    talker.socket.send(new Uint8Array(2049))
    // The package `ws` refuses it before it is read.
    expect(await talker.closed()).toMatchObject({ code: 1009 })
  })

  test('a text over the limit ends the connection', async () => {
    const { url } = await serveVoice({ converse: listen })
    const talker = await start(url)
    talker.socket.send(' '.repeat(20_000))
    expect(await talker.closed()).toMatchObject({ code: 4413 })
  })

  describe('of time', () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
    afterEach(() => void vi.useRealTimers())

    /** A connection that has begun, without a network, and the codes that it was closed with. */
    async function begun(limits: Partial<VoiceLimits>) {
      const codes: number[] = []
      const socket = { send: vi.fn<() => void>(), bufferedAmount: 0, close: (code: number) => void codes.push(code) }
      const connection = new VoiceServer({ converse: listen, limits }).accept(socket, {
        url: '/',
        headers: new Headers(),
      })
      connection.receive(JSON.stringify(START))
      while (socket.send.mock.calls.length === 0) await turn()
      return { connection, codes }
    }

    test('a connection from which nothing comes ends, and alive keeps it', async () => {
      const { connection, codes } = await begun({ idleTimeout: 150 })
      for (let times = 0; times < 10; times += 1) {
        await vi.advanceTimersByTimeAsync(100)
        connection.receive('{"type":"alive"}')
      }
      expect(codes).toEqual([])
      await vi.advanceTimersByTimeAsync(150)
      expect(codes).toEqual([4408])
    })

    test('a session over its time ends', async () => {
      const { connection, codes } = await begun({ sessionTimeout: 500 })
      await vi.advanceTimersByTimeAsync(499)
      connection.receive('{"type":"alive"}')
      expect(codes).toEqual([])
      await vi.advanceTimersByTimeAsync(1)
      expect(codes).toEqual([4410])
    })
  })

  test('a client that does not start in time is refused', async () => {
    const { url } = await serveVoice({ converse: listen, limits: { startTimeout: 20 } })
    expect(await (await talk(url)).closed()).toMatchObject({ code: 4408 })
  })

  test('more connections than allowed are refused, until one ends', async () => {
    const { url, voice } = await serveVoice({ converse: listen, limits: { sessions: 1 } })
    const first = await start(url)
    expect(await (await talk(url)).closed()).toMatchObject({ code: 1013 })
    first.socket.close()
    await expect.poll(() => voice.connections).toBe(0)
    expect(await (await talk(url)).start()).toMatchObject({ type: 'ready' })
  })

  test('a client that does not read is closed before its messages fill the memory', async () => {
    const voice = new VoiceServer({
      limits: { bufferedBytes: 1024 },
      async *converse() {
        for (;;) yield { type: 'agent_chunk', ts: 0, text: 'a'.repeat(100) }
      },
    })
    let bufferedAmount = 0
    const { promise: code, resolve: close } = Promise.withResolvers<number>()
    const socket = {
      send: (data: string | Uint8Array) => void (bufferedAmount += data.length),
      get bufferedAmount() {
        return bufferedAmount
      },
      close,
    }
    voice.accept(socket, { url: '/', headers: new Headers() }).receive(JSON.stringify(START))
    expect(await code).toBe(4430)
    expect(bufferedAmount).toBeLessThan(2048)
  })
})

describe('who may connect', () => {
  test.each<[origin: string, origins: readonly string[] | undefined]>([
    ['https://evil.example', undefined],
    ['null', undefined],
    ['https://evil.example', ['https://good.example']],
    ['https://good.example.evil.example', ['https://good.example']],
  ])('a page of %s with the origins %j is closed with 4403', async (origin, origins) => {
    const { url } = await serveVoice({ converse: listen, ...(origins === undefined ? {} : { origins }) })
    const talker = await talk(url, { origin })
    expect(await talker.closed()).toMatchObject({ code: 4403 })
  })

  test('a page of an allowed origin may connect', async () => {
    const { url } = await serveVoice({ converse: listen, origins: ['https://good.example'] })
    const talker = await talk(url, { origin: 'https://good.example' })
    expect(await talker.start()).toMatchObject({ type: 'ready' })
  })

  test('a page of the same host may connect, and so may a program without an origin', async () => {
    const { url } = await serveVoice({ converse: listen })
    const same = await talk(url, { origin: url.replace('ws', 'http').replace('/voice', '') })
    expect(await same.start()).toMatchObject({ type: 'ready' })
    expect(await (await talk(url)).start()).toMatchObject({ type: 'ready' })
  })

  test('authenticate gets the request and the token, and refuses before the pipeline begins', async () => {
    const converse = vi.fn<typeof listen>(listen)
    const seen: unknown[] = []
    const authenticate = ({ url, headers }: VoiceRequest, token: string | undefined): undefined => {
      seen.push(url, headers.get('cookie'), token)
      return undefined
    }
    const { url } = await serveVoice({ converse, authenticate })
    const { socket, closed } = await talk(`${url}?room=3`, { cookie: 'a=1' })
    socket.send(JSON.stringify({ ...START, token: 'secret' }))
    expect(await closed()).toMatchObject({ code: 4401 })
    expect(seen).toEqual(['/voice?room=3', 'a=1', 'secret'])
    expect(converse).not.toHaveBeenCalled()
  })

  test('an authentication that fails is told to the log, and not to the client', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    const failure = new Error('the database is down')
    const { url } = await serveVoice({ converse: listen, onError, authenticate: () => Promise.reject(failure) })
    const { socket, closed } = await talk(url)
    socket.send(JSON.stringify(START))
    expect(await closed()).toEqual({ code: 4500, reason: 'The conversation failed. Connect again.' })
    expect(onError).toHaveBeenCalledExactlyOnceWith(failure)
  })

  test('a pipeline that fails ends the connection, and is told to the log', async () => {
    const onError = vi.fn<(error: unknown) => void>()
    const { url } = await serveVoice({
      onError,
      // oxlint-disable-next-line require-yield -- it fails first
      async *converse() {
        throw new Error('secret')
      },
    })
    const { socket, closed } = await talk(url)
    socket.send(JSON.stringify(START))
    expect(await closed()).toMatchObject({ code: 4500, reason: 'The conversation failed. Connect again.' })
    expect(onError).toHaveBeenCalledOnce()
  })
})
