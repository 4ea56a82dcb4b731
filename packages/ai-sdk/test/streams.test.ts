import { Buffer } from 'node:buffer'
import { cut, events, toneWav } from '@svc-audio/testing'
import { experimental_streamSpeech, experimental_streamTranscribe } from 'ai'
import { describe, expect, test, vi } from 'vitest'
import { startUpstream } from './support/upstream.ts'

const DIARIZING = 'svc-transcribe-diarize-pro'
const TRANSCRIPTIONS = 'POST /v1/audio/transcriptions'
const FLASH = 'svc-tts-1.5-flash'
const PCM = { type: 'audio/pcm', rate: 16_000 }

Object.assign(globalThis, { AI_SDK_LOG_WARNINGS: false })

/** Samples of a tone, without a header. */
const SAMPLES = toneWav(0.5).subarray(44)

function streamOf<Chunk>(...chunks: readonly Chunk[]): ReadableStream<Chunk> {
  return ReadableStream.from(chunks)
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

describe('experimental_streamTranscribe', () => {
  test('uploads PCM as a WAV and yields deltas, segments with speakers, and the text', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on(
      TRANSCRIPTIONS,
      events([
        {
          type: 'task.created',
          task_id: 'task_1',
          object: 'audio.transcription',
          status: 'PROCESSING',
          model: DIARIZING,
        },
        { type: 'transcript.text.delta', delta: 'Hello ' },
        { type: 'transcript.text.delta', delta: 'there.' },
        { type: 'transcript.segment.done', content_index: 0, speaker: 'S01', text: 'Hello there.' },
        {
          type: 'transcript.text.done',
          text: 'Hello there.',
          usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
        },
      ]),
    )
    const result = experimental_streamTranscribe({
      model: svcAudio.transcription(DIARIZING),
      audio: streamOf<Uint8Array | string>(
        SAMPLES.subarray(0, 1000),
        Buffer.from(SAMPLES.subarray(1000)).toString('base64'),
      ),
      inputAudioFormat: PCM,
      providerOptions: { svcAudio: { keyterms: ['Contoso'] } },
    })
    expect(await collect(result.fullStream)).toEqual([
      { type: 'transcript-delta', delta: 'Hello ' },
      { type: 'transcript-delta', delta: 'there.' },
      { type: 'transcript-final', id: '0', text: 'Hello there.', providerMetadata: { svcAudio: { speaker: 'S01' } } },
    ])
    await expect(result.text).resolves.toBe('Hello there.')
    await expect(result.warnings).resolves.toEqual([])
    await expect(result.providerMetadata).resolves.toMatchObject({
      svcAudio: { taskId: 'task_1', segments: [{ speaker: 'S01', text: 'Hello there.' }] },
    })
    const { files = [], fields } = upstream.requests[0]?.form ?? {}
    expect(fields).toMatchObject({ stream: ['true'], keyterms: ['Contoso'] })
    expect(files[0]).toMatchObject({ contentType: 'audio/wav', bytes: 44 + SAMPLES.length })
    const header = Buffer.from(files[0]?.content ?? [])
    expect([header.toString('latin1', 0, 4), header.readUInt32LE(24)]).toEqual(['RIFF', 16_000])
  })

  test('shows every event, unknown ones too, with includeRawChunks', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const odd = { type: 'transcript.mood', mood: 'calm' }
    upstream.on(TRANSCRIPTIONS, events([odd, { type: 'transcript.text.done', text: 'Hello.' }]))
    const { fullStream } = experimental_streamTranscribe({
      model: svcAudio.transcription(DIARIZING),
      audio: streamOf(SAMPLES),
      inputAudioFormat: PCM,
      includeRawChunks: true,
    })
    expect(await collect(fullStream)).toMatchObject([{ type: 'raw', rawValue: odd }, { type: 'raw' }])
  })

  test('the standard model sends its text in one piece, with a warning', async () => {
    const { svcAudio } = await startUpstream()
    const result = experimental_streamTranscribe({
      model: svcAudio.transcription('svc-transcribe-1.0'),
      audio: streamOf(SAMPLES),
      inputAudioFormat: PCM,
    })
    await expect(result.text).resolves.toBe('hello there')
    await expect(result.warnings).resolves.toMatchObject([{ type: 'compatibility', feature: 'streaming' }])
  })

  test('a file format passes unchanged', async () => {
    const { upstream, svcAudio } = await startUpstream()
    const opus = new TextEncoder().encode('OggS and so on')
    const { text } = experimental_streamTranscribe({
      model: svcAudio.transcription(DIARIZING),
      audio: streamOf(opus),
      inputAudioFormat: { type: 'audio/ogg' },
    })
    await expect(text).resolves.toBe('Good morning. Welcome back.')
    expect(upstream.requests[0]?.form?.files[0]).toMatchObject({ contentType: 'audio/ogg', bytes: opus.length })
  })

  test.each([
    [{ type: 'audio/pcmu', rate: 8000 }, {}, 'AI_UnsupportedFunctionalityError'],
    [{ type: 'audio/pcm' }, {}, 'AI_InvalidArgumentError'],
    [PCM, { async: true }, 'AI_InvalidArgumentError'],
  ])('refuses %j with %j before the request and cancels the audio', async (inputAudioFormat, svcAudioOptions, name) => {
    const { upstream, svcAudio } = await startUpstream()
    const cancel = vi.fn<() => void>()
    const { text } = experimental_streamTranscribe({
      model: svcAudio.transcription(DIARIZING),
      audio: new ReadableStream({ cancel }),
      inputAudioFormat,
      providerOptions: { svcAudio: svcAudioOptions },
    })
    await expect(text).rejects.toMatchObject({ name })
    await vi.waitFor(() => expect(cancel).toHaveBeenCalledOnce(), 30_000)
    expect(upstream.requests).toEqual([])
  })

  test('a cut stream fails the text and is not complete', async () => {
    const { upstream, svcAudio } = await startUpstream()
    upstream.on(TRANSCRIPTIONS, cut({ afterBytes: 150 }))
    const { text } = experimental_streamTranscribe({
      model: svcAudio.transcription(DIARIZING),
      audio: streamOf(SAMPLES),
      inputAudioFormat: PCM,
    })
    await expect(text).rejects.toMatchObject({ name: 'AI_APICallError', isRetryable: false })
  })
})

