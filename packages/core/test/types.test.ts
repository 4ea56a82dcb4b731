import { describe, expectTypeOf, test } from 'vitest'
import type {
  AudioBody,
  AudioClient,
  Call,
  DiarizedTranscription,
  FileDeletion,
  FileList,
  ListCall,
  ModelList,
  SpeechCreateBody,
  SpeechResult,
  SpeechStream,
  SpeechStreamBody,
  SpeechTask,
  SpeechTaskBody,
  StoredFile,
  Task,
  TaskHandle,
  TaskOf,
  TaskOutcome,
  Transcription,
  TranscriptionCreateBody,
  TranscriptionStream,
  TranscriptionTask,
  UploadSource,
  Voice,
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
    expectTypeOf(() => create().create({ ...standard, response_format: 'text' })).returns.toEqualTypeOf<Call<string>>()
    expectTypeOf(() => create().create({ ...diarize, response_format: 'text' })).returns.toEqualTypeOf<Call<string>>()
  })

  test('the multi-speaker model has segments, unless they are declined', () => {
    expectTypeOf(() => create().create(diarize)).returns.toEqualTypeOf<Call<DiarizedTranscription>>()
    expectTypeOf(() =>
      create().create({ ...diarize, diarize: true, response_format: 'json' }),
    ).returns.resolves.toEqualTypeOf<DiarizedTranscription>()
    expectTypeOf(() => create().create({ ...diarize, diarize: false })).returns.resolves.toEqualTypeOf<Transcription>()
  })

  test('the standard model has no speakers, and a format has one name', () => {
    expectTypeOf(() => create().create({ ...standard, diarize: false })).toBeFunction()
    // @ts-expect-error -- needs the multi-speaker model
    expectTypeOf(() => create().create({ ...standard, diarize: true })).toBeFunction()
    // @ts-expect-error -- in a task too
    expectTypeOf(() => create().createTask({ ...standard, diarize: true })).toBeFunction()
    const speech = { model: 'svc-tts-1.5-flash', input: 'Hi', voice_id: 'rms' } as const
    expectTypeOf(() => client().speech.create({ ...speech, response_format: 'opus' })).toBeFunction()
    expectTypeOf(() => client().speech.create({ ...speech, response_format: 'vendor-format' })).toBeFunction()
    // @ts-expect-error -- opus is its name
    expectTypeOf(() => client().speech.create({ ...speech, response_format: 'ogg' })).toBeFunction()
  })

  test('a task by its id has the fields of every kind, and that of a resource those of its own', () => {
    const { tasks } = client()
    expectTypeOf(() => tasks.wait('t')).returns.resolves.toHaveProperty('text')
    expectTypeOf(() => tasks.wait('t')).returns.resolves.toHaveProperty('url')
    expectTypeOf<TaskOf<'audio.transcription'>>().toEqualTypeOf<TranscriptionTask>()
    expectTypeOf<TranscriptionTask>().not.toHaveProperty('url')
    expectTypeOf<TaskOf<'audio.voice_generation'>>().toEqualTypeOf<SpeechTask>()
    expectTypeOf<SpeechTask>().not.toHaveProperty('text')
  })

  test('any other model has text', () => {
    expectTypeOf(() => create().create(standard)).returns.resolves.toEqualTypeOf<Transcription>()
    expectTypeOf(() =>
      create().create({ ...standard, model: 'vendor-2' }),
    ).returns.resolves.toEqualTypeOf<Transcription>()
  })

  test('an outcome that only runtime decides has both types', () => {
    expectTypeOf((body: TranscriptionCreateBody) => create().create(body)).returns.resolves.toEqualTypeOf<
      Transcription | string
    >()
  })

  test('refuses fields of other methods', () => {
    expectTypeOf<TranscriptionCreateBody['stream']>().toEqualTypeOf<undefined>()
    expectTypeOf<TranscriptionCreateBody['async']>().toEqualTypeOf<undefined>()
    expectTypeOf<TranscriptionCreateBody['webhook_url']>().toEqualTypeOf<undefined>()
    // @ts-expect-error -- one method, one kind of response
    expectTypeOf(() => create().create({ ...diarize, stream: true })).toBeFunction()
    // @ts-expect-error -- one method, one kind of response
    expectTypeOf(() => create().create({ ...diarize, async: true })).toBeFunction()
    // @ts-expect-error -- not among the formats
    expectTypeOf(() => create().create({ ...standard, response_format: 'srt' })).toBeFunction()
  })

  test('keyterms are for every model but the standard one', () => {
    expectTypeOf(() => create().create({ ...diarize, keyterms: ['svc'] })).toBeFunction()
    expectTypeOf(() => create().create({ ...standard, model: 'vendor-2', keyterms: ['svc'] })).toBeFunction()
    expectTypeOf(() => create().create({ ...standard, keyterms: [] })).toBeFunction()
    // @ts-expect-error -- interface: a non-empty `keyterms` with svc-transcribe-1.0
    expectTypeOf(() => create().create({ ...standard, keyterms: ['svc'] })).toBeFunction()
    // @ts-expect-error -- in a task neither
    expectTypeOf(() => create().createTask({ ...standard, keyterms: ['svc'] })).toBeFunction()
    // @ts-expect-error -- interface: an array
    expectTypeOf(() => create().create({ ...diarize, keyterms: 'svc' })).toBeFunction()
  })

  test('exactly one source is given', () => {
    const { model } = standard
    expectTypeOf(() => create().create({ model, file_id: 'f' })).toBeFunction()
    expectTypeOf(() => create().create({ model, url: 'https://example.com/a.wav' })).toBeFunction()
    expectTypeOf(() => create().create({ model, audio_url: 'https://example.com/a.wav' })).toBeFunction()
    // @ts-expect-error -- one source is required
    expectTypeOf(() => create().create({ model })).toBeFunction()
    // @ts-expect-error -- two sources
    expectTypeOf(() => create().create({ ...standard, file_id: 'f' })).toBeFunction()
    // @ts-expect-error -- two sources
    expectTypeOf(() => create().createTask({ model, file_id: 'f', url: 'https://example.com/a.wav' })).toBeFunction()
    // @ts-expect-error -- two sources
    expectTypeOf(() => create().stream({ ...diarize, audio_url: 'https://example.com/a.wav' })).toBeFunction()
    // @ts-expect-error -- interface: `audio_data` is not supported
    expectTypeOf(() => create().create({ model, audio_data: 'UklGRg==' })).toBeFunction()
  })

  test('a task takes a webhook, a stream does not', () => {
    expectTypeOf(() =>
      create().createTask({ ...standard, webhook_url: 'https://example.com/hook' }),
    ).returns.toEqualTypeOf<Call<TaskHandle<TranscriptionTask>>>()
    expectTypeOf(() => create().stream(diarize)).returns.toEqualTypeOf<Call<TranscriptionStream>>()
    // @ts-expect-error -- a stream calls no webhook
    expectTypeOf(() => create().stream({ ...diarize, webhook_url: 'https://example.com/hook' })).toBeFunction()
    // @ts-expect-error -- a stream is no task
    expectTypeOf(() => create().stream({ ...diarize, async: true })).toBeFunction()
    // @ts-expect-error -- a stream has events, not text
    expectTypeOf(() => create().stream({ ...diarize, response_format: 'text' })).toBeFunction()
  })
})

