import { describe, expectTypeOf, test } from 'vitest'
import type {
  AudioBody,
  AudioClient,
  DiarizedTranscription,
  ModelList,
  SpeechCreateBody,
  SpeechResult,
  SpeechStream,
  SpeechStreamBody,
  Transcription,
  TranscriptionCreateBody,
  UploadSource,
  VoiceList,
} from '../src/index.ts'
import { memoryClient } from './support/memory-client.ts'

/** What a method returns for a body; only the types count, so nothing is called. */
const client = (): AudioClient => memoryClient(() => ({ headers: {}, chunks: [] })).client

const standard = { model: 'svc-transcribe-1.0', file: '/tmp/a.wav' } as const
const diarize = { model: 'svc-transcribe-diarize-pro', file: '/tmp/a.wav' } as const

describe('transcriptions.create', () => {
  const create = (): AudioClient['transcriptions'] => client().transcriptions

  test('text is a string, for every model', () => {
    expectTypeOf(() =>
      create().create({ ...standard, response_format: 'text' }),
    ).returns.resolves.toEqualTypeOf<string>()
    expectTypeOf(() =>
      create().create({ ...diarize, response_format: 'text' }),
    ).returns.resolves.toEqualTypeOf<string>()
  })

  test('the multi-speaker model has segments, unless they are declined', () => {
    expectTypeOf(() => create().create(diarize)).returns.resolves.toEqualTypeOf<DiarizedTranscription>()
    expectTypeOf(() =>
      create().create({ ...diarize, diarize: true, response_format: 'json' }),
    ).returns.resolves.toEqualTypeOf<DiarizedTranscription>()
    expectTypeOf(() => create().create({ ...diarize, diarize: false })).returns.resolves.toEqualTypeOf<Transcription>()
  })

  test('any other model has text', () => {
    expectTypeOf(() => create().create(standard)).returns.resolves.toEqualTypeOf<Transcription>()
    expectTypeOf(() =>
      create().create({ ...standard, model: 'vendor-2' }),
    ).returns.resolves.toEqualTypeOf<Transcription>()
  })

  test('what is not known before it runs is either', () => {
    expectTypeOf((body: TranscriptionCreateBody) => create().create(body)).returns.resolves.toEqualTypeOf<
      Transcription | string
    >()
  })

  test('refuses what other methods are for', () => {
    expectTypeOf<TranscriptionCreateBody>().not.toHaveProperty('stream')
    expectTypeOf<TranscriptionCreateBody>().not.toHaveProperty('async')
    expectTypeOf<TranscriptionCreateBody>().not.toHaveProperty('webhook_url')
    // @ts-expect-error -- one method, one kind of answer
    expectTypeOf(() => create().create({ ...diarize, stream: true })).toBeFunction()
    // @ts-expect-error -- one method, one kind of answer
    expectTypeOf(() => create().create({ ...diarize, async: true })).toBeFunction()
    // @ts-expect-error -- not among the formats
    expectTypeOf(() => create().create({ ...standard, response_format: 'srt' })).toBeFunction()
    // @ts-expect-error -- a stream is given as a function
    expectTypeOf(() => create().create({ ...standard, file: new ReadableStream<Uint8Array>() })).toBeFunction()
  })
})

describe('speech', () => {
  const speech = (): AudioClient['speech'] => client().speech
  const body = { model: 'svc-tts-1.5-flash', input: 'a', voice_id: 'v' } as const

  test('each method has one result', () => {
    expectTypeOf(() => speech().create(body)).returns.resolves.toEqualTypeOf<AudioBody>()
    expectTypeOf(() => speech().createUrl(body)).returns.resolves.toEqualTypeOf<SpeechResult>()
    expectTypeOf(() =>
      speech().stream({ model: 'svc-tts-1.5-flash', input: 'a' }),
    ).returns.resolves.toEqualTypeOf<SpeechStream>()
    expectTypeOf(() => client().models.list()).returns.resolves.toEqualTypeOf<ModelList>()
    expectTypeOf(() => client().voices.list()).returns.resolves.toEqualTypeOf<VoiceList>()
  })

  test('create refuses stream, async, delivery_method and webhook_url', () => {
    expectTypeOf<keyof SpeechCreateBody>().toEqualTypeOf<
      'model' | 'input' | 'voice_id' | 'response_format' | 'aigc_metadata'
    >()
    // @ts-expect-error -- speech.stream() is for this
    expectTypeOf(() => speech().create({ ...body, stream: true })).toBeFunction()
    // @ts-expect-error -- one method, one kind of answer
    expectTypeOf(() => speech().create({ ...body, async: true })).toBeFunction()
    // @ts-expect-error -- speech.createUrl() is for this
    expectTypeOf(() => speech().create({ ...body, delivery_method: 'url' })).toBeFunction()
    // @ts-expect-error -- works in streaming speech only
    expectTypeOf(() => speech().create({ ...body, speed: 2 })).toBeFunction()
    // @ts-expect-error -- a voice is required
    expectTypeOf(() => speech().create({ model: 'svc-tts-1.5-flash', input: 'a' })).toBeFunction()
  })

  test('stream takes the fields of a stream, and a voice only if one is wanted', () => {
    expectTypeOf<keyof SpeechStreamBody>().toEqualTypeOf<
      | 'model'
      | 'input'
      | 'voice_id'
      | 'language'
      | 'speed'
      | 'expected_duration_sec'
      | 'aigc_metadata'
      | 'stream'
      | 'response_format'
      | 'stream_format'
    >()
    // @ts-expect-error -- only pcm streams
    expectTypeOf(() => speech().stream({ ...body, response_format: 'mp3' })).toBeFunction()
    // @ts-expect-error -- has no effect on a stream and must not be passed
    expectTypeOf(() => speech().stream({ ...body, delivery_method: 'audio' })).toBeFunction()
    // @ts-expect-error -- the service chooses it
    expectTypeOf(() => speech().stream({ ...body, sample_rate: 8000 })).toBeFunction()
    // @ts-expect-error -- a stream is no task
    expectTypeOf(() => speech().stream({ ...body, async: true })).toBeFunction()
  })

  test('ids and formats are open, and the known ones are still completed', () => {
    expectTypeOf<string>().toExtend<SpeechCreateBody['model']>()
    expectTypeOf<string>().toExtend<NonNullable<SpeechCreateBody['response_format']>>()
    expectTypeOf<SpeechCreateBody['model']>().not.toEqualTypeOf<string>()
  })
})

test('an upload is anything that can be opened again', () => {
  expectTypeOf<string>().toExtend<UploadSource>()
  expectTypeOf<Blob>().toExtend<UploadSource>()
  expectTypeOf<File>().toExtend<UploadSource>()
  expectTypeOf<Buffer>().toExtend<UploadSource>()
  expectTypeOf<() => ReadableStream<Uint8Array>>().toExtend<UploadSource>()
  expectTypeOf<() => AsyncGenerator<Uint8Array>>().toExtend<UploadSource>()
  expectTypeOf<() => NodeJS.ReadableStream>().not.toExtend<string>()
  expectTypeOf<ReadableStream<Uint8Array>>().not.toExtend<UploadSource>()
  expectTypeOf<ArrayBuffer>().not.toExtend<UploadSource>()
})
