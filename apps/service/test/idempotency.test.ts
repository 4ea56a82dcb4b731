import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'
import { errorOf } from './support/test-service.ts'

const SPEECH = '/v1/audio/speech'
const DIALOGUE = '/v1/audio/speech/speakers'
const body = { model: 'svc-tts-1.5-flash', input: 'Good morning.', voice_id: 'v', response_format: 'wav' }
const url = { ...body, delivery_method: 'url' }
const stream = { ...body, response_format: 'pcm', stream: true, stream_format: 'sse' }
const IN_PROGRESS = { status: 409, code: 'idempotency_in_progress', param: null }
const CONFLICT = { status: 409, code: 'idempotency_conflict', param: null }

let app: FakeApp
/** Spoken texts. */
let spoken: string[]
beforeEach(async () => {
  app = await startFakeApp()
  spoken = []
  app.services.speakWith = async (text) => {
    spoken.push(text)
    return Buffer.from(text)
  }
})
afterEach(() => app.close())

const send = (change: object, headers: Record<string, string> = {}, path = SPEECH): Promise<Response> =>
  app.post(path, change, { 'idempotency-key': 'k', ...headers })

async function json(response: Response): Promise<Record<string, unknown>> {
  expect(response.status).toBe(200)
  return (await response.json()) as Record<string, unknown>
}

/** Speech starts, and continues when the test calls `go`. Until then its client waits. */
function heldSpeech(): { readonly begun: Promise<void>; readonly go: () => void } {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  app.services.speakWith = async (text, signal) => {
    spoken.push(text)
    begun.resolve()
    const left = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => left.reject(signal.reason))
    await Promise.race([released.promise, left.promise])
    return Buffer.from(text)
  }
  return { begun: begun.promise, go: released.resolve }
}

describe('delivery_method=url', () => {
  test('the same key with the same body returns the same result, made once', async () => {
    const first = await json(await send(url))
    await app.services.clock.pass(60_000)
    const again = await json(await send(url))
    expect({ ...again, url: '' }).toEqual({ ...first, url: '' })
    expect(new URL(String(again['url'])).pathname).toBe(new URL(String(first['url'])).pathname)
    expect(spoken).toEqual(['Good morning.'])
    expect(await namesIn(app.services.objects.results)).toHaveLength(1)
  })

  test('requests without a key each make a result', async () => {
    const [one, other] = [await json(await app.post(SPEECH, url)), await json(await app.post(SPEECH, url))]
    expect(one['id']).not.toBe(other['id'])
  })

  test('a repeat is 409 while the first runs, then the same result', async () => {
    const { begun, go } = heldSpeech()
    const first = send(url)
    await begun
    const refused = await send(url)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(await errorOf(refused)).toEqual(IN_PROGRESS)
    expect(await errorOf(await send({ ...url, input: 'Good night.' }))).toEqual(CONFLICT)
    go()
    const { id } = await json(await first)
    expect((await json(await send(url)))['id']).toBe(id)
    expect(spoken).toHaveLength(1)
  })

  test('another body or endpoint is a 409', async () => {
    await json(await send(url))
    expect(await errorOf(await send({ ...url, input: 'Good night.' }))).toEqual(CONFLICT)
    expect(await errorOf(await send(body))).toEqual(CONFLICT)
    expect(await errorOf(await send({ ...url, delivery_method: 'audio', async: true }))).toEqual(CONFLICT)
    const dialogue = {
      model: 'svc-ttsd-1.0',
      speakers: [{ id: 'a', voice_id: 'v' }],
      segments: [{ speaker: 'a', text: 'Hi.' }],
    }
    expect(await errorOf(await send(dialogue, {}, DIALOGUE))).toEqual(CONFLICT)
    expect(spoken).toHaveLength(1)
  })

  test('the key of another tenant is a different key', async () => {
    const [one, other] = [await json(await send(url)), await json(await send({ ...url, input: 'Hi.' }, app.second))]
    expect(one['id']).not.toBe(other['id'])
  })

  test('a failed or refused request leaves its key free', async () => {
    const { speakWith } = app.services
    app.services.speakWith = () => Promise.reject(new Error('broken'))
    expect((await send(url)).status).toBe(500)
    expect((await send({ ...url, voice_id: 'nobody' })).status).toBe(404)
    app.services.speakWith = speakWith
    expect(await json(await send({ ...url, input: 'Another text.' }))).toMatchObject({ status: 'SUCCESS' })
  })

  test("a task's key is not valid for another request", async () => {
    const task = { ...body, async: true }
    const { id } = await json(await send(task))
    expect(await errorOf(await send(url))).toEqual(CONFLICT)
    expect(await errorOf(await send(stream))).toEqual(CONFLICT)
    expect((await json(await send(task)))['id']).toBe(id)
  })

  test('a dialogue replays too', async () => {
    const dialogue = {
      model: 'svc-ttsd-1.0',
      speakers: [{ id: 'a', voice_id: 'v' }],
      segments: [{ speaker: 'a', text: 'Hi.' }],
      delivery_method: 'url',
    }
    const [first, again] = [await send(dialogue, {}, DIALOGUE), await send(dialogue, {}, DIALOGUE)]
    expect((await json(again))['id']).toBe((await json(first))['id'])
    expect(spoken).toEqual(['Hi.'])
  })
})