describe('speech', () => {
  const speech = (): AudioClient['speech'] => client().speech
  const body = { model: 'svc-tts-1.5-flash', input: 'a', voice_id: 'v' } as const

  test('each method has one result', () => {
    expectTypeOf(() => speech().create(body)).returns.toEqualTypeOf<Call<AudioBody>>()
    expectTypeOf(() => speech().createUrl(body)).returns.toEqualTypeOf<Call<SpeechResult>>()
    expectTypeOf(() => speech().createTask(body)).returns.toEqualTypeOf<Call<TaskHandle<SpeechTask>>>()
    expectTypeOf(() => speech().stream({ model: 'svc-tts-1.5-flash', input: 'a' })).returns.toEqualTypeOf<
      Call<SpeechStream>
    >()
  })

  test('create refuses stream, async, delivery_method and webhook_url', () => {
    // @ts-expect-error -- speech.stream() is for this
    expectTypeOf(() => speech().create({ ...body, stream: true })).toBeFunction()
    // @ts-expect-error -- speech.createTask() is for this
    expectTypeOf(() => speech().create({ ...body, async: true })).toBeFunction()
    // @ts-expect-error -- speech.createTask() is for this
    expectTypeOf(() => speech().create({ ...body, webhook_url: 'https://example.com/hook' })).toBeFunction()
    // @ts-expect-error -- speech.createUrl() is for this
    expectTypeOf(() => speech().create({ ...body, delivery_method: 'url' })).toBeFunction()
    // @ts-expect-error -- works in streaming speech only
    expectTypeOf(() => speech().create({ ...body, speed: 2 })).toBeFunction()
    // @ts-expect-error -- a voice is required
    expectTypeOf(() => speech().create({ model: 'svc-tts-1.5-flash', input: 'a' })).toBeFunction()
  })

  test('a forbidden field is refused from a variable too', () => {
    expectTypeOf<{ model: string; input: string; voice_id: string; async: boolean }>().not.toExtend<SpeechCreateBody>()
    expectTypeOf<{ model: string; input: string; stream: true }>().not.toExtend<SpeechTaskBody>()
    expectTypeOf<{ model: string; input: string; webhook_url: string }>().not.toExtend<SpeechStreamBody>()
    expectTypeOf<{ model: string; input: string; sample_rate: number }>().not.toExtend<SpeechStreamBody>()
  })

  test('stream takes the fields of a stream, and a voice only if one is wanted', () => {
    expectTypeOf(() => speech().stream({ ...body, speed: 2, language: 'en', expected_duration_sec: 3 })).toBeFunction()
    // @ts-expect-error -- only pcm streams
    expectTypeOf(() => speech().stream({ ...body, response_format: 'mp3' })).toBeFunction()
    // @ts-expect-error -- has no effect on a stream and must not be passed
    expectTypeOf(() => speech().stream({ ...body, delivery_method: 'audio' })).toBeFunction()
    // @ts-expect-error -- the service chooses it
    expectTypeOf(() => speech().stream({ ...body, sample_rate: 8000 })).toBeFunction()
    // @ts-expect-error -- a stream is no task
    expectTypeOf(() => speech().stream({ ...body, async: true })).toBeFunction()
    // @ts-expect-error -- a stream calls no webhook
    expectTypeOf(() => speech().stream({ ...body, webhook_url: 'https://example.com/hook' })).toBeFunction()
  })

  test('ids and formats are open, and the known ones are still completed', () => {
    expectTypeOf<string>().toExtend<SpeechCreateBody['model']>()
    expectTypeOf<string>().toExtend<NonNullable<SpeechCreateBody['response_format']>>()
    expectTypeOf<SpeechCreateBody['model']>().not.toEqualTypeOf<string>()
  })
})

