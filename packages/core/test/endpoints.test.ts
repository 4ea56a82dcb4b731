import { describe, expect, test } from 'vitest'
import type { AudioClient } from '../src/index.ts'
import { connect } from './support/clients.ts'
import { readUpload } from './support/multipart.ts'
import { respondJson, readBody, startServer } from './support/servers.ts'
import { pcm, SPEECH } from './support/speech.ts'

const DIALOGUE = {
  model: 'svc-ttsd-1.0',
  speakers: [
    { id: 'ann', voice_id: 'v-1' },
    { id: 'bob', voice_id: 'v-2' },
  ],
  segments: [
    { speaker: 'ann', text: 'Hello.' },
    { speaker: 'bob', text: 'Good morning.' },
  ],
} as const
const GENERATION = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'an old, kind voice' } as const
const CREATION = { id: 't-1', task_id: 't-1', object: 'audio.speech', status: 'PENDING', created_at: 1, extra: 1 }
const RESULT = {
  id: 'r',
  object: 'audio.speech',
  status: 'SUCCESS',
  url: 'https://x.example/a',
  created_at: 1,
  new: [],
}
const AUDIO = pcm(2000)

interface Sent {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly body: unknown
}

/** What a call sends, when the service answers with `answer`. */
async function sent(
  answer: object | Uint8Array,
  call: (client: AudioClient) => Promise<unknown>,
): Promise<Sent & { result: unknown }> {
  const requests: Sent[] = []
  const server = await startServer(async (request, response) => {
    const body = await readBody(request)
    requests.push({
      method: request.method,
      url: request.url,
      body: body.length === 0 ? undefined : JSON.parse(body.toString()),
    })
    if (answer instanceof Uint8Array) response.writeHead(200, { 'content-type': 'audio/wav' }).end(answer)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  const result = await call(connect(server.url))
  const [first] = requests
  if (first === undefined || requests.length > 1) throw new Error(`${requests.length} requests`)
  return { ...first, result }
}

describe('interface: POST /v1/audio/speech/speakers', () => {
  // rules: dialogue.endpoint, dialogue.delivery-method
  test('dialogue.create returns the audio', async () => {
    const { result, ...request } = await sent(AUDIO, async ({ dialogue }) => (await dialogue.create(DIALOGUE)).bytes())
    expect(request).toEqual({ method: 'POST', url: '/v1/audio/speech/speakers', body: DIALOGUE })
    expect(result).toEqual(AUDIO)
  })

  // rules: dialogue.delivery-method, speech-result.fields, versioning.policy-open
  test('dialogue.createUrl returns the result with every field', async () => {
    const { result, body } = await sent(RESULT, ({ dialogue }) => dialogue.createUrl(DIALOGUE))
    expect(body).toEqual({ ...DIALOGUE, delivery_method: 'url' })
    expect(result).toEqual(RESULT)
  })

  // rules: dialogue.async, dialogue.webhook-url, creation.fields
  test('dialogue.createTask returns the task', async () => {
    const webhook = { webhook_url: 'https://example.com/hook' }
    const { result, body } = await sent(CREATION, ({ dialogue }) => dialogue.createTask({ ...DIALOGUE, ...webhook }))
    expect(body).toEqual({ ...DIALOGUE, ...webhook, async: true })
    expect(result).toMatchObject({ id: 't-1', creation: CREATION })
  })
})

describe('interface: POST /v1/audio/voice/generations', () => {
  const PATH = '/v1/audio/voice/generations'

  // rules: voice-generation.endpoint, voice-generation.audio-answer, voice-generation.delivery-method
  test('voiceGenerations.create returns the audio', async () => {
    const { result, ...request } = await sent(AUDIO, async ({ voiceGenerations }) =>
      (await voiceGenerations.create(GENERATION)).bytes(),
    )
    expect(request).toEqual({ method: 'POST', url: PATH, body: GENERATION })
    expect(result).toEqual(AUDIO)
  })

  // rules: voice-generation.url-answer, voice-generation.delivery-method
  test('voiceGenerations.createUrl returns the result', async () => {
    const { result, body } = await sent(RESULT, ({ voiceGenerations }) => voiceGenerations.createUrl(GENERATION))
    expect(body).toEqual({ ...GENERATION, delivery_method: 'url' })
    expect(result).toEqual(RESULT)
  })

  // rules: voice-generation.async, creation.model-id
  test('voiceGenerations.createTask returns the task with its model_id', async () => {
    const creation = { ...CREATION, object: 'audio.voice_generation', model_id: 'svc-voice-generator-1.0' }
    const { result, body } = await sent(creation, ({ voiceGenerations }) => voiceGenerations.createTask(GENERATION))
    expect(body).toEqual({ ...GENERATION, async: true })
    expect(result).toMatchObject({ id: 't-1', creation })
  })
})

describe('interface: async creation result', () => {
  // rules: speech.async, creation.updated-at
  test('speech.createTask requests a task', async () => {
    const { result, ...request } = await sent(CREATION, ({ speech }) => speech.createTask(SPEECH))
    expect(request).toEqual({ method: 'POST', url: '/v1/audio/speech', body: { ...SPEECH, async: true } })
    expect(result).toMatchObject({ id: 't-1' })
  })

  // rules: creation.task-id
  test('"usually equal": task_id is the one to query, and id where it is missing', async () => {
    const other = await sent({ ...CREATION, id: 'other' }, ({ speech }) => speech.createTask(SPEECH))
    expect(other.result).toMatchObject({ id: 't-1' })
    const { task_id: _, ...bare } = CREATION
    const without = await sent({ ...bare, id: 'only' }, ({ speech }) => speech.createTask(SPEECH))
    expect(without.result).toMatchObject({ id: 'only' })
  })

  // rules: transcription.async, transcription.webhook-url, transcription.keyterms, transcription.defaults-open
  test('transcriptions.createTask sends a file with async as a form field', async () => {
    const uploads: Awaited<ReturnType<typeof readUpload>>[] = []
    const server = await startServer(async (request, response) => {
      uploads.push(await readUpload(request))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(CREATION))
    })
    const body = { model: 'svc-transcribe-diarize-pro', file: AUDIO, keyterms: ['svc', 'Ærø'] } as const
    await connect(server.url).transcriptions.createTask({ ...body, webhook_url: 'https://example.com/hook' })
    expect(uploads[0]?.fields).toEqual({
      model: ['svc-transcribe-diarize-pro'],
      keyterms: ['svc', 'Ærø'],
      webhook_url: ['https://example.com/hook'],
      async: ['true'],
    })
  })
})

describe('interface: GET /v1/audio/tasks/{task_id}', () => {
  // rules: task-query.path, task.fields, task.result-at-top-level, task.result-fields-open
  test('tasks.retrieve returns the task with every field', async () => {
    const task = {
      id: 't/1',
      object: 'audio.speech',
      status: 'SUCCESS',
      created_at: 1,
      updated_at: 2,
      surprise: { a: 1 },
    }
    const { result, ...request } = await sent(task, ({ tasks }) => tasks.retrieve('t/1 ?'))
    expect(request).toEqual({ method: 'GET', url: '/v1/audio/tasks/t%2F1%20%3F', body: undefined })
    expect(result).toEqual(task)
  })

  test.each(['', '.', '..'])('the id %j throws', async (id) => {
    const server = await startServer((request, response) => respondJson(request, response, {}))
    const { tasks, files } = connect(server.url)
    await expect(tasks.retrieve(id)).rejects.toMatchObject({ name: 'InvalidRequestError', param: 'task_id' })
    await expect(files.delete(id)).rejects.toMatchObject({ name: 'InvalidRequestError', param: 'file_id' })
    expect(server.sockets).toHaveLength(0)
  })
})

describe('interface: /v1/files', () => {
  const FILE = { id: 'f', object: 'file', bytes: 3, created_at: 1, filename: 'a', purpose: '', status: 'processed' }

  // rules: file-upload.multipart, file-upload.purpose, file-upload.answer, file.fields
  test('files.create sends the purpose before the file', async () => {
    const uploads: Awaited<ReturnType<typeof readUpload>>[] = []
    const server = await startServer(async (request, response) => {
      uploads.push(await readUpload(request))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(FILE))
    })
    const file = { data: AUDIO, name: 'talk.wav' }
    expect(await connect(server.url).files.create({ file, purpose: 'audio' })).toEqual(FILE)
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/v1/files' })
    expect(uploads[0]).toMatchObject({ names: ['purpose', 'file'], fields: { purpose: ['audio'] } })
    expect(uploads[0]?.file).toMatchObject({ name: 'talk.wav', bytes: Buffer.from(AUDIO) })
  })

  // rules: file-retrieval.path, file-deletion.path, file-deletion.fields, file.fields, file.purpose-empty
  test('files.retrieve and files.delete name the file in the path', async () => {
    const retrieved = await sent(FILE, ({ files }) => files.retrieve('f-1'))
    expect(retrieved).toMatchObject({ method: 'GET', url: '/v1/files/f-1', result: FILE })
    const deletion = { id: 'f-1', object: 'file', deleted: true }
    const deleted = await sent(deletion, ({ files }) => files.delete('f-1'))
    expect(deleted).toMatchObject({ method: 'DELETE', url: '/v1/files/f-1', result: deletion, body: undefined })
  })

  // rules: file-listing.limit, file-listing.offset, file-listing.purpose, file-listing.answer
  test('files.list sends its query', async () => {
    const { url } = await sent({ object: 'list', data: [] }, ({ files }) =>
      files.list({ limit: 200, offset: 100_000, purpose: 'a b' }),
    )
    expect(url).toBe('/v1/files?limit=200&offset=100000&purpose=a+b')
  })
})

