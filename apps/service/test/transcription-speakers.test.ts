import { encodeWav } from '@svc-audio/core/audio'
import type { DiarizedTranscription, TranscriptionStreamEvent } from '@svc-audio/core'
import { wordErrorRate } from '@svc-audio/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { gather } from './codec/sound.ts'
import { fliteSpeech } from '@svc-audio/kit/engine-fixtures/flite-speech.ts'
import { joined, signal } from '@svc-audio/kit/engine-fixtures/signals.ts'
import { errorOf, KEY, startTestService, type TestService } from './support/test-service.ts'

const MODEL = 'svc-transcribe-diarize-pro'
const LINES = [
  ['rms', 'Please send the report to the office before five.'],
  ['slt', 'Our meeting has been moved from Monday to Wednesday.'],
  ['rms', 'Many people prefer to drink coffee in the morning.'],
  ['slt', 'They have been married for more than twenty years.'],
] as const
const TEXT = LINES.map(([, line]) => line).join(' ')

let service: TestService
let talk: Uint8Array<ArrayBuffer>
beforeAll(async () => {
  service = await startTestService()
  const pieces: Int16Array[] = []
  for (const [voice, line] of LINES) pieces.push(await fliteSpeech(line, voice))
  talk = wav(joined(pieces, 0.7))
})
afterAll(() => service.close())

function wav(samples: Int16Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
  return new Uint8Array(encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [bytes]))
}

function form(file: Uint8Array<ArrayBuffer>, fields: Record<string, string> = {}): FormData {
  const data = new FormData()
  for (const [field, value] of Object.entries({ model: MODEL, ...fields })) data.append(field, value)
  data.append('file', new Blob([file]), 'talk.wav')
  return data
}

const post = (data: FormData, signal_?: AbortSignal): Promise<Response> =>
  fetch(`${service.url}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}` },
    body: data,
    ...(signal_ === undefined ? {} : { signal: signal_ }),
  })

async function diarized(response: Response): Promise<DiarizedTranscription> {
  expect(response.status).toBe(200)
  return (await response.json()) as DiarizedTranscription
}

let heard: Promise<DiarizedTranscription> | undefined
/** The talk's synchronous transcription, made once. */
function whole(): Promise<DiarizedTranscription> {
  heard ??= post(form(talk, { diarize: 'true' })).then(diarized)
  return heard
}

// rules: model-listing.endpoint
test('the model is listed', async () => {
  const { data } = await service.audio.models.list()
  expect(data.map(({ id }) => id)).toContain(MODEL)
})

describe('interface: multi-speaker result', () => {
  // rules: transcription-result.diarized, transcription-result.segment-fields, transcription-result.seconds
  // rules: transcription-result.speaker-label
  test('has the text, speaker and time of each segment', async () => {
    const result = await whole()
    expect(Object.keys(result)).toEqual(['task', 'duration', 'text', 'segments'])
    expect(result.task).toBe('transcribe')
    expect(result.duration).toBeCloseTo((talk.length - 44) / 32_000, 3)
    expect(wordErrorRate(TEXT, result.text)).toBeLessThanOrEqual(0.15)
    expect(result.segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S01', 'S02'])
    expect(result.segments.map(({ text }) => text).join(' ')).toBe(result.text)
    let at = 0
    for (const [index, segment] of result.segments.entries()) {
      expect(Object.keys(segment)).toEqual(['type', 'id', 'start', 'end', 'text', 'speaker'])
      expect(segment).toMatchObject({ type: 'transcript.text.segment', id: `seg_${index + 1}` })
      expect(segment.start).toBeGreaterThanOrEqual(at)
      expect(segment.end).toBeGreaterThan(segment.start)
      at = segment.end
    }
    expect(at).toBeLessThanOrEqual(result.duration)
  })

  // rules: transcription.diarize
  test('with diarize=false has only the same text', async () => {
    const response = await post(form(talk, { diarize: 'false' }))
    expect(await response.json()).toEqual({ text: (await whole()).text })
  })

  test('with response_format=text has only the text', async () => {
    const response = await post(form(talk, { response_format: 'text' }))
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(wordErrorRate(TEXT, await response.text())).toBeLessThanOrEqual(0.15)
  })

  // rules: transcription-result.no-segments
  test('silence has no text and no segments, also with keyterms', async () => {
    const silence = wav(signal(2, () => 0))
    const empty = { task: 'transcribe', duration: 2, text: '', segments: [] }
    expect(await diarized(await post(form(silence)))).toEqual(empty)
    expect(await diarized(await post(form(silence, { keyterms: '["Zorblax", "Acme"]' })))).toEqual(empty)
  })

  // rules: transcription.task-result
  test('a task has the same fields at its top level', async () => {
    const created = await service.audio.transcriptions.createTask({ model: MODEL, file: talk })
    const task = await created.wait({ pollInterval: 100 })
    expect(task).toMatchObject({ ...(await whole()), status: 'SUCCESS' })
  })
})

async function* eventsOf(response: Response): AsyncGenerator<TranscriptionStreamEvent> {
  let rest = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const frames = (rest + chunk).split('\n\n')
    rest = frames.pop() ?? ''
    for (const frame of frames.filter((text) => !text.startsWith(':'))) {
      expect(frame).toMatch(/^data: \{.*\}$/)
      yield JSON.parse(frame.slice('data: '.length)) as TranscriptionStreamEvent
    }
  }
  expect(rest).toBe('')
}

