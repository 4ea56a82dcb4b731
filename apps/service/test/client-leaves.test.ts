import { readdir } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { NewTask } from '../src/ports/task-store.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'
import { namesIn } from './support/fake-services.ts'
import { rawForm, sendRaw, whenClosed } from './support/connections.ts'

let app: FakeApp
/** Started tasks, in order. */
let begun: NewTask[]
let socket: Socket
/** The signal of the engine, after the engine's first call. */
let work: AbortSignal | undefined
/** Runs while the engine checks the text. */
let onText: () => Promise<void>
/** Runs when the task exists, before the service continues. */
let onBegun: () => Promise<void>
beforeEach(async () => {
  app = await startFakeApp()
  begun = []
  work = undefined
  onText = async () => undefined
  onBegun = async () => undefined
  const { speech } = app.services.engines
  const { tasks } = app.services.stores
  const [synthesize, begin] = [speech.synthesize.bind(speech), tasks.begin.bind(tasks)]
  vi.spyOn(speech, 'synthesize').mockImplementation(async (request, { signal } = {}) => {
    work = signal
    await onText()
    return synthesize(request, signal === undefined ? {} : { signal })
  })
  vi.spyOn(tasks, 'begin').mockImplementation(async (task, milliseconds) => {
    begun.push(task)
    const lease = await begin(task, milliseconds)
    await onBegun()
    return lease
  })
})
afterEach(() => app.close())

/** Waits until the service has seen the disconnect. */
async function leave(signal: AbortSignal | undefined): Promise<void> {
  socket.resetAndDestroy()
  await vi.waitFor(() => expect(signal?.aborted).toBe(true), 30_000)
}

/** All tasks have failed as client_disconnected on an unmoved clock, and nothing remains of them. */
async function expectFailed(): Promise<void> {
  for (const { tenant, id } of begun) {
    const error = { code: 'client_disconnected', message: 'The client disconnected before the response was complete' }
    await expect.poll(() => app.services.stores.tasks.find(tenant, id)).toMatchObject({ status: 'FAILED', error })
  }
  expect(app.services.clock.timers).toBe(0)
  await expect.poll(() => namesIn(app.services.objects.results)).toEqual([])
  expect(await app.services.stores.tasks.claim(1)).toBeUndefined()
}

/** Waits until the signal aborts, then throws its reason, as an engine does. */
function untilAborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  signal.addEventListener('abort', () => reject(signal.reason))
  return promise
}

describe.each(['sse', 'audio'])('a speech stream as %s ends when its client disconnects', (stream_format) => {
  const send = (headers: Record<string, string> = {}): void => {
    const body = { model: 'svc-tts-1.5-flash', input: 'Hello.', response_format: 'pcm', stream: true, stream_format }
    socket = sendRaw(app.url, {
      path: '/v1/audio/speech',
      headers: { ...app.first, 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  }

  test('at once', async () => {
    const { keysInFlight } = app.services.stores
    const seen = vi.spyOn(keysInFlight, 'take')
    app.services.speakWith = (_text, signal) => untilAborted(signal)
    send({ 'idempotency-key': 'k' })
    await vi.waitFor(() => expect(seen).toHaveBeenCalled(), 30_000)
    socket.resetAndDestroy()
    await vi.waitFor(() => keysInFlight.check('first', { key: 'k', fingerprint: '' }), 30_000)
    await expectFailed()
  })

  test('while the engine checks the text', async () => {
    onText = () => leave(work)
    send()
    await vi.waitFor(() => expect(socket.destroyed).toBe(true), 30_000)
    await expectFailed()
  })

  test('just after its task started', async () => {
    onBegun = () => leave(work)
    send()
    await vi.waitFor(() => expect(begun).toHaveLength(1), 30_000)
    await expectFailed()
  })

  test('while the first sound is made', async () => {
    app.services.speakWith = (_text, signal) => {
      void leave(work)
      return untilAborted(signal)
    }
    send()
    await vi.waitFor(() => expect(begun).toHaveLength(1), 30_000)
    await expectFailed()
  })

  test('before the first sound can be read', async () => {
    app.services.speakWith = async (text) => {
      await leave(work)
      return Buffer.from(text)
    }
    send()
    await vi.waitFor(() => expect(begun).toHaveLength(1), 30_000)
    await expectFailed()
  })
})

describe('a transcription stream ends when its client disconnects', () => {
  const send = (): void => {
    const form = rawForm({ model: 'svc-transcribe-diarize-pro', stream: 'true' }, Buffer.from('sound'))
    const headers = { ...app.first, ...form.headers }
    socket = sendRaw(app.url, { path: '/v1/audio/transcriptions', body: form.body, headers })
  }
  /** Nothing remains of the upload either. */
  const expectGone = async (): Promise<void> => {
    await expectFailed()
    await expect.poll(() => readdir(app.services.objects.uploadFolder)).toEqual([])
  }

  test('just after its task started', async () => {
    const decode = vi.spyOn(app.services.engines.codec, 'decode')
    onBegun = async () => {
      socket.resetAndDestroy()
      await whenClosed(socket)
    }
    decode.mockImplementation((_path, { signal } = {}) => endless(signal))
    send()
    await vi.waitFor(() => expect(begun).toHaveLength(1), 30_000)
    await expectGone()
  })

  test('while it waits in the queue', async () => {
    const others = Promise.withResolvers<undefined>()
    const none = new AbortController().signal
    const { recognition } = app.services.engines.semaphores
    const busy = [1, 2].map(() => recognition.use('other', none, () => others.promise))
    send()
    await vi.waitFor(() => expect(recognition.waiting).toBe(1), 30_000)
    socket.resetAndDestroy()
    await expectGone()
    expect(recognition.waiting).toBe(0)
    others.resolve(undefined)
    await Promise.all(busy)
  })

  test('while its file is decoded', async () => {
    const stopped = Promise.withResolvers<undefined>()
    vi.spyOn(app.services.engines.codec, 'decode').mockImplementation((_path, { signal } = {}) => {
      signal?.addEventListener('abort', () => stopped.resolve(undefined))
      socket.resetAndDestroy()
      return endless(signal)
    })
    send()
    await stopped.promise
    await expectGone()
    expect(app.services.engines.semaphores.recognition.busy).toBe(0)
  })

  test('while it is recognized, after the first sound', async () => {
    const { recognition } = app.services.engines
    vi.spyOn(recognition, 'recognize').mockImplementation(async (chunks, { signal } = {}) => {
      for await (const chunk of chunks) expect(chunk).toHaveLength(5)
      socket.resetAndDestroy()
      return untilAborted(signal ?? AbortSignal.abort())
    })
    send()
    await vi.waitFor(() => expect(begun).toHaveLength(1), 30_000)
    await expectGone()
    expect(app.services.engines.semaphores.recognition.busy).toBe(0)
  })
})

/** Sound that never arrives. */
async function* endless(signal: AbortSignal = new AbortController().signal): AsyncGenerator<Uint8Array> {
  yield await untilAborted(signal)
}