describe('interface: POST /v1/audio/voices', () => {
  // rules: voice-creation.multipart, voice-creation.sample, voice-creation.texts, voice-creation.answer, voice.fields
  test('voices.create sends the sample as audio_sample, with name and description', async () => {
    const uploads: Awaited<ReturnType<typeof readUpload>>[] = []
    const voice = { id: 'v', object: 'audio.voice', name: 'Ann', created_at: 1 }
    const server = await startServer(async (request, response) => {
      uploads.push(await readUpload(request, 'audio_sample'))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(voice))
    })
    const sample = { audio_sample: AUDIO, name: 'Ann', description: 'warm' }
    expect(await connect(server.url).voices.create(sample)).toEqual(voice)
    expect(server.requests[0]).toMatchObject({ method: 'POST', url: '/v1/audio/voices' })
    expect(uploads[0]).toMatchObject({ names: ['name', 'description', 'audio_sample'] })
    expect(uploads[0]?.fields).toEqual({ name: ['Ann'], description: ['warm'] })
    expect(uploads[0]?.file.bytes).toEqual(Buffer.from(AUDIO))
  })
})

test('withResponse adds status, headers and request id', async () => {
  const server = await startServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'x-request-id': 'req-9', 'x-more': 'a' })
    response.end('{"object":"list","data":[]}')
  })
  const audio = connect(server.url)
  const answer = await audio.models.list().withResponse()
  expect(answer).toMatchObject({
    status: 200,
    requestId: 'req-9',
    headers: { 'x-more': 'a' },
    data: { object: 'list' },
  })
  expect(await audio.voices.list().withResponse()).toMatchObject({ requestId: 'req-9' })
})

test('a failure that withResponse reports is not reported again as unhandled', async () => {
  const unhandled: unknown[] = []
  const note = (error: unknown): void => void unhandled.push(error)
  process.on('unhandledRejection', note)
  const server = await startServer((_, response) => void response.writeHead(404).end('{}'))
  const audio = connect(server.url)
  await expect(audio.models.list().withResponse()).rejects.toMatchObject({ status: 404 })
  await expect(audio.models.list()).rejects.toMatchObject({ status: 404 })
  await new Promise((resolve) => setTimeout(resolve, 20))
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
})
