import { describe, expect, expectTypeOf, test } from 'vitest'
import { rejection } from '../../test/support/clients.ts'
import { task } from '../../test/support/scripted-tasks.ts'
import { post, RECEIVER_SECRET, testReceiver } from '../../test/support/webhook-calls.ts'
import { ApiError, ConnectionError } from '../errors.ts'
import type { WebhookHandlers, WebhookReceiverOptions } from './receiver-options.ts'
import { signWebhook } from './standard-webhooks.ts'

describe('a callback of an ended task', () => {
  // rules: webhook.callback-open, speech.task-result
  test('reads the task, wakes its waits and calls the handler with the task', async () => {
    const { receiver, retrieved, notified, handled } = testReceiver({}, async (id) => task(id, 'SUCCESS', { url: 'u' }))
    const { url } = await receiver.createCallback({ state: 'order 7' })
    const response = await receiver.handle(post(url, { id: 't-1', status: 'FAILED', url: 'https://evil.example' }))
    expect(response.status).toBe(200)
    expect([retrieved, notified]).toEqual([['t-1'], ['t-1']])
    expect(handled).toEqual([{ task: task('t-1', 'SUCCESS', { url: 'u' }), state: 'order 7' }])
  })

  test('calls the handler of its object, else *, and never an inherited property', async () => {
    const calls: string[] = []
    const handlers = { 'audio.speech': () => void calls.push('speech'), '*': () => void calls.push('other') }
    let object = ''
    const { receiver } = testReceiver({ handlers }, async (id) => task(id, 'FAILED', { object }))
    const { url } = await receiver.createCallback()
    for (object of ['audio.speech', 'audio.transcription', 'constructor', '__proto__', '*']) {
      expect((await receiver.handle(post(url, { id: object || 'x' }))).status).toBe(200)
    }
    expect(calls).toEqual(['speech', 'other', 'other', 'other', 'other'])
  })

  test('needs no handler: the waits are woken', async () => {
    const { handlers: _, ...none } = { handlers: undefined }
    const { receiver, notified } = testReceiver({ ...none, handlers: {} })
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url))).status).toBe(200)
    expect(notified).toEqual(['t'])
  })
})

describe('a callback that comes too early', () => {
  test('for a held address is 503 and not read, also twice; after the release, it is handled once', async () => {
    const { receiver, retrieved, handled } = testReceiver()
    const { url, hold } = await receiver.createCallback({ state: 'job 1' })
    const release = hold()
    for (const _ of [1, 2]) expect((await receiver.handle(post(url, { id: 't-1' }))).status).toBe(503)
    expect(retrieved).toEqual([])
    release()
    for (const _ of [1, 2]) expect((await receiver.handle(post(url, { id: 't-1' }))).status).toBe(200)
    expect(handled).toMatchObject([{ state: 'job 1' }])
  })

  test('holds its own address alone', async () => {
    const { receiver } = testReceiver()
    ;(await receiver.createCallback()).hold()
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url))).status).toBe(200)
  })

  test("whose handler answers 'retry' is 503 without an error, and is handled when the service calls again", async () => {
    const rows = new Set<string>()
    const done: string[] = []
    const errors: unknown[] = []
    const handlers: WebhookHandlers = {
      '*': ({ id }) => {
        if (!rows.has(id)) return 'retry'
        done.push(id)
        return undefined
      },
    }
    const { receiver } = testReceiver({ handlers, onError: (error) => void errors.push(error) })
    const { url } = await receiver.createCallback()
    const call = async (): Promise<number> => (await receiver.handle(post(url, { id: 't-1' }))).status
    expect([await call(), await call()]).toEqual([503, 503])
    rows.add('t-1')
    expect([await call(), await call(), done, errors]).toEqual([200, 200, ['t-1'], []])
  })

  test('gives each handler a task of its kind', () => {
    const handlers: WebhookHandlers = {
      'audio.transcription': ({ text, segments }) => void [text?.length, segments?.length],
      'audio.speech': ({ url }) => void url?.length,
      'audio.voice_generation': ({ model_id }) => void model_id?.length,
      '*': ({ text, url }) => void [text, url],
    }
    expectTypeOf<NonNullable<WebhookHandlers['audio.transcription']>>().parameter(0).not.toHaveProperty('url')
    expectTypeOf<NonNullable<WebhookHandlers['audio.speech']>>().parameter(0).not.toHaveProperty('text')
    expect(handlers).toBeDefined()
  })
})

