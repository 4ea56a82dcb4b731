// What each panel sends to the service, and what it makes of the response: through the real client, over a stubbed fetch.
import type { PureAudioClient, Voice } from '@svc-audio/core/pure'
import { createFetchClient } from '@svc-audio/core/fetch'
import { beforeEach, describe, expect, test } from 'vitest'
import { bodyOf } from '../test/fake-service.ts'
import { makeRoundTrip, type Step } from './round-trip/panel.tsx'
import { createTask, FIRST_DRAFT as TASK_DRAFT, type NewTask, speakersOf } from './tasks/draft.ts'
import {
  type AudioSource,
  FIRST_DRAFT,
  type TranscribeDraft,
  transcribeSource,
  type Turn,
} from './transcribe/transcript.ts'
import { makeSample, SAMPLES } from './transcribe/sources.tsx'

interface Sent {
  readonly path: string
  /** JSON, or the fields of a form. A file is its name and its bytes. */
  readonly body: Readonly<Record<string, unknown>>
}

type Answer = Response | (() => Response | Promise<Response>)

let sent: Sent[]
let responses: Map<string, Answer>
let client: PureAudioClient

beforeEach(() => {
  sent = []
  responses = new Map()
  client = createFetchClient({
    apiKey: 'key',
    baseUrl: 'http://127.0.0.1:5173/api',
    maxRetries: 0,
    fetch: async (input, init = {}) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input)
      const path = `${init.method} ${pathname.replace('/api', '')}`
      sent.push({ path, body: await bodyOf(init.body, new Headers(init.headers)) })
      const response = responses.get(path)
      if (response === undefined) return Response.json({ error: { code: 'not_found', message: path } }, { status: 404 })
      return response instanceof Response ? response : response()
    },
  })
})

const signal = new AbortController().signal
const WAV = (): Response => new Response('RIFF', { headers: { 'content-type': 'audio/wav' } })
const FILE: AudioSource = { name: 'talk.wav', file: new Blob(['RIFF-talk'], { type: 'audio/wav' }) }
const SEGMENTS = [
  { type: 'transcript.text.segment', id: 'seg_0', start: 0, end: 1.5, text: 'Good morning.', speaker: 'S01' },
  { type: 'transcript.text.segment', id: 'seg_1', start: 2, end: 3, text: 'Hello.', speaker: 'S02' },
]

