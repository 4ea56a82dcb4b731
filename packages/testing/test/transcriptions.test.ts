import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { toneWav } from '../src/index.ts'
import { call, callJson, connect, form, readEvents, start } from './support/start.ts'

const ROUTE = 'POST /v1/audio/transcriptions'
const wav = new Uint8Array(toneWav(0.1))

test('a file is recorded, and the transcript comes from the options', async () => {
  const upstream = await start({ transcript: 'The old wall clock.' })
  const result = await connect(upstream).transcriptions.create({
    model: 'svc-transcribe-1.0',
    file: new File([wav], 'clock.wav', { type: 'audio/wav' }),
  })
  expect(result).toEqual({ text: 'The old wall clock.' })
  expect(upstream.requests[0]?.form).toEqual({
    fields: { model: ['svc-transcribe-1.0'] },
    files: [
      {
        field: 'file',
        filename: 'clock.wav',
        contentType: 'audio/wav',
        bytes: wav.byteLength,
        sha256: createHash('sha256').update(wav).digest('hex'),
        content: Buffer.from(wav),
      },
    ],
  })
})

test('a transcript can be plain text', async () => {
  const upstream = await start({ transcript: 'Plain words' })
  const client = connect(upstream)
  const body = { model: 'svc-transcribe-1.0', url: 'https://audio.test/a.wav', response_format: 'text' } as const
  expect(await client.transcriptions.create(body)).toBe('Plain words')
})

test('the multi-speaker model gives segments', async () => {
  const client = connect(await start())
  const result = await client.transcriptions.create({ model: 'svc-transcribe-diarize-pro', file: new Blob([wav]) })
  expect(result).toMatchObject({ task: 'transcribe', duration: 3, text: 'Good morning. Welcome back.' })
  expect(result.segments.map(({ speaker, start: from, end }) => [speaker, from, end])).toEqual([
    ['S01', 0, 1.5],
    ['S02', 1.5, 3],
  ])
  const plain = await client.transcriptions.create({
    model: 'svc-transcribe-diarize-pro',
    diarize: false,
    file: new Blob([wav]),
  })
  expect(plain).not.toHaveProperty('segments')
})

test('a streamed transcription ends with the whole text', async () => {
  const upstream = await start()
  const data = form('file', wav, { model: 'svc-transcribe-diarize-pro', stream: 'true' })
  const response = await call(upstream, ROUTE, data)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const list = await readEvents(response)
  expect(list[0]).toMatchObject({ type: 'task.created', object: 'audio.transcription', status: 'PROCESSING' })
  const deltas = list.filter(({ type }) => type === 'transcript.text.delta').map(({ delta }) => delta)
  expect(deltas.join('')).toBe('Good morning. Welcome back.')
  const segments = list.filter(({ type }) => type === 'transcript.segment.done')
  expect(segments).toMatchObject([
    { content_index: 0, speaker: 'S01', text: 'Good morning.' },
    { content_index: 1, speaker: 'S02', text: 'Welcome back.' },
  ])
  expect(list.at(-1)).toMatchObject({
    type: 'transcript.text.done',
    text: 'Good morning. Welcome back.',
    usage: { prompt_tokens: 10, completion_tokens: 4, total_tokens: 14 },
  })
  const task = await callJson(upstream, `GET /v1/audio/tasks/${String(list[0]?.['task_id'])}`)
  expect(task).toMatchObject({ status: 200, body: { object: 'audio.transcription', status: 'PROCESSING' } })
})

test('an asynchronous transcription is read from its task', async () => {
  const upstream = await start({ polls: 1, transcript: 'Later' })
  const created = await callJson(upstream, ROUTE, {
    model: 'svc-transcribe-1.0',
    url: 'https://a.test/b.wav',
    async: true,
  })
  expect(created.body).toMatchObject({ object: 'audio.transcription', status: 'PENDING' })
  const { id } = created.body as { id: string }
  expect(await callJson(upstream, `GET /v1/audio/tasks/${id}`)).toMatchObject({
    body: { status: 'SUCCESS', text: 'Later' },
  })
})

test('a stored file is a source, an unknown file is a 404', async () => {
  const upstream = await start()
  const stored = await callJson(upstream, 'POST /v1/files', form('file', wav))
  const { id } = stored.body as { id: string }
  const body = { model: 'svc-transcribe-1.0', file_id: id }
  expect((await call(upstream, ROUTE, body)).status).toBe(200)
  expect(await callJson(upstream, ROUTE, { ...body, file_id: 'file-none' })).toMatchObject({
    status: 404,
    body: { error: { code: 'file_not_found', param: 'file_id' } },
  })
})

test.each([
  ['no source', { model: 'svc-transcribe-1.0' }, 'file'],
  ['no model', { url: 'https://a.test/b.wav' }, 'model'],
  ['keyterms that are not a list', { model: 'x', url: 'https://a.test/b.wav', keyterms: 'one' }, 'keyterms'],
  ['a keyterm that is not text', { model: 'x', url: 'https://a.test/b.wav', keyterms: [1] }, 'keyterms'],
  [
    'keyterms for the standard model',
    { model: 'svc-transcribe-1.0', url: 'https://a.test', keyterms: ['a'] },
    'keyterms',
  ],
  ['a stream of the standard model', { model: 'svc-transcribe-1.0', url: 'https://a.test', stream: true }, 'stream'],
])('%s is refused', async (_, body, param) => {
  expect(await callJson(await start(), ROUTE, body)).toMatchObject({ status: 400, body: { error: { param } } })
})

test('keyterms in a form are repeated fields', async () => {
  const upstream = await start()
  await connect(upstream).transcriptions.create({
    model: 'svc-transcribe-diarize-pro',
    keyterms: ['Ada', 'Grace'],
    file: new Blob([wav]),
  })
  expect(upstream.requests[0]?.form?.fields['keyterms']).toEqual(['Ada', 'Grace'])
})
