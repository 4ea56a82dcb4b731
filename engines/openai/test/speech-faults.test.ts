import { EngineFailedError, EngineNotReadyError } from '@svc-audio/engine-ports'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { engines, type MoreKeys } from './engines.ts'
import {
  respondJson,
  RATE,
  type Script,
  type ScriptedUpstream,
  startUpstream,
  streamedWav,
  toneOf,
} from '@svc-audio/kit/engine-fixtures/openai-upstream.ts'

const SECRET_TEXT = 'Meet me at the old bridge.'

let upstream: ScriptedUpstream
beforeEach(async () => {
  upstream = await startUpstream()
})
afterEach(() => upstream.close())

/** The speech of a text, in bytes. */
async function speak(text = SECRET_TEXT, keys: MoreKeys = {}, request: object = {}): Promise<Buffer> {
  const engine = await engines(upstream, keys).speech()
  const { chunks } = await engine.synthesize({ text, voiceId: engine.voices[0]?.id ?? '', ...request })
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function failure(script: Script, keys: MoreKeys = {}): Promise<Error> {
  upstream.script = script
  const error: unknown = await speak(SECRET_TEXT, keys).catch((reason: unknown) => reason)
  if (error instanceof Error) return error
  throw new Error('The speech has no error')
}

test('a request beyond the minute is refused before it is sent, with the time of its turn', async () => {
  const engine = await engines(upstream, { requestsPerMinute: 1 }).speech()
  const say = async (): Promise<number> => {
    let bytes = 0
    const { chunks } = await engine.synthesize({ text: 'Hello.', voiceId: 'bella' })
    for await (const chunk of chunks) bytes += chunk.length
    return bytes
  }
  expect(await say()).toBeGreaterThan(0)
  const error: unknown = await say().catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(EngineNotReadyError)
  expect(error).toMatchObject({ message: 'kokoro has no request left in this minute (limit: 1)' })
  expect(upstream.received).toHaveLength(1)
})

describe('a response that is no speech', () => {
  const audio =
    (type: string, body: Buffer): Script =>
    (_request, response) => {
      response.writeHead(200, { 'content-type': type }).end(body)
      return true
    }

  test.each<[what: string, script: Script, message: RegExp]>([
    [
      'an HTML page of a proxy',
      audio('text/html', Buffer.from('<html>Login</html>')),
      /an HTML page where audio was expected: check baseUrl/,
    ],
    [
      'an HTML page with the type of audio',
      audio('audio/wav', Buffer.from('<!doctype html><html></html>')),
      /answered an HTML page/,
    ],
    [
      'JSON with 200',
      (_request, response) => respondJson(response, 200, { error: 'no' }),
      /application\/json where audio was expected/,
    ],
    [
      'MP3',
      audio('audio/mpeg', Buffer.from('ID3\x04 and more than twelve bytes')),
      /answered MP3 where wav was asked for: check speech\.format/,
    ],
    [
      'samples where a WAV was asked for',
      audio('audio/pcm', toneOf('one')),
      /answered no WAV: set speech\.format to pcm/,
    ],
    [
      'another sample rate',
      audio('audio/wav', streamedWav(toneOf('one'), 22_050)),
      /speaks at 22050 Hz, not 24000: set speech\.sampleRate to 22050/,
    ],
    [
      'half a sample',
      audio('audio/wav', Buffer.concat([streamedWav(toneOf('one')), Buffer.from([1])])),
      /half a sample at the end/,
    ],
    [
      'samples at another rate, as a header tells',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'audio/pcm', 'x-sample-rate': '22050' }).end(toneOf('one'))
        return true
      },
      /speaks at 22050 Hz, not 24000: set speech\.sampleRate to 22050/,
    ],
    [
      'samples at another rate, as their type tells',
      (_request, response) => {
        response.writeHead(200, { 'content-type': 'audio/L16; rate=16000' }).end(toneOf('one'))
        return true
      },
      /speaks at 16000 Hz, not 24000/,
    ],
    ['nothing', audio('audio/wav', Buffer.alloc(0)), /answered no audio/],
    ['a header alone', audio('audio/wav', streamedWav(Buffer.alloc(0))), /answered no audio/],
  ])('is an error that names it: %s', async (_what, script, message) => {
    const error = await failure(script)
    expect(error).toBeInstanceOf(EngineFailedError)
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('bridge')
    expect(upstream.received).toHaveLength(1)
  })

  test('is an error when it is cut in the middle', async () => {
    const error = await failure((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' })
      response.write(streamedWav(toneOf('one two three')), () => response.destroy())
      return true
    })
    expect(error.message).toMatch(/closed the connection before the end/)
    expect(upstream.received).toHaveLength(1)
  })

  test('is an error when it never ends', async () => {
    let open = true
    const error = await failure((_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' })
      response.write(streamedWav(Buffer.alloc(0)))
      const more = (): void => {
        if (open && !response.destroyed) response.write(Buffer.alloc(RATE * 20), () => setImmediate(more))
      }
      response.on('close', () => (open = false))
      more()
      return true
    })
    expect(error.message).toMatch(/does not end its response/)
  })

  test('is read to its end although the header has a wrong length', async () => {
    const pcm = toneOf('one two')
    upstream.script = audio('audio/wav', Buffer.concat([streamedWav(pcm).fill(0, 40, 44), Buffer.alloc(0)]))
    expect((await speak()).length).toBe(pcm.length)
    const short = streamedWav(pcm)
    short.writeUInt32LE(1000, 40)
    upstream.script = audio('audio/wav', short)
    expect((await speak()).length).toBe(pcm.length)
  })

  test('ends before the metadata behind its samples', async () => {
    const pcm = toneOf('one')
    const wav = streamedWav(pcm)
    wav.writeUInt32LE(pcm.length, 40)
    upstream.script = audio('audio/wav', Buffer.concat([wav, Buffer.from('LIST\x04\0\0\0INFO')]))
    expect((await speak()).length).toBe(pcm.length)
  })
})

