import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { AudioClient } from '../src/index.ts'
import { API_KEY, connect, rejection } from './support/clients.ts'
import { respondJson, startServer } from './support/servers.ts'
import { SPEECH, STREAM } from './support/speech.ts'

const DIALOGUE = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'ann', voice_id: 'v' }],
  segments: [{ speaker: 'ann', text: 'Hello.' }],
} as const
const GENERATION = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'kind' } as const
const STORED = { model: 'svc-transcribe-diarize-pro', file_id: 'f-1' } as const
const FILE = Uint8Array.of(1)

/** Every method that sends something. */
const calls: readonly ((audio: AudioClient) => Promise<unknown>)[] = [
  ({ speech }) => speech.create(SPEECH),
  ({ speech }) => speech.createUrl(SPEECH),
  ({ speech }) => speech.createTask(SPEECH),
  ({ speech }) => speech.stream(STREAM),
  ({ speech }) => speech.stream({ ...STREAM, stream_format: 'audio' }),
  ({ dialogue }) => dialogue.create(DIALOGUE),
  ({ dialogue }) => dialogue.createUrl(DIALOGUE),
  ({ dialogue }) => dialogue.createTask(DIALOGUE),
  ({ transcriptions }) => transcriptions.create({ ...STORED }),
  ({ transcriptions }) => transcriptions.create({ model: STORED.model, file: FILE }),
  ({ transcriptions }) => transcriptions.createTask({ ...STORED }),
  ({ transcriptions }) => transcriptions.stream({ ...STORED }),
  ({ voices }) => voices.create({ audio_sample: FILE }),
  ({ voices }) => voices.list(),
  ({ voiceGenerations }) => voiceGenerations.create(GENERATION),
  ({ voiceGenerations }) => voiceGenerations.createUrl(GENERATION),
  ({ voiceGenerations }) => voiceGenerations.createTask(GENERATION),
  ({ tasks }) => tasks.retrieve('t-1'),
  ({ tasks }) => tasks.wait('t-1'),
  ({ files }) => files.create({ file: FILE }),
  ({ files }) => files.list(),
  ({ files }) => files.retrieve('f-1'),
  ({ files }) => files.delete('f-1'),
  ({ models }) => models.list(),
]

// rules: versioning.v1, auth.bearer, file-upload.multipart, dialogue.endpoint, voice-generation.endpoint
test('the client calls every endpoint of the interface and no other, each with its key', async () => {
  const text = readFileSync(new URL('../../../docs/interface.md', import.meta.url), 'utf8')
  const documented = [...text.matchAll(/^### ([A-Z]+ \/\S+)/gm)].map(([, endpoint]) => endpoint)
  const server = await startServer((request, response) => respondJson(request, response, {}, 404))
  const audio = connect(server.url)
  for (const call of calls) expect(await rejection(call(audio))).toMatchObject({ name: 'ApiError', status: 404 })
  const asked = server.requests.map(({ method, url }) =>
    `${method} ${url}`.replace('/t-1', '/{task_id}').replace('/f-1', '/{file_id}'),
  )
  expect(new Set(asked)).toEqual(new Set(documented))
  expect(new Set(server.requests.map(({ headers }) => headers.authorization))).toEqual(new Set([`Bearer ${API_KEY}`]))
})

// rules: voice-creation.no-retrieval, model-listing.no-detail
test('voices and models have no method for a missing endpoint', () => {
  const audio = connect('http://localhost')
  const methods = (resource: object): string[] => Object.getOwnPropertyNames(Object.getPrototypeOf(resource)).toSorted()
  expect(methods(audio.voices)).toEqual(['constructor', 'create', 'list'])
  expect(methods(audio.models)).toEqual(['constructor', 'list'])
})
