import OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'

/*
 * Requests in the shapes of Open WebUI, LibreChat, Home Assistant with wyoming-openai (from its sources), and n8n. They
 * stand here so that no change of the service breaks an application.
 */

let app: FakeApp
beforeEach(async () => {
  app = await start()
})
afterEach(() => app.close())

async function start(options: Parameters<typeof startFakeApp>[0] = {}): Promise<FakeApp> {
  const started = await startFakeApp(options)
  started.services.hear = async () => 'Hello there.'
  return started
}

const SPEECH = '/openai/v1/audio/speech'
const TRANSCRIPTIONS = '/openai/v1/audio/transcriptions'

/** A form with the file at the end, as Python's requests and n8n send it. */
function form(fields: Readonly<Record<string, string>>, type: string = 'audio/wav'): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) data.append(name, value)
  data.append('file', new Blob(['heard'], { type }), 'audio.wav')
  return data
}

/** A GET without a key. */
const openly = (path: string): Promise<Response> => fetch(`${app.url}/openai/v1${path}`)

describe('Open WebUI', () => {
  test('speaks with its default voice and without a format', async () => {
    const response = await app.post(SPEECH, { model: 'tts-1', input: 'Hello **there**.', voice: 'alloy' })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/mpeg'])
    expect(await response.text()).toBe('Hello there.')
  })

  test('transcribes a recording of the browser with a model and a language', async () => {
    const response = await app.post(TRANSCRIPTIONS, form({ model: 'whisper-1', language: 'en' }, 'audio/webm'))
    expect([response.status, await response.json()]).toMatchObject([200, { text: 'Hello there.' }])
  })

  test('reads models and voices without a key, once the lists are open', async () => {
    for (const path of ['/audio/models', '/audio/voices']) expect((await openly(path)).status).toBe(401)
    await app.close()
    app = await start({ app: { openaiOpenLists: true } })
    const { models } = (await (await openly('/audio/models')).json()) as { models: { id: string }[] }
    expect(models.map(({ id }) => id)).toEqual(expect.arrayContaining(['tts-1', 'svc-tts-1.0-pro']))
    expect(await (await openly('/audio/voices')).json()).toMatchObject({ voices: [{ id: 'v', name: 'V' }] })
  })
})

describe('LibreChat', () => {
  test('speaks with the fields that it always sends', async () => {
    const body = { input: 'Hello.', model: 'tts-1', voice: 'alloy', backend: 'openai' }
    const response = await app.post(SPEECH, body)
    expect([response.status, response.headers.get('x-ignored-parameters')]).toEqual([200, 'backend'])
    await response.text()
  })

  test('transcribes with the header of its form library', async () => {
    const response = await app.post(TRANSCRIPTIONS, form({ model: 'whisper-1' }))
    expect(await response.json()).toMatchObject({ text: 'Hello there.' })
  })
})

describe('Home Assistant', () => {
  test.each([
    ['OPENAI', { model: 'tts-1', voice: 'nova' }],
    ['SPEACHES', { model: 'tts-1', voice: 'v' }],
    ['KOKORO_FASTAPI', { model: 'tts-1', voice: 'v' }],
    ['LOCALAI', { model: 'tts-1', voice: 'tts-1' }],
  ])('with the backend %s of wyoming-openai speaks as WAV', async (_backend, fields) => {
    const body = { ...fields, input: 'Hello.', response_format: 'wav', speed: 1, instructions: '' }
    const response = await app.post(SPEECH, body)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'audio/wav'])
    await response.text()
  })

  test('finds the voices of each backend without a key, once the lists are open', async () => {
    await app.close()
    app = await start({
      app: { openaiOpenLists: true },
      replace: ({ settings }) => ({ settings: { openai: { ...settings.openai, voiceList: 'names' } } }),
    })
    expect(await (await openly('/audio/voices')).json()).toMatchObject({ voices: ['v'] })
    expect(await (await openly('/models/tts-1')).json()).toMatchObject({ id: 'tts-1', voices: [{ name: 'v' }] })
    const voices = await (await openly('/audio/speech/voices?model_id=tts-1')).json()
    expect(voices).toEqual([{ model_id: 'tts-1', voice_id: 'v' }])
  })

  test('does not end a conversation at a text without words', async () => {
    for (const input of ['...', '😀', '—', ' ', '```js\nrun()\n```']) {
      const response = await app.post(SPEECH, { model: 'tts-1', voice: 'v', input, response_format: 'wav' })
      expect([input, response.status]).toEqual([input, 200])
      await response.arrayBuffer()
    }
  })

  test('transcribes with a prompt and a temperature', async () => {
    const fields = {
      model: 'whisper-1',
      language: 'en',
      prompt: 'Lights, kitchen',
      temperature: '0',
      response_format: 'json',
    }
    const response = await app.post(TRANSCRIPTIONS, form(fields))
    expect([response.status, await response.json()]).toMatchObject([200, { text: 'Hello there.' }])
  })
})