describe('experimental_streamSpeech', () => {
  test('speaks each sentence of a text while it is written', async () => {
    const { upstream, svcAudio } = await startUpstream({ voice: 'rms' })
    const { writable, readable } = new TransformStream<string, string>()
    const writer = writable.getWriter()
    const result = experimental_streamSpeech({
      model: svcAudio.speech(FLASH),
      text: readable,
      speed: 1.5,
      providerOptions: { svcAudio: { pauses: { sentenceSeconds: 0.4 } } },
    })
    const audio = result.fullStream.getReader()
    await writer.write('Hello there. And more')
    const first = await audio.read()
    expect(first.value).toMatchObject({ type: 'audio', audioFormat: { type: 'audio/pcm', rate: expect.any(Number) } })
    await writer.write(' goodbye.')
    await writer.close()
    for (let next = await audio.read(); !next.done; next = await audio.read()) void next
    expect(upstream.requests.map(({ json }) => json)).toMatchObject([
      { input: 'Hello there.', voice_id: 'rms', speed: 1.5 },
      { input: 'And more goodbye.' },
    ])
    await expect(result.usage).resolves.toEqual({ inputCharacters: 30 })
    await expect(result.providerMetadata).resolves.toMatchObject({ svcAudio: { channels: 1, bitDepth: 16 } })
  })

  test('is a WAV of unknown length on request', async () => {
    const { svcAudio } = await startUpstream()
    const { audioStream } = experimental_streamSpeech({
      model: svcAudio.speech(FLASH),
      text: 'Hello.',
      outputFormat: { type: 'audio/wav' },
    })
    const [header, ...samples] = await collect(audioStream)
    expect(Buffer.from(header ?? []).toString('latin1', 0, 4)).toBe('RIFF')
    expect(samples.length).toBeGreaterThan(0)
  })

  test('what a stream cannot take is a warning', async () => {
    const { svcAudio } = await startUpstream()
    const result = experimental_streamSpeech({
      model: svcAudio.speech(FLASH),
      text: 'Hello.',
      instructions: 'calm',
      outputFormat: { type: 'audio/mpeg' },
    })
    await expect(result.warnings).resolves.toMatchObject([
      { type: 'unsupported', feature: 'instructions' },
      { type: 'unsupported', feature: 'outputFormat' },
    ])
  })

  test('a second voice, and a model without streams, fail with their names', async () => {
    const { svcAudio } = await startUpstream()
    const parts = [{ type: 'text' as const, text: 'Hello.', voice: 'slt' }]
    const second = experimental_streamSpeech({ model: svcAudio.speech(FLASH), text: parts, voice: 'rms' })
    await expect(second.usage).rejects.toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'text' })
    const pro = experimental_streamSpeech({ model: svcAudio.speech('svc-tts-1.0-pro'), text: 'Hello.', voice: 'rms' })
    await expect(pro.usage).rejects.toMatchObject({ name: 'AI_InvalidArgumentError', argument: 'modelId' })
  })

  test('a reader that leaves cancels the text and closes the request', async () => {
    const { upstream, svcAudio } = await startUpstream({}, { speechSeconds: 600 })
    const cancelled = Promise.withResolvers<unknown>()
    const text = new ReadableStream<string>({
      start: (source) => source.enqueue('Hello there. And more'),
      cancel: cancelled.resolve,
    })
    const { audioStream } = experimental_streamSpeech({ model: svcAudio.speech(FLASH), text, voice: 'rms' })
    for await (const chunk of audioStream) {
      expect(chunk.length).toBeGreaterThan(0)
      break
    }
    await cancelled.promise
    expect(await upstream.requests[0]?.closed()).toBe('closedByClient')
  })
})
