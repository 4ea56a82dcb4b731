import { APICallError } from '@ai-sdk/provider'
import { cut, dropConnection, silence, stall, status } from '@svc-audio/testing'
import { experimental_streamTranscribe, generateSpeech, RetryError, transcribe } from 'ai'
import { describe, expect, test } from 'vitest'
import { createSvcAudio } from '../src/index.ts'
import { KEY, startUpstream, WAV } from './support/upstream.ts'

const SPEECH = 'POST /v1/audio/speech'
const REASON = new Error('the user left')

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** @returns the error of a call without retries of the AI SDK */
async function errorOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a failed request', () => {
  test('is an APICallError with status, address, body and the code of the service', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const fields = { code: 'voice_not_found', message: 'No such voice', param: 'voice_id' }
    upstream.on(SPEECH, status(404, { error: fields, headers: { 'x-request-id': 'req_1' } }))
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'nobody' }
    const error = await errorOf(generateSpeech(call))
    expect(APICallError.isInstance(error)).toBe(true)
    expect(error).toMatchObject({
      statusCode: 404,
      url: `${upstream.url}/v1/audio/speech`,
      requestBodyValues: { voice_id: 'nobody', input: 'Hello.' },
      responseHeaders: { 'x-request-id': 'req_1' },
      data: { name: 'ApiError', code: 'voice_not_found', param: 'voice_id' },
      isRetryable: false,
    })
    expect(JSON.stringify([error, String(error)])).not.toContain(KEY)
    expect(upstream.requests).toHaveLength(1)
  })

  test.each([429, 503])('with status %i is repeated by the AI SDK after the wait of the service', async (code) => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.next(SPEECH, status(code, { headers: { 'retry-after': '0' } }))
    await generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms' })
    expect(upstream.requests).toHaveLength(2)
  })

  test('is sent once for each try of the AI SDK', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on(SPEECH, status(503, { headers: { 'retry-after': '0' } }))
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms' }
    await expect(generateSpeech({ ...call, maxRetries: 0 })).rejects.toMatchObject({ isRetryable: true })
    expect(upstream.requests).toHaveLength(1)
    const error = await errorOf(generateSpeech({ ...call, maxRetries: 1 }))
    expect(RetryError.isInstance(error)).toBe(true)
    expect(upstream.requests).toHaveLength(3)
  })

  test.each([408, 409, 500, 502, 504])('with status %i is not repeated: it may be billed twice', async (code) => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on(SPEECH, status(code))
    const speech = generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms' })
    await expect(speech).rejects.toMatchObject({ statusCode: code, isRetryable: false })
    expect(upstream.requests).toHaveLength(1)
  })

  test('without a connection may be repeated', async () => {
    const svcAudio = createSvcAudio({ apiKey: KEY, baseUrl: 'http://127.0.0.1:9' })
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms', maxRetries: 0 }
    const error = await errorOf(generateSpeech(call))
    expect(error).toMatchObject({ isRetryable: true, data: { name: 'ConnectionError' } })
    expect(Reflect.get(Object(error), 'statusCode')).toBeUndefined()
  })

  test.each([
    ['a lost connection', dropConnection()],
    ['cut audio', cut({ afterBytes: 100 })],
  ])('of %s is not repeated', async (_, fault) => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on(SPEECH, fault)
    const speech = generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms' })
    await expect(speech).rejects.toMatchObject({ name: 'AI_APICallError', isRetryable: false })
    expect(upstream.requests).toHaveLength(1)
  })

  test('after the deadline of the provider is not repeated', async () => {
    const { upstream, svcAudio } = await startUpstream({ timeout: 200 })
    upstream.on(SPEECH, silence)
    const speech = generateSpeech({ model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms' })
    await expect(speech).rejects.toMatchObject({ data: { name: 'TimeoutError', phase: 'total' }, isRetryable: false })
  })

  test('of a broken rule names the argument of the AI SDK', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms', speed: 5 }
    const error = await errorOf(generateSpeech(call))
    expect(error).toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'speed' })
    expect(String(error)).toContain('speed: must be from 0.25 to 4')
    expect(upstream.requests).toEqual([])
  })
})

describe('an abort', () => {
  test('before the call sends nothing', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms' }
    await expect(generateSpeech({ ...call, abortSignal: AbortSignal.abort(REASON) })).rejects.toBe(REASON)
    expect(upstream.requests).toEqual([])
  })

  test.each([
    ['before the answer', silence],
    ['in the middle of the audio', stall({ afterBytes: 1000 })],
  ])('%s of speech closes the request and rejects with its reason', async (_, fault) => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on(SPEECH, fault)
    const controller = new AbortController()
    const call = { model: svcAudio.speech('svc-tts-1.5-flash'), text: 'Hello.', voice: 'rms', outputFormat: 'wav' }
    const speech = errorOf(generateSpeech({ ...call, abortSignal: controller.signal }))
    const request = await upstream.waitForRequest()
    controller.abort(REASON)
    expect(await speech).toBe(REASON)
    expect(await request.closed()).toBe('closedByClient')
    expect(upstream.requests).toHaveLength(1)
  })

  test('of a transcription closes the request', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on('POST /v1/audio/transcriptions', silence)
    const controller = new AbortController()
    const call = { model: svcAudio.transcription('svc-transcribe-1.0'), audio: WAV, abortSignal: controller.signal }
    const transcript = errorOf(transcribe(call))
    const request = await upstream.waitForRequest()
    controller.abort(REASON)
    expect(await transcript).toBe(REASON)
    expect(await request.closed()).toBe('closedByClient')
  })

  test('of a task cancels it at the service', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.nextTask({ polls: 1000 })
    upstream.on('*', status(200, { body: '{}' }))
    upstream.reset()
    upstream.nextTask({ polls: 1000 })
    const controller = new AbortController()
    const transcript = errorOf(
      transcribe({
        model: svcAudio.transcription('svc-transcribe-1.0'),
        audio: WAV,
        abortSignal: controller.signal,
        providerOptions: { svcAudio: { async: true } },
      }),
    )
    await upstream.waitForRequest('GET /v1/audio/tasks/{task_id}')
    controller.abort(REASON)
    expect(await transcript).toBe(REASON)
    await expect.poll(() => upstream.requests.some(({ method }) => method === 'DELETE'), { timeout: 30_000 }).toBe(true)
  })

  test('of a streamed transcription cancels the source and closes the request', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on('POST /v1/audio/transcriptions', stall({ afterBytes: 200 }))
    const controller = new AbortController()
    const cancelled = Promise.withResolvers<unknown>()
    const audio = new ReadableStream<Uint8Array>({
      start: (source) => source.enqueue(new Uint8Array(3200)),
      cancel: cancelled.resolve,
    })
    const { text } = experimental_streamTranscribe({
      model: svcAudio.transcription('svc-transcribe-diarize-pro'),
      audio,
      inputAudioFormat: { type: 'audio/pcm', rate: 16_000 },
      abortSignal: controller.signal,
    })
    const failed = errorOf(Promise.resolve(text))
    const request = await upstream.waitForRequest()
    controller.abort(REASON)
    expect(await failed).toBe(REASON)
    expect(await cancelled.promise).toBe(REASON)
    expect(await request.closed()).toBe('closedByClient')
  })
})