describe('a refusal', () => {
  test.each<[what: string, status: number, body: unknown, message: RegExp]>([
    ['nested', 400, { error: { message: 'bad voice', code: 'x' } }, /kokoro answered 400: bad voice/],
    ['detail', 404, { detail: 'Not Found' }, /kokoro answered 404, check baseUrl and model: Not Found/],
    [
      'a list of details',
      422,
      { detail: [{ msg: 'speed is too high', input: SECRET_TEXT }] },
      /answered 422: speed is too high/,
    ],
    ['a message that repeats the text', 400, { message: `cannot say ${SECRET_TEXT}` }, /answered 400: cannot say …/],
  ])('is described from its shape: %s', async (_what, status, body, message) => {
    const error = await failure((_request, response) => respondJson(response, status, body))
    expect(error.message).toMatch(message)
    expect(error.message).not.toContain('bridge')
    expect(upstream.received).toHaveLength(1)
  })

  test('of a gateway that repeats the text hides it in its cause too', async () => {
    const error = await failure((_request, response) =>
      respondJson(response, 502, { error: { message: `cannot say ${SECRET_TEXT}` } }),
    )
    expect(error.message).toMatch(/answered 502: cannot say …/)
    expect(error.cause).toMatchObject({ status: 502 })
    expect(`${String(error.cause)} ${JSON.stringify(error.cause)}`).not.toContain('bridge')
  })

  test('in plain text is described too', async () => {
    const error = await failure((_request, response) => {
      response.writeHead(500, { 'content-type': 'text/plain' }).end('out of memory')
      return true
    })
    expect(error.message).toBe('kokoro answered 500: out of memory')
  })

  test.each([401, 402, 403])('of the key or the account is the operator’s: %i', async (status) => {
    const error = await failure(
      (_request, response) => respondJson(response, status, { error: { message: 'no: sk-secret' } }),
      {
        apiKeyVariable: 'KEY',
      },
    )
    expect(error).toBeInstanceOf(EngineNotReadyError)
    expect(error).toMatchObject({ retryAfterSeconds: 60 })
    expect(error.message).not.toContain('sk-secret')
    expect(upstream.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer sk-secret'])
  })

  test('for a moment is waited out, and nothing is spoken twice', async () => {
    upstream.script = (_request, response, count) =>
      count > 2 ? undefined : respondJson(response, count === 1 ? 429 : 503, {}, { 'retry-after': '0' })
    expect((await speak('One two.')).length).toBe(toneOf('One two.').length)
    expect(upstream.received).toHaveLength(3)
  })

  test('for longer tells when the engine may work', async () => {
    const error = await failure((_request, response) => respondJson(response, 429, {}, { 'retry-after': '90' }))
    expect(error).toBeInstanceOf(EngineNotReadyError)
    expect(error).toMatchObject({ retryAfterSeconds: 90 })
    expect(upstream.received).toHaveLength(1)
  })
})

test('a server that is not there is not ready', async () => {
  const gone = await startUpstream()
  await gone.close()
  const engine = await engines(gone, { retries: 0 }).speech()
  const { chunks } = await engine.synthesize({ text: 'Hello.', voiceId: 'bella' })
  await expect(chunks[Symbol.asyncIterator]().next()).rejects.toThrow(EngineNotReadyError)
})

describe('a text', () => {
  test('is requested sentence by sentence, a few ahead of its reader', async () => {
    const engine = await engines(upstream, { speech: { ahead: 2 } }).speech()
    const text = 'One here. Two here. Three here. Four here. Five here.'
    const { chunks } = await engine.synthesize({ text, voiceId: 'bella' })
    const reader = chunks[Symbol.asyncIterator]()
    await reader.next()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(upstream.received.length).toBeLessThanOrEqual(3)
    for (let next = await reader.next(); next.done !== true; next = await reader.next());
    expect(upstream.received.map(({ fields }) => fields['input'])).toEqual([
      'One here.',
      'Two here.',
      'Three here.',
      'Four here.',
      'Five here.',
    ])
    expect(upstream.received[0]?.fields).toMatchObject({ model: 'kokoro', voice: 'af_bella', response_format: 'wav' })
  })

  test('starts with the first bytes of the server', async () => {
    const latch = Promise.withResolvers<void>()
    upstream.script = (_request, response) => {
      response.writeHead(200, { 'content-type': 'audio/wav' })
      response.write(streamedWav(toneOf('one')))
      void latch.promise.then(() => response.end())
      return true
    }
    const engine = await engines(upstream, {}).speech()
    const { chunks } = await engine.synthesize({ text: 'One.', voiceId: 'bella' })
    const reader = chunks[Symbol.asyncIterator]()
    expect((await reader.next()).done).toBe(false)
    latch.resolve()
    for (let next = await reader.next(); next.done !== true; next = await reader.next());
  })

  test('with an expected length is requested once, and as long as asked for', async () => {
    const pcm = await speak('One two three four. Five six seven eight.', {}, { expectedDurationSeconds: 1.2 })
    expect(upstream.received).toHaveLength(2)
    expect(pcm.length / 2 / RATE).toBeCloseTo(1.2, 1)
  })

  test('has its speed from the server only where the entry says so', async () => {
    const natural = toneOf('One two three four five six.').length
    const ours = await speak('One two three four five six.', {}, { speed: 2 })
    expect(ours.length / natural).toBeCloseTo(0.5, 1)
    expect(upstream.received[0]?.fields).not.toHaveProperty('speed')
    await speak('One two.', { speech: { speed: 'server' } }, { speed: 2 })
    expect(upstream.received[1]?.fields).toHaveProperty('speed', 2)
  })
})

test('a server’s list of voices may have three shapes', async () => {
  const idsOf = async (list: unknown): Promise<string[]> => {
    upstream.script = (_request, response) => respondJson(response, 200, list)
    const engine = await engines(upstream, { speech: { voices: undefined } }).speech()
    return engine.voices.map(({ id }) => id)
  }
  expect(await idsOf({ voices: [{ id: 'a', name: 'A' }] })).toEqual(['a'])
  expect(await idsOf({ voices: ['b', 'c'] })).toEqual(['b', 'c'])
  expect(await idsOf([{ voice_id: 'd' }])).toEqual(['d'])
  await expect(idsOf({ voices: [] })).rejects.toThrow(/lists no voices: name them under speech\.voices/)
  upstream.script = (_request, response) => respondJson(response, 404, { detail: 'Not Found' })
  const without = engines(upstream, { speech: { voices: undefined } }).speech()
  await expect(without).rejects.toThrow('kokoro has no list of voices (404): name its voices under speech.voices')
})