async function taskOf(id: string): Promise<Record<string, unknown>> {
  return (await (await service.request('GET', `/v1/audio/tasks/${id}`)).json()) as Record<string, unknown>
}

describe('interface: transcription events', () => {
  // rules: transcription.stream, transcription-events.frames, transcription-events.task-created
  // rules: transcription-events.delta, transcription-events.segment, transcription-events.done
  test('text comes while the engine works, then the segments, then the whole text', async () => {
    const response = await post(form(talk, { stream: 'true' }))
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = await gather(eventsOf(response))
    const result = await whole()
    const [created, ...rest] = events
    expect(created).toEqual({
      type: 'task.created',
      task_id: expect.stringMatching(/^task_[\da-f]{32}$/),
      object: 'audio.transcription',
      status: 'PROCESSING',
      model: MODEL,
    })
    const deltas = rest.flatMap((event) => (event.type === 'transcript.text.delta' ? [event.delta] : []))
    expect(deltas.length).toBeGreaterThan(1)
    expect(deltas.join('')).toBe(result.text)
    const segments = result.segments.map(({ speaker, text }, index) => {
      return { type: 'transcript.segment.done', content_index: index, speaker, text }
    })
    expect(rest.slice(deltas.length)).toEqual([...segments, { type: 'transcript.text.done', text: result.text }])
    const { task_id: id } = created as { task_id: string }
    expect(await taskOf(id)).toMatchObject({ ...result, status: 'SUCCESS' })
  })

  test('the client reads the whole stream', async () => {
    const stream = await service.audio.transcriptions.stream({ model: MODEL, file: talk })
    expect(wordErrorRate(TEXT, await stream.text())).toBeLessThanOrEqual(0.15)
    expect(stream.segments.map(({ speaker }) => speaker)).toEqual(['S01', 'S02', 'S01', 'S02'])
    expect(stream.complete).toBe(true)
  })

  test('without speakers the stream has no segments', async () => {
    const events = await gather(eventsOf(await post(form(talk, { stream: 'true', diarize: 'false' }))))
    expect(new Set(events.map(({ type }) => type))).toEqual(
      new Set(['task.created', 'transcript.text.delta', 'transcript.text.done']),
    )
  })

  test('silence is task.created and an empty transcript.text.done', async () => {
    const events = await gather(eventsOf(await post(form(wav(signal(1, () => 0)), { stream: 'true' }))))
    expect(events.map(({ type }) => type)).toEqual(['task.created', 'transcript.text.done'])
    expect(events[1]).toEqual({ type: 'transcript.text.done', text: '' })
  })

  test('bytes without audio are 415 before the first event, or an error event after it', async () => {
    const response = await post(form(Buffer.from('Once upon a time '.repeat(99)), { stream: 'true' }))
    // a slow machine needs more than two seconds for the format and has started to answer
    const begun = response.status === 200
    const said = begun ? (await gather(eventsOf(response))).map(({ type }) => type) : await errorOf(response)
    const refused = { status: 415, code: 'undecodable_audio', param: 'file' }
    expect(said).toEqual(begun ? ['task.created', 'error'] : refused)
  })

  test('a disconnect stops the work and fails the task; the file is deleted', async () => {
    const lines = joined(
      Array.from({ length: 6 }, () => new Int16Array(talk.buffer, 44)),
      1,
    )
    const controller = new AbortController()
    const response = await post(form(wav(lines), { stream: 'true' }), controller.signal)
    let id = ''
    for await (const event of eventsOf(response)) {
      if (event.type !== 'task.created') continue
      id = event.task_id
      break
    }
    controller.abort()
    await expect.poll(async () => (await taskOf(id))['status']).toBe('FAILED')
    expect(await taskOf(id)).toMatchObject({ error: { code: 'client_disconnected' } })
    await expect.poll(() => service.list('uploads')).toEqual([])
  })
})

describe('interface: transcription rules with speakers', () => {
  const rows: [rule: string, fields: Record<string, string>, code: string, param: string][] = [
    ['async', { stream: 'true', async: 'true' }, 'unsupported_with_stream', 'async'],
    ['a webhook', { stream: 'true', webhook_url: 'https://example.com/' }, 'unsupported_with_stream', 'webhook_url'],
    ['text', { stream: 'true', response_format: 'text' }, 'unsupported_with_stream', 'response_format'],
    [
      '101 keyterms',
      { keyterms: JSON.stringify(Array.from({ length: 101 }, (_, n) => `n${n}`)) },
      'invalid_range',
      'keyterms',
    ],
    ['a keyterm of 101 characters', { keyterms: 'x'.repeat(101) }, 'invalid_range', 'keyterms'],
    ['a keyterm that is a number', { keyterms: '["a", 1]' }, 'invalid_type', 'keyterms'],
  ]
  test.each(rows)('%s is refused, and no task is created', async (_rule, fields, code, param) => {
    const before = service.countTasks()
    expect(await errorOf(await post(form(talk, fields)))).toEqual({ status: 400, code, param })
    expect(service.countTasks()).toBe(before)
    expect(await service.list('uploads')).toEqual([])
  })
})
