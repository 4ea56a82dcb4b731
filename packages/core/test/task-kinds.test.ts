import { describe, expect, test } from 'vitest'
import type { AudioClient, TaskHandle } from '../src/index.ts'
import { connect } from './support/clients.ts'
import { respondJson, startServer, type TestServer } from './support/servers.ts'
import { SPEECH } from './support/speech.ts'

const DIALOGUE = {
  model: 'svc-ttsd-1.0',
  speakers: [{ id: 'ann', voice_id: 'v' }],
  segments: [{ speaker: 'ann', text: 'Hello.' }],
} as const
const GENERATION = { model: 'svc-voice-generator-1.0', input: 'Hello.', instruction: 'kind' } as const
const AUDIO = { url: '/a', response_format: 'mp3', content_type: 'audio/mpeg' }
const TEXT = { task: 'transcribe', duration: 1, text: 'Hello.', segments: [] }

/** A service that makes one task of the kind `object`, whose result has these fields. */
function startTask(object: string, result: object): Promise<TestServer> {
  const shared = { id: 't-9', object, created_at: 1 }
  return startServer((request, response) => {
    const creation = { ...shared, task_id: 't-9', status: 'PENDING' }
    const task = { ...shared, status: 'SUCCESS', updated_at: 2, ...result }
    return respondJson(request, response, request.method === 'POST' ? creation : task)
  })
}

type Start = (audio: AudioClient) => Promise<TaskHandle>

describe('interface: "all audio async tasks, including transcription, are queried here"', () => {
  const kinds: readonly (readonly [string, string, object, Start])[] = [
    // rules: task-query.every-kind, speech.task-result
    ['speech', 'audio.speech', AUDIO, ({ speech }) => speech.createTask(SPEECH)],
    // rules: task-query.every-kind, dialogue.async
    ['a dialogue', 'audio.speech', AUDIO, ({ dialogue }) => dialogue.createTask(DIALOGUE)],
    // rules: task-query.every-kind, voice-generation.async
    [
      'voice generation',
      'audio.voice_generation',
      { ...AUDIO, model_id: GENERATION.model },
      ({ voiceGenerations }) => voiceGenerations.createTask(GENERATION),
    ],
    // rules: task-query.every-kind, transcription.task-result, task.result-at-top-level
    [
      'transcription',
      'audio.transcription',
      TEXT,
      ({ transcriptions }) => transcriptions.createTask({ model: 'svc-transcribe-1.0', file_id: 'f' }),
    ],
  ]

  test.each(kinds)('%s', async (_, object, result, start) => {
    const server = await startTask(object, result)
    const task = await start(connect(server.url))
    expect(await task.wait()).toEqual({ id: 't-9', object, status: 'SUCCESS', created_at: 1, updated_at: 2, ...result })
    expect(server.requests[1]).toMatchObject({ method: 'GET', url: '/v1/audio/tasks/t-9' })
  })
})

// rules: speech.task-format
test('the format of a task comes from the task, not from the request', async () => {
  const server = await startTask('audio.speech', AUDIO)
  const task = await connect(server.url).speech.createTask({ ...SPEECH, response_format: 'wav' })
  expect(await task.wait()).toMatchObject({ response_format: 'mp3', content_type: 'audio/mpeg' })
})
