import {
  type ScriptedResponse,
  comments,
  createTestUpstream,
  cut,
  dropConnection,
  events,
  garbage,
  redirect,
  silence,
  status,
  type TestUpstream,
  wrongLength,
} from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AudioClient, nodeTransport, SvcAudioError } from '../src/index.ts'
import { listAll, rejection } from './support/clients.ts'
import { pcm } from './support/speech.ts'

const SPEECH = { model: 'svc-tts-1.5-flash', input: 'Good morning', voice_id: 'v' } as const
const STREAM = { model: 'svc-tts-1.5-flash', input: 'Good morning' } as const
const DIALOGUE = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'ann', voice_id: 'v' }],
  segments: [{ speaker: 'ann', text: 'Hello.' }],
} as const
const GENERATION = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'old and kind' } as const
const AUDIO = { model: 'svc-transcribe-diarize-pro', file: pcm(50_000) } as const

/** Every way to use the client, to its end. */
const calls: Readonly<Record<string, (audio: AudioClient) => Promise<unknown>>> = {
  'speech.create': async ({ speech }) => (await speech.create({ ...SPEECH, response_format: 'wav' })).bytes(),
  'speech.createUrl': ({ speech }) => speech.createUrl(SPEECH),
  'speech.createTask': async ({ speech }) => (await speech.createTask(SPEECH)).wait(),
  'speech.stream': async ({ speech }) => (await speech.stream(STREAM)).toWav(),
  'speech.stream of raw PCM': async ({ speech }) =>
    (await speech.stream({ ...STREAM, stream_format: 'audio' })).toWav(),
  'dialogue.create': async ({ dialogue }) => (await dialogue.create(DIALOGUE)).bytes(),
  'dialogue.createUrl': ({ dialogue }) => dialogue.createUrl(DIALOGUE),
  'dialogue.createTask': async ({ dialogue }) => (await dialogue.createTask(DIALOGUE)).wait(),
  'transcriptions.create': ({ transcriptions }) => transcriptions.create(AUDIO),
  'transcriptions.create as text': ({ transcriptions }) => transcriptions.create({ ...AUDIO, response_format: 'text' }),
  'transcriptions.createTask': async ({ transcriptions }) => (await transcriptions.createTask(AUDIO)).wait(),
  'transcriptions.stream': async ({ transcriptions }) => (await transcriptions.stream(AUDIO)).text(),
  'voices.create': ({ voices }) => voices.create({ audio_sample: pcm(1000) }),
  'voices.list': ({ voices }) => listAll(voices.list({ limit: 1 })),
  'voiceGenerations.create': async ({ voiceGenerations }) => (await voiceGenerations.create(GENERATION)).bytes(),
  'voiceGenerations.createUrl': ({ voiceGenerations }) => voiceGenerations.createUrl(GENERATION),
  'voiceGenerations.createTask': async ({ voiceGenerations }) => (await voiceGenerations.createTask(GENERATION)).wait(),
  'files.create': ({ files }) => files.create({ file: pcm(1000) }),
  'files.list': ({ files }) => listAll(files.list()),
  'models.list': ({ models }) => models.list(),
}
const names = Object.keys(calls)
const streams = names.filter((name) => name.includes('.stream') && !name.includes('raw'))

let upstream: TestUpstream
let audio: AudioClient

beforeEach(async () => {
  upstream = await createTestUpstream()
  const { apiKey, url: baseUrl } = upstream
  audio = new AudioClient({ apiKey, baseUrl, maxRetries: 0, transport: nodeTransport({ headersTimeout: 300 }) })
})

afterEach(async () => {
  await audio.close()
  await upstream.close()
})

/** What comes of a call when the service answers so. */
async function failure(name: string, response: ScriptedResponse): Promise<unknown> {
  upstream.on('*', response)
  return rejection(calls[name]?.(audio) ?? Promise.resolve('no such call'))
}

test.each(names)('%s succeeds', async (name) => {
  await expect(calls[name]?.(audio)).resolves.toBeDefined()
})

describe.each(names)('%s', (name) => {
  test.each([
    ['an error status', status(403, { error: { code: 'forbidden', message: 'No.' } }), ['ApiError']],
    ['a redirect', redirect('https://elsewhere.example/v1'), ['ApiError']],
    ['no response at all', dropConnection(), ['ConnectionError']],
    ['a reset', dropConnection({ reset: true }), ['ConnectionError']],
    ['a response without a beginning', silence, ['TimeoutError']],
    ['a body that is cut at once', cut({ afterBytes: 0 }), ['ConnectionError', 'StreamTruncatedError']],
    ['a body that is cut in its midst', cut({ afterBytes: 20 }), ['StreamTruncatedError', 'ProtocolError']],
  ])('with %s fails with a SvcAudioError', async (_, response, kinds) => {
    const error = await failure(name, response)
    expect(SvcAudioError.isInstance(error)).toBe(true)
    expect(kinds).toContain((error as Error).name)
  })
})

test.each(names.filter((name) => !/create$|Generations.create$|raw PCM|as text/.test(name)))(
  '%s takes no garbage for a response',
  async (name) => {
    expect(await failure(name, garbage(7))).toMatchObject({
      name: expect.stringMatching(/^(?:ProtocolError|StreamTruncatedError)$/),
    })
  },
)

// Events say themselves when they are complete.
test.each(names.filter((name) => !streams.includes(name)))(
  '%s with a body that is shorter than announced is cut',
  async (name) => {
    expect(await failure(name, wrongLength(50))).toMatchObject({ name: 'StreamTruncatedError' })
  },
)

describe('a stream of comments', () => {
  test.each(streams)('%s with only keep-alive comments ends at the deadline between events', async (name) => {
    const { apiKey, url: baseUrl } = upstream
    const impatient = new AudioClient({ apiKey, baseUrl, idleEventsTimeout: 200 })
    upstream.on('*', comments({ every: 20 }))
    const error = await rejection(calls[name]?.(impatient) ?? Promise.resolve())
    expect(error).toMatchObject({ name: 'TimeoutError', phase: 'events' })
    await upstream.idle()
    await impatient.close()
  })

  test.each(streams)('%s that ends without an event is cut', async (name) => {
    expect(await failure(name, events([]))).toMatchObject({ name: 'StreamTruncatedError' })
  })
})