test('dialogue and voice generation have the same three outcomes as speech', () => {
  const { dialogue, voiceGenerations } = client()
  const lines = {
    model: 'svc-ttsd-1.0',
    speakers: [{ id: 'a', voice_id: 'v' }],
    segments: [{ speaker: 'a', text: 't' }],
  } as const
  const wish = { model: 'svc-voice-generator-1.0', input: 'a', instruction: 'old and kind' } as const
  expectTypeOf(() => dialogue.create(lines)).returns.toEqualTypeOf<Call<AudioBody>>()
  expectTypeOf(() => dialogue.createUrl(lines)).returns.toEqualTypeOf<Call<SpeechResult>>()
  expectTypeOf(() => dialogue.createTask(lines)).returns.toEqualTypeOf<Call<TaskHandle<SpeechTask>>>()
  expectTypeOf(() => voiceGenerations.create(wish)).returns.toEqualTypeOf<Call<AudioBody>>()
  expectTypeOf(() => voiceGenerations.createUrl(wish)).returns.toEqualTypeOf<Call<SpeechResult>>()
  expectTypeOf(() => voiceGenerations.createTask(wish)).returns.toEqualTypeOf<Call<TaskHandle<SpeechTask>>>()
  // @ts-expect-error -- dialogue.createTask() is for this
  expectTypeOf(() => dialogue.create({ ...lines, async: true })).toBeFunction()
  // @ts-expect-error -- voiceGenerations.createUrl() is for this
  expectTypeOf(() => voiceGenerations.create({ ...wish, delivery_method: 'url' })).toBeFunction()
  // @ts-expect-error -- an instruction is required
  expectTypeOf(() => voiceGenerations.create({ model: 'svc-voice-generator-1.0', input: 'a' })).toBeFunction()
})

