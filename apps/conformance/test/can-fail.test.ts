import {
  audioBytes,
  createTestUpstream,
  cut,
  events,
  type HttpReply,
  json,
  status,
  type TestUpstream,
} from '@svc-audio/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { CHECKS, UNOBSERVABLE } from '../src/checks/index.ts'
import { type RuleResult, runChecks, serverRules } from '../src/check.ts'
import { startHook, Subject } from '../src/subject/subject.ts'

let upstream: TestUpstream
beforeEach(async () => {
  upstream = await createTestUpstream({ polls: 1 })
})
afterEach(() => upstream.close())

async function ask(rule: string): Promise<RuleResult> {
  const subject = new Subject({ baseUrl: upstream.url, key: upstream.apiKey, timeout: 5000 })
  const rules = serverRules().filter(({ id }) => id === rule)
  const [result] = await runChecks(subject, { rules, checks: CHECKS, unobservable: UNOBSERVABLE })
  if (result === undefined) throw new Error(`Unknown rule ${rule}`)
  return result
}

const SPEECH = 'POST /v1/audio/speech'
const VOICES = 'GET /v1/audio/voices'
const MODEL = { id: 'svc-tts-1.5-flash', object: 'model', created: 1_700_000_000, owned_by: 'svc' }
const FILE = {
  id: 'f',
  object: 'file',
  bytes: 4,
  created_at: 1_700_000_000,
  filename: 'a',
  purpose: '',
  status: 'active',
}
const EVENTS = [
  { type: 'task.created', task_id: 't', object: 'audio.speech', status: 'PROCESSING', model: 'svc-tts-1.5-flash' },
  { type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 },
  { type: 'speech.audio.delta', audio: 'AAAA' },
  { type: 'speech.audio.delta', audio: 'AAA=' },
  { type: 'speech.audio.done' },
]

/** Returns the events with one event changed, or omitted with `null`. */
function changed(type: string, change: object | null): typeof EVENTS {
  return EVENTS.flatMap((event) => (event.type !== type ? [event] : change === null ? [] : [{ ...event, ...change }]))
}

describe('a correct server follows', () => {
  test.each([
    'model.fields',
    'model-listing.endpoint',
    'general.timestamps',
    'voice.no-urls',
    'voice-list.cursor',
    'voice-listing.after',
    'file.fields',
    'file-deletion.effect',
    'file-listing.offset',
    'speech-result.fields',
    'speech.response-format',
    'stream.pcm-format',
    'speech-events.done',
    'speech-events.empty-delta',
    'creation.fields',
    'task.retry-after',
    'transcription-result.no-segments',
    'transcription-events.task-created',
    'errors.keyterms-model',
    'auth.bearer',
  ])('%s', async (rule) => {
    expect(await ask(rule)).toMatchObject({ rule, outcome: 'ok' })
  })
})

/** A rule, a server's wrong response to one endpoint, and the reported reason. */
type Fault = readonly [rule: string, endpoint: Parameters<TestUpstream['on']>[0], answer: HttpReply, why: string]