describe('an impossible option', () => {
  const wrong =
    (options: object): unknown =>
    () =>
      testReceiver(options)
  test.each([
    [{ handler: {} }, 'createWebhookReceiver(): Unknown option `handler`; did you mean `handlers`?'],
    [{ client: undefined }, '`client` must be an AudioClient, or have tasks.retrieve() and tasks.notify()'],
    [{ client: { tasks: { retrieve: () => undefined } } }, '`client` must be an AudioClient'],
    [{ handlers: null }, '`handlers` must be an object'],
    [{ handlers: () => undefined }, '`handlers` must be an object'],
    [
      { handlers: { 'audio.speach': () => undefined } },
      '`handlers`: Unknown field `audio.speach`; did you mean `audio.speech`?',
    ],
    [{ handlers: { '*': 'log' } }, '`handlers.*` must be a function'],
    [{ seen: new Set() }, '`seen` must be an object with the methods claim, forget'],
    [{ onError: console }, '`onError` must be a function'],
    [{ now: 0 }, '`now` must be a function'],
  ])('%j is refused when the receiver is made', (options, message) => {
    expect(wrong(options)).toThrow(message)
  })

  test('of a callback is refused by its name', async () => {
    const options: object = { expiresIn: 60 }
    await expect(testReceiver().receiver.createCallback(options)).rejects.toThrow(
      'createCallback(): Unknown option `expiresIn`; did you mean `expiresInSeconds`?',
    )
  })
})

describe('the id of the task', () => {
  test.each([
    [{ id: 'a' }, 'a'],
    [{ task_id: 'b' }, 'b'],
    [{ id: 'a', task_id: 'b' }, 'b'],
    [{ id: 7, task_id: 'b' }, 'b'],
  ])('the body %j means %s', async (body, id) => {
    const { receiver, retrieved } = testReceiver()
    const { url } = await receiver.createCallback()
    await receiver.handle(post(url, body))
    expect(retrieved).toEqual([id])
  })

  const silent = [
    '',
    'ok',
    '[]',
    'null',
    '"t"',
    '{}',
    '{"id":""}',
    '{"id":null}',
    '{"id":"../models"}',
    '{"id":".."}',
    '{"id":"a b"}',
  ]
  // rules: webhook.callback-open
  test.each(silent)('the body %j means none: 400, until the address is bound', async (body) => {
    const { receiver, retrieved, handled } = testReceiver()
    const { url, bind } = await receiver.createCallback()
    expect((await receiver.handle(post(url, body))).status).toBe(400)
    expect(retrieved).toEqual([])
    bind('t-9')
    expect((await receiver.handle(post(url, body))).status).toBe(200)
    expect(handled).toMatchObject([{ task: { id: 't-9' } }])
  })

  test('a bound address refuses another task like a forged token', async () => {
    const { receiver, retrieved } = testReceiver()
    const { url, bind } = await receiver.createCallback()
    bind('mine')
    const refused = await receiver.handle(post(url, { id: 'another' }))
    const forged = await receiver.handle(post('https://my.app/hooks/audio?token=v1.x'))
    expect([refused.status, await refused.text()]).toEqual([401, await forged.text()])
    expect(retrieved).toEqual([])
    expect((await receiver.handle(post(url, { id: 'evt_1', task_id: 'mine' }))).status).toBe(200)
  })
})

describe('a call without a valid token', () => {
  test('is refused in the same way for every reason, and its body is not read', async () => {
    const { receiver, time, retrieved } = testReceiver()
    const { url } = await receiver.createCallback({ expiresInSeconds: 60 })
    time.now += 60
    const stranger = testReceiver({ secret: 'the secret of somebody else, long enough' })
    const { url: foreign } = await stranger.receiver.createCallback()
    const none = 'https://my.app/hooks/audio'
    const answers: unknown[] = []
    for (const address of [url, foreign, none, `${none}?token=`, `${none}?token=v1.a.b.c.d`, `${url}x`]) {
      const request = post(address)
      const response = await receiver.handle(request)
      answers.push([response.status, Object.fromEntries(response.headers), await response.text()])
      expect(request.bodyUsed).toBe(false)
    }
    expect(answers).toEqual(answers.map(() => answers[0]))
    expect(answers[0]).toEqual([401, { 'content-type': 'application/json' }, expect.stringContaining('not accepted')])
    expect(retrieved).toEqual([])
  })

  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS'])('or with %s: 405', async (method) => {
    const { receiver } = testReceiver()
    const { url } = await receiver.createCallback()
    const response = await receiver.handle(new Request(url, { method }))
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST'])
  })

  test('no response and no error repeats a token or a secret', async () => {
    const { receiver, errors } = testReceiver({}, async () => {
      throw new ConnectionError('down')
    })
    const { url } = await receiver.createCallback()
    const token = new URL(url).searchParams.get('token') ?? ''
    for (const request of [post(url), post(url, '{}'), post(url, 'x'.repeat(2_000_000)), post(`${url}x`)]) {
      const response = await receiver.handle(request)
      const said = JSON.stringify([...response.headers]) + (await response.text()) + errors.map(String).join('')
      expect(said).not.toContain(token.slice(0, 20))
      expect(said).not.toContain(RECEIVER_SECRET)
    }
  })
})