describe('audio', () => {
  test('is made again for a repeated key; another body is a 409', async () => {
    const [first, again] = [await (await send(body)).text(), await (await send(body)).text()]
    expect(again).toBe(first)
    expect(spoken).toEqual(['Good morning.', 'Good morning.'])
    expect(await errorOf(await send({ ...body, input: 'Good night.' }))).toEqual(CONFLICT)
  })

  test('is 409 while the first is made', async () => {
    const { begun, go } = heldSpeech()
    const first = send(body)
    await begun
    expect(await errorOf(await send(body))).toEqual(IN_PROGRESS)
    go()
    expect(await (await first).text()).toBe('Good morning.')
    expect((await send(body)).status).toBe(200)
  })

  test('frees its key when the client disconnects', async () => {
    const { begun, go } = heldSpeech()
    const leaving = new AbortController()
    const first = app.post(SPEECH, body, { 'idempotency-key': 'k' }, leaving.signal)
    await begun
    leaving.abort()
    await expect(first).rejects.toThrow('abort')
    go()
    await vi.waitFor(async () => expect((await send(body)).status).toBe(200), 30_000)
  })
})

describe('a stream', () => {
  const events = async (response: Response): Promise<Record<string, unknown>[]> => {
    expect(response.status).toBe(200)
    const frames = (await response.text()).trimEnd().split('\n\n')
    return frames.map((frame) => JSON.parse(frame.slice('data: '.length)) as Record<string, unknown>)
  }

  test('repeated after its end, is the same speech and the same task', async () => {
    const first = await events(await send(stream))
    expect(await events(await send(stream))).toEqual(first)
    expect(first.at(-1)).toEqual({ type: 'speech.audio.done' })
    expect(await namesIn(app.services.objects.results)).toEqual([`${String(first[0]?.['task_id'])}.wav`])
  })

  test('is 409 while the first runs, and for another body', async () => {
    const { begun, go } = heldSpeech()
    const first = send(stream)
    await begun
    expect(await errorOf(await send(stream))).toEqual(IN_PROGRESS)
    expect(await errorOf(await send({ ...stream, speed: 2 }))).toEqual(CONFLICT)
    go()
    await events(await first)
    expect(await errorOf(await send({ ...stream, speed: 2 }))).toEqual(CONFLICT)
  })

  test('that failed starts again with a new task', async () => {
    const { speakWith } = app.services
    app.services.speakWith = () => Promise.reject(new Error('broken'))
    const failed = await events(await send(stream))
    expect(failed.at(-1)).toMatchObject({ type: 'error' })
    app.services.speakWith = speakWith
    const second = await events(await send(stream))
    expect(second.at(-1)).toEqual({ type: 'speech.audio.done' })
    expect(second[0]?.['task_id']).not.toBe(failed[0]?.['task_id'])
    expect((await events(await send(stream)))[0]).toEqual(second[0])
  })

  test('is 409 while another process works on its task', async () => {
    await app.services.stores.tasks.begin({ id: 'task_1', tenant: 'first', kind: 'audio.speech', model: 'm' }, 1000)
    const keep = vi.spyOn(app.services.stores.responses, 'find')
    keep.mockResolvedValueOnce({ outcome: 'repeated', answer: { task: 'task_1' } })
    expect(await errorOf(await send(stream))).toEqual(IN_PROGRESS)
    expect(spoken).toEqual([])
  })

  test('without a stored task starts again', async () => {
    const first = await events(await send(stream))
    await app.services.stores.tasks.forget({ before: app.services.clock.now() + 10_000, limit: 10 })
    const second = await events(await send(stream))
    expect(second[0]?.['task_id']).not.toBe(first[0]?.['task_id'])
    expect(second.at(-1)).toEqual({ type: 'speech.audio.done' })
  })
})

test.each(['', 'with space', 'x'.repeat(256)])('%j is not a key, at any endpoint', async (key) => {
  for (const request of [url, body, stream]) {
    expect(await errorOf(await send(request, { 'idempotency-key': key }))).toMatchObject({
      status: 400,
      code: 'invalid_idempotency_key',
    })
  }
})