describe('a transcription', () => {
  const TRANSCRIPTIONS = 'POST /v1/audio/transcriptions'
  let progress: { readonly turns: readonly Turn[]; readonly pending: string }[]

  beforeEach(() => {
    progress = []
  })

  function transcribe(
    source: AudioSource,
    change: Partial<TranscribeDraft> = {},
    own = signal,
  ): ReturnType<typeof transcribeSource> {
    const draft = { ...FIRST_DRAFT, ...change }
    const onTask = (): void => {}
    const onProgress = (turns: readonly Turn[], pending: string): void => void progress.push({ turns, pending })
    return transcribeSource({ client, source, draft, signal: own, onTask, onProgress })
  }

  function events(...list: readonly object[]): Response {
    const frames = list.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
    return new Response(frames, { headers: { 'content-type': 'text/event-stream' } })
  }

  const created = { type: 'task.created', task_id: 'task_1', object: 'audio.transcription', status: 'PROCESSING' }
  const delta = (text: string): object => ({ type: 'transcript.text.delta', delta: text })
  const segment = (index: number, speaker: string, text: string): object => ({
    type: 'transcript.segment.done',
    content_index: index,
    speaker,
    text,
  })
  const done = (text: string): object => ({ type: 'transcript.text.done', text })

  test('a transcription of the standard model is its text, without turns and without key terms', async () => {
    responses.set(TRANSCRIPTIONS, Response.json({ text: 'good morning' }))
    const result = await transcribe(FILE, { model: 'svc-transcribe-1.0', live: true, keyterms: 'Ann' })
    expect(result).toEqual({ text: 'good morning', turns: [], duration: undefined })
    expect(sent).toEqual([
      { path: TRANSCRIPTIONS, body: { model: 'svc-transcribe-1.0', file: ['talk.wav', 'RIFF-talk'] } },
    ])
  })

  test('a transcription with speakers has the turns, their times and the duration', async () => {
    const text = 'Good morning. Hello.'
    responses.set(TRANSCRIPTIONS, Response.json({ task: 'transcribe', text, duration: 3.5, segments: SEGMENTS }))
    const result = await transcribe(FILE, { live: false, keyterms: ' Ann \n\nBo' })
    expect(result).toMatchObject({ text, duration: 3.5 })
    expect(result.turns).toEqual([
      { id: 'seg_0', speaker: 'S01', text: 'Good morning.', start: 0, end: 1.5 },
      { id: 'seg_1', speaker: 'S02', text: 'Hello.', start: 2, end: 3 },
    ])
    expect(JSON.stringify(sent[0]?.body['keyterms'])).toMatch(/Ann.*Bo/)
  })

  test.each([
    [{ name: 'stored', file_id: 'file_1' }, { file_id: 'file_1' }],
    [{ name: 'linked', url: 'https://a.example/talk.wav' }, { url: 'https://a.example/talk.wav' }],
  ])('a transcription of %j is asked for by that field', async (source, field) => {
    responses.set(TRANSCRIPTIONS, Response.json({ text: 'a' }))
    await transcribe(source, { model: 'svc-transcribe-1.0' })
    expect(sent[0]?.body).toEqual({ model: 'svc-transcribe-1.0', ...field })
  })

  test('a transcription that is live shows the pending text, which a complete turn replaces', async () => {
    responses.set(
      TRANSCRIPTIONS,
      events(delta('Good '), delta('morning.'), segment(0, 'S01', 'Good morning.'), delta('Hel'), done('All')),
    )
    const result = await transcribe(FILE)
    expect(progress.map(({ turns, pending }) => [turns.length, pending])).toEqual([
      [0, 'Good '],
      [0, 'Good morning.'],
      [1, ''],
      [1, 'Hel'],
      [1, 'Hel'],
    ])
    expect(result.text).toBe('All')
    expect(result.turns).toEqual([{ id: '0', speaker: 'S01', text: 'Good morning.', start: undefined, end: undefined }])
  })

  test('a transcription that is live does not change the turns that it has reported', async () => {
    responses.set(TRANSCRIPTIONS, events(segment(0, 'S01', 'One.'), segment(1, 'S02', 'Two.'), done('One. Two.')))
    await transcribe(FILE)
    expect(progress.map(({ turns }) => turns.length)).toEqual([1, 2, 2])
  })

  test('a transcription that is live takes the times from its task', async () => {
    responses.set(TRANSCRIPTIONS, events(created, segment(0, 'S01', 'Good morning.'), done('Good morning.')))
    const task = { id: 'task_1', object: 'audio.transcription', status: 'SUCCESS', created_at: 1, updated_at: 2 }
    responses.set('GET /v1/audio/tasks/task_1', Response.json({ ...task, segments: SEGMENTS, duration: 3.5 }))
    const result = await transcribe(FILE)
    expect(result).toMatchObject({ text: 'Good morning.', duration: 3.5 })
    expect(result.turns.map(({ start, end }) => [start, end])).toEqual([
      [0, 1.5],
      [2, 3],
    ])
  })

  test.each([
    ['does not know the task any more', () => Response.json({ error: { code: 'task_not_found' } }, { status: 404 })],
    ['stores no segments', () => Response.json({ id: 'task_1', status: 'SUCCESS', text: 'a' })],
    [
      'stores segments without times',
      () => Response.json({ id: 'task_1', status: 'SUCCESS', segments: [{ text: 'a' }] }),
    ],
    ['stores something else', () => Response.json({ id: 'task_1', status: 'SUCCESS', segments: 'none' })],
  ])('a transcription that is live is complete when the service %s', async (_case, task) => {
    responses.set(TRANSCRIPTIONS, events(created, segment(0, 'S01', 'Good morning.'), done('Good morning.')))
    responses.set('GET /v1/audio/tasks/task_1', task)
    expect(await transcribe(FILE)).toEqual({
      text: 'Good morning.',
      turns: [{ id: '0', speaker: 'S01', text: 'Good morning.', start: undefined, end: undefined }],
      duration: undefined,
    })
  })

  test('a transcription whose stream is cut fails: the turns so far are not the transcript', async () => {
    responses.set(TRANSCRIPTIONS, events(created, segment(0, 'S01', 'Good morning.')))
    await expect(transcribe(FILE)).rejects.toMatchObject({ name: 'StreamTruncatedError' })
    expect(progress).toHaveLength(1)
  })

  test('a transcription that was stopped while its times are read is stopped', async () => {
    const controller = new AbortController()
    responses.set(TRANSCRIPTIONS, events(created, segment(0, 'S01', 'One.'), done('One.')))
    responses.set('GET /v1/audio/tasks/task_1', () => {
      controller.abort(new Error('stopped'))
      return Response.json({}, { status: 500 })
    })
    await expect(transcribe(FILE, {}, controller.signal)).rejects.toThrow('stopped')
  })
})