const faults: readonly Fault[] = [
  ['model.fields', 'GET /v1/models', json({ object: 'models', data: [MODEL] }), 'object must be "list"'],
  [
    'model.fields',
    'GET /v1/models',
    json({ object: 'list', data: [{ ...MODEL, created: 1.5 }] }),
    'a time in Unix seconds',
  ],
  ['model.fields', 'GET /v1/models', json({ object: 'list', data: [{ ...MODEL, owned_by: null }] }), 'no owner'],
  ['general.svc-word', 'GET /v1/models', json({ object: 'list', data: [{ ...MODEL, id: 'tts-1' }] }), 'does not begin'],
  [
    'voice.fields',
    VOICES,
    json({ object: 'list', has_more: false, data: [{ id: 'v', object: 'voice' }] }),
    'object must be',
  ],
  ['voice-list.fields', VOICES, json({ object: 'list', data: [] }), 'has no has_more'],
  ['voice-list.cursor', VOICES, json({ object: 'list', data: [{ id: 'v' }], has_more: true }), 'next_cursor'],
  ['voice.no-urls', VOICES, json({ object: 'list', data: [{ id: 'v', preview_url: 'https://a' }] }), 'preview_url'],
  ['file.fields', 'POST /v1/files', json(FILE), 'bytes must be'],
  ['file-listing.answer', 'GET /v1/files', json({ object: 'list', data: [{ ...FILE, status: 7 }] }), 'status must be'],
  ['file.no-internal-id', 'POST /v1/files', json({ ...FILE, asset_id: 'a' }), 'asset_id'],
  [
    'file-deletion.fields',
    'DELETE /v1/files/{file_id}',
    json({ id: 'other', object: 'file', deleted: true }),
    'id must be',
  ],
  [
    'file-deletion.effect',
    'DELETE /v1/files/{file_id}',
    json({ deleted: true }),
    'accepted a request for a deleted file',
  ],
  ['speech-result.fields', SPEECH, json({ id: 'a', object: 'audio.speech', status: 'SUCCESS' }), 'has no url'],
  ['speech.response-format', SPEECH, audioBytes(new Uint8Array(5000), 'audio/wav'), 'is not mp3 audio'],
  ['speech.input', SPEECH, audioBytes(new Uint8Array(5000), 'audio/wav'), 'accepted'],
  ['stream.pcm-answer', SPEECH, audioBytes(new Uint8Array(5000), 'audio/wav'), 'gives audio/wav'],
  ['stream.pcm-format', SPEECH, audioBytes(new Uint8Array(5000), 'audio/pcm'), 'X-Sample-Rate'],
  [
    'speech-events.frames',
    SPEECH,
    { headers: { 'content-type': 'text/event-stream' }, body: 'event: x\n\n' },
    'without data',
  ],
  ['speech-events.format', SPEECH, events(changed('speech.created', { format: 'mp3' })), 'format must be'],
  ['speech-events.values', SPEECH, events(changed('speech.created', { bit_depth: 12 })), 'not divisible by 8'],
  ['speech-events.delta', SPEECH, events(changed('speech.audio.delta', { audio: '*' })), 'not Base64'],
  ['speech-events.delta', SPEECH, events(changed('speech.audio.delta', { audio: 'AAAA' }).slice(0, 3)), 'whole frames'],
  ['speech-events.empty-delta', SPEECH, events(changed('speech.audio.delta', { audio: null })), 'audio must be'],
  ['speech-events.done', SPEECH, events(changed('speech.audio.done', null)), 'no speech.audio.done'],
  [
    'speech-events.done',
    SPEECH,
    events(changed('speech.audio.done', { usage: 1 })),
    'speech.audio.done has type, usage',
  ],
  ['speech-events.task-created', SPEECH, events(changed('task.created', { model: 'm' })), 'model must be'],
  ['states.stream-processing', SPEECH, events(changed('task.created', { status: 'PENDING' })), 'status must be'],
  ['errors.stream-speed', SPEECH, events(EVENTS), 'accepted {"speed":0.2}'],
  ['errors.before-response', SPEECH, events([...EVENTS, { type: 'error' }]), 'gives text/event-stream'],
  ['creation.fields', SPEECH, json({ id: 'a', object: 'audio.speech', status: 'PENDING' }), 'answered 404'],
  ['task.fields', 'GET /v1/audio/tasks/{task_id}', json({ id: 'a', status: 'SUCCESS' }), 'has no object'],
  ['task.result-at-top-level', 'GET /v1/audio/tasks/{task_id}', json({ status: 'SUCCESS', result: {} }), 'wraps'],
  [
    'task.retry-after',
    'GET /v1/audio/tasks/{task_id}',
    json({ status: 'SUCCESS', retry_after: 1 }),
    'has a retry_after',
  ],
  ['transcription-result.text', 'POST /v1/audio/transcriptions', json({ text: '' }), 'text must be'],
  ['transcription-result.diarized', 'POST /v1/audio/transcriptions', json({ text: 'a', segments: [] }), 'has no task'],
  ['errors.keyterms-model', 'POST /v1/audio/transcriptions', json({ text: 'a' }), 'accepted {"keyterms":["station"]}'],
]

