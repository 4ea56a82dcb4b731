import type { INodeParameters } from 'n8n-workflow'
import { describe, expect, test } from 'vitest'
import { errorOf, outputOf, textOf } from './support/engine.ts'
import { byId } from './support/parameters.ts'
import { scripted } from './support/scripted.ts'

const SPEECH = { resource: 'speech', operation: 'startTask', text: 'Good morning.', voice: byId('voice-1') }
const STARTS: readonly [name: string, fields: INodeParameters, object: string][] = [
  ['Speech', SPEECH, 'audio.speech'],
  [
    'Dialogue',
    {
      resource: 'dialogue',
      operation: 'startTask',
      speakers: { speaker: [{ name: 'Ann', voiceId: 'voice-1' }] },
      lines: { line: [{ speaker: 'Ann', text: 'Hi.' }] },
    },
    'audio.speech',
  ],
  [
    'Transcription',
    { resource: 'transcription', operation: 'startTask', source: 'url', url: 'https://example.com/a.wav' },
    'audio.transcription',
  ],
  ['Voice', { resource: 'voice', operation: 'startTask', text: 'Hi', instruction: 'Old' }, 'audio.voice_generation'],
]

const given = scripted()

const wait = (fields: INodeParameters = {}): { name: string; parameters: INodeParameters } => ({
  name: 'Wait',
  parameters: { resource: 'task', operation: 'wait', taskId: '={{ $json.taskId }}', ...fields },
})

describe.each(STARTS)('a task of %s', (_name, parameters, object) => {
  test('is started, and waited for', async () => {
    const run = await given.engine.run([
      { name: 'Start Task', parameters },
      wait({ options: { pollInterval: '0.001' } }),
    ])
    expect(errorOf(run, 'Start Task') ?? errorOf(run, 'Wait')).toBeUndefined()
    const [started] = outputOf(run, 'Start Task')
    expect(started?.json).toMatchObject({ object, status: 'PENDING' })
    const [done] = outputOf(run, 'Wait')
    expect(done?.json).toMatchObject({ id: started?.json['taskId'], status: 'SUCCESS' })
    const { text, bytes } = done?.json ?? {}
    const size = done?.binary === undefined ? undefined : (await given.engine.bytesOf(done, 'data')).byteLength
    expect(text === 'Good morning, this is a test.' || Number(size) > 0).toBe(true)
    expect(size).toBe(bytes)
  })

  test('takes the Webhook URL to the service', async () => {
    const webhookUrl = '={{ "https://n8n.example/webhook-waiting/1" }}'
    await given.engine.run([{ name: 'Start Task', parameters: { ...parameters, webhookUrl } }])
    expect(given.upstream.requests[0]?.json).toMatchObject({
      async: true,
      webhook_url: 'https://n8n.example/webhook-waiting/1',
    })
  })
})

describe('Wait for Completion', () => {
  test('without the download leaves the URL', async () => {
    const run = await given.engine.run([
      { name: 'Start Task', parameters: SPEECH },
      wait({ download: '={{ "false" }}' }),
    ])
    const [done] = outputOf(run, 'Wait')
    expect(done?.binary).toBeUndefined()
    expect(textOf(done, 'url')).toContain(given.upstream.url)
  })

  test('of a failed task is an error with what the service says', async () => {
    given.upstream.nextTask({ error: { code: 'engine_failed', message: 'The engine is broken' } })
    const run = await given.engine.run([{ name: 'Start Task', parameters: SPEECH }, wait()])
    expect(errorOf(run, 'Wait')).toMatchObject({
      name: 'NodeApiError',
      message: 'The task failed: The engine is broken [item 0]',
    })
  })

  test('that takes too long says how to go on', async () => {
    given.upstream.nextTask({ polls: Infinity })
    const options = { timeout: '0.05', pollInterval: 0.01 }
    const run = await given.engine.run([{ name: 'Start Task', parameters: SPEECH }, wait({ options })])
    expect(errorOf(run, 'Wait')).toMatchObject({
      message: expect.stringMatching(/^Timeout \(Seconds\): the task has not finished/),
      description: expect.stringContaining('with the same Task ID again'),
    })
  })

  test('stops asking when the run is stopped', async () => {
    given.upstream.nextTask({ polls: Infinity })
    const onStart = (cancel: () => void): void =>
      void given.upstream.waitForRequest('GET /v1/audio/tasks/{task_id}').then(cancel)
    const nodes = [{ name: 'Start Task', parameters: SPEECH }, wait({ options: { pollInterval: 0.005 } })]
    const run = await given.engine.run(nodes, { onStart })
    expect(run.status).toBe('canceled')
    await given.upstream.idle()
    const asked = given.upstream.requests.length
    await given.upstream.idle()
    expect(given.upstream.requests).toHaveLength(asked)
  })
})

test('Get reads a task as it stands', async () => {
  given.upstream.nextTask({ polls: Infinity })
  const get = { name: 'Get', parameters: { resource: 'task', operation: 'get' } }
  const run = await given.engine.run([{ name: 'Start Task', parameters: SPEECH }, get])
  expect(outputOf(run, 'Get')[0]?.json).toMatchObject({ object: 'audio.speech', status: 'PENDING' })
})

test('a Webhook URL that is not HTTPS is refused before any request', async () => {
  const parameters = { ...SPEECH, webhookUrl: 'http://example.com/hook' }
  const run = await given.engine.run([{ name: 'Start Task', parameters }])
  expect(errorOf(run, 'Start Task')?.message).toBe('Webhook URL: must begin with https:// [item 0]')
  expect(given.upstream.requests).toHaveLength(0)
})