describe('a known model of another endpoint', () => {
  const { speech, dialogue, voiceGenerations, transcriptions } = client()
  const body = { input: 'a', voice_id: 'v' } as const
  const lines = { speakers: [{ id: 'a', voice_id: 'v' }], segments: [{ speaker: 'a', text: 't' }] } as const
  const wish = { input: 'a', instruction: 'old and kind' }
  const { file } = standard

  test('is refused by the types of every method', () => {
    // @ts-expect-error -- a model of transcription
    expectTypeOf(() => speech.create({ ...body, model: 'svc-transcribe-1.0' })).toBeFunction()
    // @ts-expect-error -- a model of dialogue
    expectTypeOf(() => speech.createUrl({ ...body, model: 'svc-ttsd-1.0' })).toBeFunction()
    // @ts-expect-error -- a model of voice generation
    expectTypeOf(() => speech.createTask({ ...body, model: 'svc-voice-generator-1.0' })).toBeFunction()
    // @ts-expect-error -- a model of dialogue
    expectTypeOf(() => speech.createAndWait({ ...body, model: 'svc-ttsd-1.0' })).toBeFunction()
    // @ts-expect-error -- does not stream
    expectTypeOf(() => speech.stream({ ...body, model: 'svc-tts-1.0-pro' })).toBeFunction()
    // @ts-expect-error -- a model of one speaker
    expectTypeOf(() => dialogue.create({ ...lines, model: 'svc-tts-1.0-pro' })).toBeFunction()
    // @ts-expect-error -- a model of one speaker
    expectTypeOf(() => voiceGenerations.create({ ...wish, model: 'svc-tts-1.0-pro' })).toBeFunction()
    // @ts-expect-error -- a model of speech
    expectTypeOf(() => transcriptions.create({ file, model: 'svc-tts-1.0-pro' })).toBeFunction()
    // @ts-expect-error -- a model of speech
    expectTypeOf(() => transcriptions.createTask({ file, model: 'svc-tts-1.0-pro' })).toBeFunction()
    // @ts-expect-error -- does not stream
    expectTypeOf(() => transcriptions.stream({ file, model: 'svc-transcribe-1.0' })).toBeFunction()
  })

  test('leaves dated and unknown models to the service', () => {
    expectTypeOf(() => speech.create({ ...body, model: 'svc-tts-1.0-pro-2026-01-15' })).toBeFunction()
    expectTypeOf(() => dialogue.createTask({ ...lines, model: 'vendor-2' })).toBeFunction()
    expectTypeOf((model: string) => speech.stream({ ...body, model })).toBeFunction()
    expectTypeOf((model: string) => transcriptions.stream({ file, model })).toBeFunction()
  })
})

test('voices, files and models', () => {
  const { voices, files, models } = client()
  expectTypeOf(() => voices.create({ audio_sample: '/tmp/a.wav', name: 'Ann' })).returns.toEqualTypeOf<Call<Voice>>()
  expectTypeOf(() => voices.list()).returns.toEqualTypeOf<ListCall<VoiceList, Voice>>()
  expectTypeOf(() => files.create({ file: '/tmp/a.wav' })).returns.toEqualTypeOf<Call<StoredFile>>()
  expectTypeOf(() => files.list({ limit: 10 })).returns.toEqualTypeOf<ListCall<FileList, StoredFile>>()
  expectTypeOf(() => files.retrieve('f')).returns.toEqualTypeOf<Call<StoredFile>>()
  expectTypeOf(() => files.delete('f')).returns.toEqualTypeOf<Call<FileDeletion>>()
  expectTypeOf(() => models.list()).returns.toEqualTypeOf<Call<ModelList>>()
  // @ts-expect-error -- interface: file ids are refused
  expectTypeOf(() => voices.create({ audio_sample: '/tmp/a.wav', file_id: 'f' })).toBeFunction()
})

test('tasks and downloads', () => {
  const audio = client()
  expectTypeOf(() => audio.tasks.retrieve('t')).returns.toEqualTypeOf<Call<Task>>()
  expectTypeOf(() => audio.tasks.wait('t')).returns.toEqualTypeOf<Promise<Task>>()
  expectTypeOf(() => audio.tasks.waitAll(['t'])).returns.toEqualTypeOf<Promise<Task[]>>()
  expectTypeOf(() => audio.tasks.asCompleted(['t'])).returns.toEqualTypeOf<
    AsyncGenerator<TaskOutcome, void, undefined>
  >()
  expectTypeOf((result: SpeechResult) => audio.download(result)).returns.toEqualTypeOf<Call<AudioBody>>()
  expectTypeOf((task: Task) => audio.download(task)).returns.toEqualTypeOf<Call<AudioBody>>()
  expectTypeOf((handle: TaskHandle<SpeechTask>) => handle.wait()).returns.resolves.toEqualTypeOf<SpeechTask>()
  expectTypeOf((call: Call<Task>) => call.withResponse()).returns.resolves.toHaveProperty('requestId')
})

test('an upload is anything that can be opened again', () => {
  expectTypeOf<string>().toExtend<UploadSource>()
  expectTypeOf<Blob>().toExtend<UploadSource>()
  expectTypeOf<File>().toExtend<UploadSource>()
  expectTypeOf<Buffer>().toExtend<UploadSource>()
  expectTypeOf<() => ReadableStream<Uint8Array>>().toExtend<UploadSource>()
  expectTypeOf<() => AsyncGenerator<Uint8Array>>().toExtend<UploadSource>()
  expectTypeOf<() => NodeJS.ReadableStream>().not.toExtend<string>()
  expectTypeOf<ArrayBuffer>().not.toExtend<UploadSource>()
})