describe('a wrong server breaks', () => {
  test.each(faults)('%s, with its response to %s', async (rule, endpoint, response, why) => {
    upstream.on(endpoint, response)
    const result = await ask(rule)
    expect(result.outcome).toBe('fail')
    expect(result.checks.map((one) => one.why).join('\n')).toContain(why)
  })

  test.each([
    ['models.known', status(400, { error: { code: 'no' } })],
    ['speech.input', status(503)],
    ['speech.audio-answer', cut({ afterBytes: 100 })],
  ])('%s, when speech fails', async (rule, response) => {
    upstream.on(SPEECH, response)
    expect(await ask(rule)).toMatchObject({ outcome: 'fail' })
  })

  test('the rule of a refusal, when it refuses the valid request too', async () => {
    upstream.on(SPEECH, status(400, { error: { code: 'missing_required_field' } }))
    expect(await ask('errors.stream-input')).toMatchObject({
      outcome: 'fail',
      why: expect.stringContaining('answered 400'),
    })
  })

  test('the rule of a refusal, when its error lacks a body or has a wrong code or status', async () => {
    const refusals = [
      { status: 400, body: '' },
      json({ error: { code: 'other' } }, { status: 400 }),
      status(401),
      status(500),
    ]
    for (const refusal of refusals) {
      upstream.on(SPEECH, ({ request }) =>
        Reflect.get(Object(request.json), 'speed') === 0.2 ? refusal : events(EVENTS),
      )
      expect(await ask('errors.stream-speed')).toMatchObject({ outcome: 'fail' })
    }
  })

  test('auth.deleted-key, when any key is accepted', async () => {
    const open = await startOpenServer()
    try {
      const subject = new Subject({ baseUrl: open.url, key: 'any', deletedKey: 'gone', timeout: 5000 })
      const rules = serverRules().filter(({ id }) => id === 'auth.deleted-key')
      const [result] = await runChecks(subject, { rules, checks: CHECKS, unobservable: [] })
      expect(result).toMatchObject({ outcome: 'fail', why: 'a deleted key was answered 204' })
    } finally {
      open.close()
    }
  })
})

/** A server that accepts every request. */
async function startOpenServer(): Promise<{ readonly url: string; close(): void }> {
  const hook = await startHook({ port: 0 })
  return { url: new URL(hook.next().url).origin, close: () => hook.close() }
}

describe('a check without its option is "not checked"', () => {
  test.each([
    ['auth.file-owner', 'needs --second-key'],
    ['auth.deleted-key', 'needs --deleted-key'],
    ['transcription.audio-url', 'needs --audio-url'],
    ['webhook.after-completion', 'needs --webhook-url'],
    ['limits.file-size', 'needs --large-uploads'],
    ['auth.shown-once', 'keys are created in a console'],
  ])('%s', async (rule, why) => {
    expect(await ask(rule)).toMatchObject({ outcome: 'not checked', why: expect.stringContaining(why) })
  })
})

test('a missing optional feature is "not supported"', async () => {
  expect(await ask('models.snapshots')).toMatchObject({ outcome: 'not supported' })
  upstream.on(SPEECH, events(changed('task.created', null)))
  expect(await ask('speech-events.task-created')).toMatchObject({ outcome: 'not supported' })
})

test('the run deletes its uploaded files', async () => {
  const subject = new Subject({ baseUrl: upstream.url, key: upstream.apiKey, timeout: 5000 })
  const rules = serverRules().filter(({ id }) => id.startsWith('file'))
  await runChecks(subject, { rules, checks: CHECKS, unobservable: [] })
  const before = await subject.api.read('/v1/files')
  expect(before['data']).not.toEqual([])
  expect(await subject.cleanUp()).toEqual([])
  expect((await subject.api.read('/v1/files'))['data']).toEqual([])
})