describe('a sample', () => {
  const voices = (...ids: string[]): Response =>
    Response.json({ object: 'list', has_more: false, data: ids.map((id) => ({ id, object: 'audio.voice', name: id })) })
  const [one, two] = SAMPLES

  test('a sample of one voice is speech, and its text is known', async () => {
    responses.set('GET /v1/audio/voices', voices('rms', 'slt')).set('POST /v1/audio/speech', WAV)
    if (one === undefined) throw new Error('There is no sample')
    const source = await makeSample(client, one)
    expect(source).toMatchObject({ name: 'sample-one-voice.wav', said: one.lines[0]?.text })
    expect(sent[1]).toEqual({
      path: 'POST /v1/audio/speech',
      body: { model: 'svc-tts-1.5-flash', input: source.said, voice_id: 'rms', response_format: 'wav' },
    })
  })

  test('a sample of two voices is a dialogue of the first two', async () => {
    responses.set('GET /v1/audio/voices', voices('rms', 'slt', 'awb')).set('POST /v1/audio/speech/speakers', WAV)
    if (two === undefined) throw new Error('There is no sample')
    const source = await makeSample(client, two)
    expect(sent[1]?.body).toEqual({
      model: 'svc-ttsd-1.0',
      speakers: [
        { id: '0', voice_id: 'rms' },
        { id: '1', voice_id: 'slt' },
      ],
      segments: two.lines.map(({ speaker, text }) => ({ speaker: String(speaker), text })),
      response_format: 'wav',
    })
    expect(source.said).toBe(two.lines.map(({ text }) => text).join(' '))
  })

  test('a sample is refused before any speech when the service has too few voices', async () => {
    responses.set('GET /v1/audio/voices', voices('rms'))
    if (two === undefined) throw new Error('There is no sample')
    await expect(makeSample(client, two)).rejects.toThrow('too few voices')
    expect(sent).toHaveLength(1)
  })
})

describe('a round trip', () => {
  const draft = { text: 'the old wall clock', voice: 'slt', model: 'svc-transcribe-1.0' } as const

  test('a round trip transcribes the audio that it made, and compares', async () => {
    responses.set('POST /v1/audio/speech', WAV)
    responses.set('POST /v1/audio/transcriptions', Response.json({ text: 'the cold wall clock' }))
    const steps: Step[] = []
    const trip = await makeRoundTrip(client, draft, signal, (step) => steps.push(step))
    expect(steps.map(({ name }) => name)).toEqual(['speaking', 'transcribing'])
    expect(sent.map(({ body }) => body)).toEqual([
      { model: 'svc-tts-1.5-flash', input: draft.text, voice_id: 'slt', response_format: 'wav' },
      { model: 'svc-transcribe-1.0', file: ['round-trip.wav', 'RIFF'] },
    ])
    expect(trip).toMatchObject({ voice: 'slt', said: draft.text, heard: 'the cold wall clock' })
    expect(trip.comparison).toMatchObject({ errors: 1, words: 4, rate: 0.25 })
    expect([trip.audio.type, await trip.audio.text()]).toEqual(['audio/wav', 'RIFF'])
  })

  test('a round trip whose speech is refused transcribes nothing', async () => {
    responses.set('POST /v1/audio/speech', () =>
      Response.json({ error: { code: 'voice_not_found', message: 'Unknown voice' } }, { status: 404 }),
    )
    const steps: Step[] = []
    const failed = makeRoundTrip(client, draft, signal, (step) => steps.push(step))
    await expect(failed).rejects.toMatchObject({ status: 404, code: 'voice_not_found' })
    expect([steps, sent.length]).toEqual([[{ name: 'speaking' }], 1])
  })
})