describe('n8n', () => {
  test('tests its credential with the list of models', async () => {
    const response = await app.get('/openai/v1/models')
    const { data } = (await response.json()) as { data: { id: string }[] }
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining(['tts-1', 'whisper-1']))
  })

  test('speaks and transcribes with the fields of its node', async () => {
    const speech = { model: 'tts-1', input: 'Hello.', voice: 'alloy', response_format: 'mp3', speed: 1 }
    expect((await (await app.post(SPEECH, speech)).arrayBuffer()).byteLength).toBeGreaterThan(0)
    const heard = await app.post(TRANSCRIPTIONS, form({ model: 'whisper-1', temperature: '0' }))
    expect(await heard.json()).toMatchObject({ text: 'Hello there.' })
  })
})

describe('Python', () => {
  test('streams with stream=True', async () => {
    const response = await app.post(TRANSCRIPTIONS, form({ model: 'whisper-1', stream: 'True' }))
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    expect(await response.text()).toContain('transcript.text.done')
  })
})

describe('Markdown', () => {
  const spoken = async (input: string): Promise<string> =>
    (await app.post(SPEECH, { model: 'tts-1', voice: 'v', input })).text()

  test('is read as a reader would read it, and pause markers stay', async () => {
    expect(await spoken('# Done\n\n- **All** of [it](https://example.com) 🎉 [pause 1.5s]')).toBe(
      'Done.\n\nAll of it [pause 1.5s].'.replace(' [pause 1.5s].', '. [pause 1.5s]'),
    )
  })

  test('does not make code of an indented line', async () => {
    expect(await spoken('    Hello there.')).toBe('Hello there.')
  })

  test('is spoken as it is written without the setting', async () => {
    await app.close()
    app = await start({
      replace: ({ settings }) => ({ settings: { openai: { ...settings.openai, readsMarkdown: false } } }),
    })
    expect(await spoken('**Done** 🎉')).toBe('**Done** 🎉')
  })
})

describe('an error says what helps:', () => {
  const message = async (response: Response): Promise<string> =>
    ((await response.json()) as { error: { message: string } }).error.message

  test.each([
    [
      'another scheme',
      { authorization: 'Token abc' },
      'Authorization has the scheme Token: send Authorization: Bearer',
    ],
    ['no scheme', { authorization: 'abc' }, 'Authorization has no scheme'],
    ['another header', { authorization: '', 'api-key': 'abc' }, 'The key came in the header api-key'],
  ])('%s', async (_what, headers, words) => {
    expect(await message(await app.request('GET', '/openai/v1/models', undefined, headers))).toContain(words)
  })

  test('the media types that an endpoint accepts', async () => {
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await message(await app.post(SPEECH, 'input=a', type))).toContain('send application/json')
    expect(await message(await app.post(TRANSCRIPTIONS, 'RIFF', { 'content-type': 'audio/wav' }))).toMatch(
      /multipart\/form-data.*audio\/wav/,
    )
  })

  test('a form without a boundary', async () => {
    const response = await app.post(TRANSCRIPTIONS, 'x', { 'content-type': 'multipart/form-data' })
    expect(await message(response)).toContain('has no boundary')
  })

  test('a file without a file name', async () => {
    const head = '--b\r\ncontent-disposition: form-data; name="file"\r\n\r\n'
    const response = await app.post(TRANSCRIPTIONS, `${head}${'x'.repeat(70_000)}\r\n--b--\r\n`, {
      'content-type': 'multipart/form-data; boundary=b',
    })
    expect(await message(response)).toContain('file has no file name')
  })

  test('an unknown path of this API, in its shape', async () => {
    const response = await app.get('/openai/v1/fine_tuning/jobs')
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([404, 'false'])
    expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'not_found' } })
  })

  test('a base URL that is wrong', async () => {
    const request = (path: string): Promise<string> => app.get(path).then(message)
    expect(await request('/openai/audio/voices')).toContain('the base URL of the OpenAI API is /openai/v1')
  })

  test('a name of OpenAI at our own interface', async () => {
    const body = { model: 'tts-1', input: 'Hello.', voice_id: 'v' }
    expect(await message(await app.post('/v1/audio/speech', body))).toMatch(
      /name of OpenAI.*svc-tts-1.5-flash.*openai-api/,
    )
  })

  test('this API while it is off', async () => {
    await app.close()
    app = await start({ app: { openaiApi: false } })
    expect(await message(await app.post(SPEECH, {}))).toContain('--openai-api true')
  })
})