describe('a body', () => {
  const size = 1024 * 1024
  const padded = (length: number): string => `{"id":"t"}${' '.repeat(length - 10)}`

  test('of 1 MB is read', async () => {
    const { receiver } = testReceiver()
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url, padded(size)))).status).toBe(200)
  })

  test('over 1 MB is 413, and is cancelled at once', async () => {
    const { receiver, retrieved } = testReceiver()
    const { url } = await receiver.createCallback()
    let [sent, cancelled] = [0, false]
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 64 * 1024
        controller.enqueue(new Uint8Array(64 * 1024))
      },
      cancel: () => {
        cancelled = true
      },
    })
    const init = { method: 'POST', body: endless, duplex: 'half' } as const
    expect((await receiver.handle(new Request(url, init))).status).toBe(413)
    expect(cancelled).toBe(true)
    expect(sent).toBeLessThan(size + 3 * 64 * 1024)
    const announced = post(url, padded(size + 1), { 'content-length': String(size + 1) })
    expect((await receiver.handle(announced)).status).toBe(413)
    expect(announced.bodyUsed).toBe(false)
    expect(retrieved).toEqual([])
  })

  test('that is cut names no task', async () => {
    const { receiver } = testReceiver()
    const { url } = await receiver.createCallback()
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('cut')) })
    const init = { method: 'POST', body: broken, duplex: 'half' } as const
    expect((await receiver.handle(new Request(url, init))).status).toBe(400)
  })
})

describe('the task', () => {
  test.each(['PENDING', 'PROCESSING', 'succeeded'])('in %s goes on: 202, and nothing is handled', async (status) => {
    let now = status
    const { receiver, notified, handled } = testReceiver({}, async (id) => task(id, now))
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url))).status).toBe(202)
    expect([notified, handled]).toEqual([[], []])
    now = 'SUCCESS'
    expect((await receiver.handle(post(url))).status).toBe(200)
    expect(handled).toHaveLength(1)
  })

  test.each([
    [new ApiError('gone', { status: 404 }), 404],
    [new ApiError('key', { status: 401 }), 503],
    [new ApiError('busy', { status: 503 }), 503],
    [new ConnectionError('down'), 503],
  ])('that cannot be read (%s) is %i, and may be retried', async (error, status) => {
    let fails = true
    const { receiver, errors, handled } = testReceiver({}, async (id) => {
      if (fails) throw error
      return task(id, 'SUCCESS')
    })
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url))).status).toBe(status)
    expect([errors, handled]).toEqual([[error], []])
    fails = false
    expect((await receiver.handle(post(url))).status).toBe(200)
    expect(handled).toHaveLength(1)
  })

  test('that is invalid is 503', async () => {
    const { receiver, errors } = testReceiver({}, async () => ({}) as never)
    const { url } = await receiver.createCallback()
    expect((await receiver.handle(post(url))).status).toBe(503)
    expect(errors).toMatchObject([{ name: 'ProtocolError' }])
  })
})

describe('with a signing secret', () => {
  const signingSecret = `whsec_${btoa('a key of the service, long enough')}`

  test('a callback needs the headers of Standard Webhooks too', async () => {
    const { receiver, time, retrieved } = testReceiver({ signingSecret })
    const { url } = await receiver.createCallback()
    const body = '{"id":"t"}'
    const headers = await signWebhook({ id: 'm', timestamp: time.now, body, secret: signingSecret })
    expect((await receiver.handle(post(url, body))).status).toBe(401)
    expect((await receiver.handle(post(url, '{"id":"u"}', { ...headers }))).status).toBe(401)
    expect((await receiver.handle(post(`${url}x`, body, { ...headers }))).status).toBe(401)
    expect(retrieved).toEqual([])
    expect((await receiver.handle(post(url, body, { ...headers }))).status).toBe(200)
    time.now += 301
    expect((await receiver.handle(post(url, body, { ...headers }))).status).toBe(401)
  })
})

describe('impossible options', () => {
  const bad: readonly (readonly [string, Partial<WebhookReceiverOptions>])[] = [
    ['secret', { secret: 'short' }],
    ['url', { url: 'http://my.app/hooks' }],
    ['url', { url: 'https://user:pass@my.app/hooks' }],
    ['url', { url: 'https://my.app/hooks#part' }],
    ['url', { url: '/hooks' }],
    ['signing secret', { signingSecret: 'sk-plain' }],
  ]
  test.each(bad)('%s of %j are refused', (name, options) => {
    expect(() => testReceiver(options)).toThrow(
      expect.objectContaining({ name: 'ConfigurationError', message: expect.stringContaining(name) }),
    )
  })

  test.each([0, -1, Number.NaN, Infinity, 1e12])('expiresInSeconds of %d is refused', async (expiresInSeconds) => {
    const { receiver } = testReceiver()
    expect(await rejection(receiver.createCallback({ expiresInSeconds }))).toMatchObject({ name: 'ConfigurationError' })
  })

  test('but plain http on a private host, a query and a path are accepted', async () => {
    const { receiver } = testReceiver({ url: 'http://10.0.0.7:3000/a/b?tenant=7' })
    const { url } = await receiver.createCallback()
    expect(url).toMatch(/^http:\/\/10\.0\.0\.7:3000\/a\/b\?tenant=7&token=v1\./)
    expect((await receiver.handle(post(url))).status).toBe(200)
  })
})