describe('a task', () => {
  const voice = (id: string): Voice => ({ id, object: 'audio.voice', name: id, created_at: 1 })
  const creation = (): Response => Response.json({ task_id: 'task_9', status: 'PENDING' })
  const job = (change: Partial<NewTask> & { readonly draft?: NewTask['draft'] } = {}): NewTask => ({
    client,
    draft: { ...TASK_DRAFT, text: '  Chapter one.  ', voice: 'rms', format: 'opus' },
    file: undefined,
    voices: [voice('rms'), voice('slt')],
    webhook_url: undefined,
    signal,
    ...change,
  })

  test('a task of speech has the text as it was typed, and a title without the spaces', async () => {
    responses.set('POST /v1/audio/speech', creation)
    expect(await createTask(job())).toEqual({ id: 'task_9', title: 'Chapter one.' })
    expect(sent[0]?.body).toEqual({
      model: 'svc-tts-1.5-flash',
      input: '  Chapter one.  ',
      voice_id: 'rms',
      response_format: 'opus',
      async: true,
    })
  })

  test('a task has a title of 120 characters at most', async () => {
    responses.set('POST /v1/audio/speech', creation)
    const { title } = await createTask(job({ draft: { ...TASK_DRAFT, text: 'a'.repeat(500), voice: 'rms' } }))
    expect(title).toBe('a'.repeat(120))
  })

  test('a task of a dialogue has the first two voices and the webhook', async () => {
    responses.set('POST /v1/audio/speech/speakers', creation)
    const webhook_url = 'https://hooks.example/hooks/audio?token=a'
    const { title } = await createTask(job({ draft: { ...TASK_DRAFT, kind: 'dialogue' }, webhook_url }))
    expect(title).toBe('Did you hear the news about the old bridge?')
    expect(sent[0]?.body).toMatchObject({
      async: true,
      webhook_url,
      speakers: [
        { id: 'host', voice_id: 'rms' },
        { id: 'guest', voice_id: 'slt' },
      ],
    })
  })

  test('a task of a transcription uploads the recording, and is called by its name', async () => {
    responses.set('POST /v1/audio/transcriptions', creation)
    const file = { data: new Blob(['RIFF']), name: 'talk, part 1.wav' }
    const draft = { ...TASK_DRAFT, kind: 'transcription' } as const
    expect(await createTask(job({ draft, file }))).toEqual({ id: 'task_9', title: 'talk, part 1.wav' })
    expect(sent[0]?.body).toEqual({ model: 'svc-transcribe-1.0', async: 'true', file: ['talk, part 1.wav', 'RIFF'] })
  })

  test('a task of a transcription without a recording is refused before a request', async () => {
    const draft = { ...TASK_DRAFT, kind: 'transcription' } as const
    await expect(createTask(job({ draft }))).rejects.toThrow('Choose a recording first')
    expect(sent).toEqual([])
  })

  test.each([
    [
      ['rms', 'slt', 'awb'],
      ['rms', 'slt'],
    ],
    [['rms'], ['rms', 'rms']],
    [[], ['', '']],
  ])('a task with the voices %j is spoken by %j', (ids, expected) => {
    expect(speakersOf(ids.map((id) => ({ id }))).map(({ voice_id }) => voice_id)).toEqual(expected)
  })
})