describe('pages', () => {
  const ask = (origin: string, method = 'OPTIONS'): Promise<Response> =>
    fetch(`${app.url}${SPEECH}`, {
      method,
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,x-stainless-os',
      },
    })

  test('of an allowed origin may call, and read the headers', async () => {
    await app.close()
    app = await start({ app: { corsOrigins: ['https://app.example.com'] } })
    const allowed = await ask('https://app.example.com')
    expect(allowed.status).toBe(204)
    expect(Object.fromEntries(allowed.headers)).toMatchObject({
      'access-control-allow-origin': 'https://app.example.com',
      'access-control-allow-headers': 'authorization,x-stainless-os',
      'access-control-allow-methods': 'GET, POST, DELETE',
      vary: 'Origin',
    })
    const refused = await ask('https://app.example.com', 'POST')
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([
      401,
      'https://app.example.com',
    ])
    expect(refused.headers.get('access-control-expose-headers')).toContain('x-request-id')
  })

  test('of another origin, or without the setting, may not', async () => {
    const without = await ask('https://app.example.com')
    expect([without.status, without.headers.get('access-control-allow-origin')]).toEqual([405, null])
    await app.close()
    app = await start({ app: { corsOrigins: ['https://app.example.com'] } })
    const other = await ask('https://other.example.com')
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })
})

test('40 calls at once at a limit of 4 all end well with the default retries of the openai client', async () => {
  await app.close()
  app = await start({ app: { requestsAtOncePerTenant: 4, requestWaitTimeout: 600 } })
  app.services.speakWith = async (text) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    return Buffer.from(text)
  }
  const apiKey = app.first.authorization.replace('Bearer ', '')
  const client = new OpenAI({ apiKey, baseURL: `${app.url}/openai/v1` })
  const texts = Array.from({ length: 40 }, (_, at) => `Sentence number ${at}.`)
  const spoken = await Promise.all(
    texts.map(async (input) => (await client.audio.speech.create({ model: 'tts-1', voice: 'v', input })).text()),
  )
  expect(spoken).toEqual(texts)
})

test('a prompt, a temperature and what the engine measured pass through unchanged', async () => {
  await app.close()
  app = await start()
  const prompt = 'Der ICE nach München, Frau Dr. Özdemir'
  let asked: object = {}
  Object.assign(app.services.engines.recognition, { featuresFor: () => ['prompt', 'temperature'] })
  vi.spyOn(app.services.engines.recognition, 'recognize').mockImplementation(async (pcm, options = {}) => {
    for await (const part of pcm) expect(part.length).toBeGreaterThan(0)
    asked = options
    const measures = {
      meanLogProbability: -0.3,
      noSpeechProbability: 0.02,
      compressionRatio: 1.1,
      temperature: 0.4,
      tokens: [7],
    }
    options.onSegment?.({ text: 'Guten Morgen.', startSecond: 0, endSecond: 1, measures })
    return { text: 'Guten Morgen.', words: [], durationSeconds: 1 }
  })
  const fields = { model: 'whisper-1', prompt, temperature: '0.4', response_format: 'verbose_json' }
  const response = await app.post(TRANSCRIPTIONS, form(fields))
  expect(asked).toMatchObject({ prompt, temperature: 0.4, keyterms: [] })
  expect(response.headers.get('x-ignored-parameters')).toBeNull()
  expect(await response.json()).toMatchObject({
    segments: [
      {
        text: ' Guten Morgen.',
        avg_logprob: -0.3,
        no_speech_prob: 0.02,
        compression_ratio: 1.1,
        temperature: 0.4,
        tokens: [7],
      },
    ],
  })
})
