import { Buffer } from 'node:buffer'
import { json } from '@svc-audio/testing'
import { transcribe } from 'ai'
import { describe, expect, test } from 'vitest'
import type { SvcAudioTranscriptionOptions } from '../src/index.ts'
import { startUpstream, WAV } from './support/upstream.ts'

const STANDARD = 'svc-transcribe-1.0'
const DIARIZING = 'svc-transcribe-diarize-pro'
const TRANSCRIPTIONS = 'POST /v1/audio/transcriptions'

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

describe('transcribe', () => {
  test.each([
    ['bytes', WAV],
    ['Base64', Buffer.from(WAV).toString('base64')],
  ])('uploads %s with a name and a type, and returns the text', async (_, audio) => {
    const { upstream, svcAudio } = await startUpstream()
    const transcript = await transcribe({ model: svcAudio.transcription(STANDARD), audio })
    expect(transcript).toMatchObject({ text: 'hello there', segments: [], warnings: [] })
    expect(transcript.language).toBeUndefined()
    const [file] = upstream.requests[0]?.form?.files ?? []
    expect(file).toMatchObject({ contentType: 'audio/wav', filename: 'audio.wav', bytes: WAV.length })
    expect(upstream.requests[0]?.form?.fields).toMatchObject({ model: [STANDARD], response_format: ['json'] })
    expect(transcript.responses[0]).toMatchObject({ modelId: STANDARD })
  })

  test('reports segments, speakers, duration and language of the answer', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const segment = { type: 'transcript.text.segment', id: 's1', start: 0.5, end: 2, text: 'Hello.', speaker: 'S01' }
    const answer = {
      task: 'transcribe',
      text: 'Hello.',
      duration: 2.5,
      language: 'en',
      segments: [segment, { odd: 1 }],
    }
    upstream.on(TRANSCRIPTIONS, json(answer))
    const transcript = await transcribe({
      model: svcAudio.transcription(DIARIZING),
      audio: WAV,
      timestampGranularities: ['segment'],
      providerOptions: {
        svcAudio: { diarize: true, keyterms: ['Contoso', 'Fabrikam'] } satisfies SvcAudioTranscriptionOptions,
      },
    })
    expect(transcript).toMatchObject({
      text: 'Hello.',
      language: 'en',
      durationInSeconds: 2.5,
      segments: [{ text: 'Hello.', startSecond: 0.5, endSecond: 2 }],
      warnings: [],
      providerMetadata: {
        svcAudio: { segments: [{ speaker: 'S01', text: 'Hello.', startSecond: 0.5, endSecond: 2 }] },
      },
    })
    expect(transcript.segments).toHaveLength(1)
    expect(upstream.requests[0]?.form?.fields).toMatchObject({ diarize: ['true'], keyterms: ['Contoso', 'Fabrikam'] })
  })

  test('times of words, and segments of the standard model, are warnings', async () => {
    const { svcAudio } = await startUpstream()
    const timestampGranularities: ('word' | 'segment')[] = ['word', 'segment']
    const call = { audio: WAV, timestampGranularities }
    const standard = await transcribe({ ...call, model: svcAudio.transcription(STANDARD) })
    const diarized = await transcribe({ ...call, model: svcAudio.transcription(DIARIZING) })
    expect(standard.warnings).toMatchObject([
      { type: 'unsupported', feature: 'timestampGranularities', details: expect.stringContaining('words') },
      { type: 'unsupported', feature: 'timestampGranularities', details: expect.stringContaining(DIARIZING) },
    ])
    expect(diarized.warnings).toHaveLength(1)
  })

  test('keyterms for the standard model are refused before the request', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const providerOptions = { svcAudio: { keyterms: ['Contoso'] } }
    const transcript = transcribe({ model: svcAudio.transcription(STANDARD), audio: WAV, providerOptions })
    await expect(transcript).rejects.toMatchObject({
      name: 'AI_InvalidArgumentError',
      argument: 'providerOptions.svcAudio.keyterms',
    })
    expect(upstream.requests).toEqual([])
  })

  test('a public URL is fetched by the service', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const audio = new URL('https://example.com/talk.mp3')
    const { text } = await transcribe({ model: svcAudio.transcription(STANDARD), audio })
    expect(text).toBe('hello there')
    expect(upstream.requests[0]?.json).toMatchObject({ url: audio.href })
  })

  test('a private URL is left to the AI SDK, which downloads it or refuses', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const model = svcAudio.transcription(STANDARD)
    const audio = new URL('http://127.0.0.1:9/talk.wav')
    await expect(model.doGenerateFromUrl({ audio })).resolves.toBeUndefined()
    await expect(transcribe({ model, audio, maxRetries: 0 })).rejects.toThrow(/127\.0\.0\.1/)
    const { text } = await transcribe({ model, audio, download: async () => ({ data: WAV, mediaType: 'audio/wav' }) })
    expect(text).toBe('hello there')
    expect(upstream.requests).toHaveLength(1)
  })

  test('async waits for a task and names it', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.nextTask({ polls: 1 })
    const providerOptions = { svcAudio: { async: true } }
    const transcript = await transcribe({ model: svcAudio.transcription(DIARIZING), audio: WAV, providerOptions })
    expect(transcript.text).toBe('Good morning. Welcome back.')
    expect(transcript.providerMetadata).toMatchObject({ svcAudio: { taskId: expect.any(String) } })
    expect(upstream.requests[0]?.form?.fields).toMatchObject({ async: ['true'] })
  })

  test('a failed task is an APICallError with its code', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.nextTask({ polls: 1, error: { code: 'undecodable', message: 'No audio' } })
    const providerOptions = { svcAudio: { async: true } }
    const transcript = transcribe({ model: svcAudio.transcription(STANDARD), audio: WAV, providerOptions })
    await expect(transcript).rejects.toMatchObject({
      name: 'AI_APICallError',
      isRetryable: false,
      data: { name: 'TaskFailedError', code: 'undecodable' },
    })
  })
})
