import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { createConnection, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { EngineFailedError, type RecognizeOptions } from '@svc-audio/engine-ports'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import type { AuditRecord } from '../src/ports/audit-store.ts'
import { AuditTrail } from '../src/use-cases/audit-trail.ts'
import { type FakeApp, startFakeApp } from './support/fake-app.ts'

/** An event of the service. */
interface Told {
  readonly type: string
  readonly [field: string]: unknown
}

let app: FakeApp
let heard: { readonly samples: Int16Array; readonly options: RecognizeOptions }[]
let sockets: WebSocket[]
let plain: Socket[]
beforeEach(async () => {
  sockets = []
  plain = []
  app = await start()
})
afterEach(async () => {
  for (const socket of sockets) socket.terminate()
  for (const socket of plain) socket.destroy()
  await app.close()
})

/** Starts the HTTP side with a recognizer that says how long a turn was. */
async function start(options: Parameters<typeof startFakeApp>[0] = {}): Promise<FakeApp> {
  const started = await startFakeApp(options)
  heard = []
  Object.defineProperty(started.services.engines.recognition, 'language', { value: 'en' })
  vi.spyOn(started.services.engines.recognition, 'recognize').mockImplementation(async (pcm, how = {}) => {
    const parts: Uint8Array[] = []
    for await (const part of pcm) parts.push(part)
    const bytes = new Uint8Array(Buffer.concat(parts))
    const samples = new Int16Array(bytes.buffer, 0, bytes.length / 2)
    // The first call loads the recognizer.
    if (how.client === undefined) return { text: '', words: [], durationSeconds: 0.1 }
    heard.push({ samples, options: how })
    const said = `Turn ${heard.length}.`
    how.onSegment?.({ text: said, startSecond: 0, endSecond: 1 })
    return { text: said, words: [], durationSeconds: samples.length / 16_000 }
  })
  return started
}

/** A connection, with the events that it has received. */
class Client {
  readonly socket: WebSocket
  readonly events: Told[] = []

  constructor(
    of: FakeApp,
    query = '?intent=transcription',
    headers: Record<string, string> = of.first,
    protocols: string[] = [],
  ) {
    this.socket = new WebSocket(`${of.url.replace('http', 'ws')}/openai/v1/realtime${query}`, protocols, { headers })
    sockets.push(this.socket)
    this.socket.on('message', (data) => this.events.push(JSON.parse(Buffer.isBuffer(data) ? data.toString() : '')))
    this.socket.on('error', () => undefined)
  }

  send(event: object | string): void {
    this.socket.send(typeof event === 'string' ? event : JSON.stringify(event))
  }

  append(seconds: number, value: number, rate = 24_000): void {
    const samples = new Int16Array(seconds * rate).fill(value)
    this.send({ type: 'input_audio_buffer.append', audio: Buffer.from(samples.buffer).toString('base64') })
  }

  types(): string[] {
    return this.events.map(({ type }) => type)
  }

  of(type: string): Told[] {
    return this.events.filter((event) => event.type === type)
  }
}

/** Interval of the pings, in milliseconds. */
const PING_MS = 20_000

const COMPLETED = 'conversation.item.input_audio_transcription.completed'

async function connect(...given: ConstructorParameters<typeof Client> extends [FakeApp, ...infer Rest] ? Rest : never) {
  const client = new Client(app, ...given)
  await once(client.socket, 'open')
  return client
}

/** The opening of a session, for {@link open}. @param more Headers that it changes. */
function opening(more: Readonly<Record<string, string>> = {}): string {
  const headers = {
    host: 'a',
    authorization: app.first.authorization,
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
    ...more,
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return `GET /openai/v1/realtime?intent=transcription HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`
}

/** A connection without a WebSocket. */
function open({ port, hostname }: URL): Socket {
  const socket = createConnection(Number(port), hostname)
  plain.push(socket)
  return socket
}

/** The response of a refused opening. */
async function refusal(...given: ConstructorParameters<typeof Client> extends [FakeApp, ...infer Rest] ? Rest : never) {
  const [, response] = await once(new Client(app, ...given).socket, 'unexpected-response')
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  const { error } = JSON.parse(Buffer.concat(parts).toString())
  return { status: response.statusCode, ...error }
}

/** A session of the client with these fields of the input. */
const update = (input: object): object => ({
  type: 'session.update',
  session: { type: 'transcription', audio: { input } },
})

describe('a transcription session', () => {
  test('finds the turns of the speaker and transcribes each of them', async () => {
    const client = await connect()
    for (const [seconds, value] of [
      [0.5, 0],
      [1, 4000],
      [0.8, 0],
      [1, 4000],
      [0.8, 0],
    ] as const)
      client.append(seconds, value)
    await expect.poll(() => client.of(COMPLETED)).toHaveLength(2)
    const turn = [
      'input_audio_buffer.speech_started',
      'input_audio_buffer.speech_stopped',
      'input_audio_buffer.committed',
    ]
    expect(client.types().filter((type) => turn.includes(type))).toEqual([...turn, ...turn])
    expect(client.types()).toEqual(expect.arrayContaining(['conversation.item.added', 'conversation.item.done']))
    const [first, second] = client.of('input_audio_buffer.committed')
    expect([first?.['previous_item_id'], second?.['previous_item_id']]).toEqual([null, first?.['item_id']])
    expect(client.of(COMPLETED)).toMatchObject([
      { item_id: first?.['item_id'], content_index: 0, transcript: 'Turn 1.', usage: { type: 'duration', seconds: 2 } },
      { item_id: second?.['item_id'], transcript: 'Turn 2.' },
    ])
    expect(client.of('conversation.item.input_audio_transcription.delta')).toMatchObject([
      { item_id: first?.['item_id'], delta: 'Turn 1.' },
      { item_id: second?.['item_id'], delta: 'Turn 2.' },
    ])
    for (const { samples } of heard) {
      expect(samples.length / 16_000).toBeGreaterThan(1)
      expect(samples.length / 16_000).toBeLessThan(1.6)
      expect(samples).toContain(4000)
    }
    const at = Number(client.of('input_audio_buffer.speech_started')[0]?.['audio_start_ms'])
    expect(at).toBeGreaterThan(150)
    expect(at).toBeLessThanOrEqual(500)
  })

  test('without turn detection transcribes what the client commits', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null, transcription: { model: 'whisper-1' } }))
    client.append(1, 4000)
    client.append(2, 0)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => client.of(COMPLETED)).toMatchObject([{ transcript: 'Turn 1.' }])
    expect(client.of('input_audio_buffer.speech_started')).toEqual([])
    expect(heard[0]?.samples.length).toBeCloseTo(3 * 16_000, -2)
  })

  test('shows its options, also those that an update leaves out', async () => {
    const client = await connect()
    client.send(
      update({ format: { type: 'audio/pcmu' }, turn_detection: { type: 'server_vad', silence_duration_ms: 200 } }),
    )
    client.send(update({ transcription: { model: 'gpt-4o-mini-transcribe', language: 'en' } }))
    await expect.poll(() => client.of('session.updated')).toHaveLength(2)
    expect(client.of('session.updated')[1]).toMatchObject({
      session: {
        type: 'transcription',
        audio: {
          input: {
            format: { type: 'audio/pcmu' },
            transcription: { model: 'gpt-4o-mini-transcribe', language: 'en' },
            turn_detection: { type: 'server_vad', threshold: 0.5, silence_duration_ms: 200 },
          },
        },
      },
    })
  })

  test.each([
    ['audio/pcmu', 0x00, -32_124],
    ['audio/pcma', 0xd5, 8],
  ])('hears G.711 as %s', async (type, code, sample) => {
    const client = await connect()
    client.send(update({ format: { type }, turn_detection: null }))
    client.send({ type: 'input_audio_buffer.append', audio: Buffer.alloc(8000, code).toString('base64') })
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => heard).toHaveLength(1)
    expect(heard[0]?.samples.length).toBeCloseTo(16_000, -2)
    expect(Math.abs((heard[0]?.samples[8000] ?? 0) - sample)).toBeLessThan(Math.abs(sample) / 50 + 2)
  })

  test('hears long pieces that begin in the middle of a sample', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null }))
    const sound = Buffer.from(new Int16Array(240_000).fill(4000).buffer)
    for (const piece of [sound.subarray(0, 1), sound.subarray(1)]) {
      client.send({ type: 'input_audio_buffer.append', audio: piece.toString('base64') })
    }
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => heard).toHaveLength(1)
    expect(client.of('error')).toEqual([])
    expect(heard[0]?.samples.length).toBeCloseTo(160_000, -2)
    expect(Math.abs((heard[0]?.samples[80_000] ?? 0) - 4000)).toBeLessThan(5)
  })

  test('recognizes the first language of a list that the recognizer has', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null, transcription: { languages: ['de', 'en-GB'] } }))
    client.append(1, 4000)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => heard).toHaveLength(1)
    expect(heard[0]?.options.language).toBe('en')
  })

  test('keeps the sound of a commit that is too early', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null }))
    for (let part = 0; part < 2; part += 1) {
      client.append(0.06, 4000)
      client.send({ type: 'input_audio_buffer.commit' })
    }
    await expect.poll(() => heard).toHaveLength(1)
    await expect.poll(() => client.of('error')).toHaveLength(1)
    expect((heard[0]?.samples.length ?? 0) / 16_000).toBeGreaterThan(0.1)
  })

  test('of the beta has its events', async () => {
    const client = await connect('?intent=transcription', { ...app.first, 'OpenAI-Beta': 'realtime=v1' })
    client.send({
      type: 'transcription_session.update',
      session: {
        input_audio_format: 'pcm16',
        input_audio_transcription: { model: 'gpt-4o-transcribe', prompt: '', language: 'en' },
        turn_detection: null,
        input_audio_noise_reduction: { type: 'near_field' },
      },
    })
    client.append(1, 4000)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => client.of(COMPLETED)).toHaveLength(1)
    expect(client.types().slice(0, 4)).toEqual([
      'transcription_session.created',
      'transcription_session.updated',
      'input_audio_buffer.committed',
      'conversation.item.created',
    ])
    expect(client.events[1]).toMatchObject({ session: { input_audio_format: 'pcm16', turn_detection: null } })
  })

  test('listens for keywords and for the phrases of a prompt', async () => {
    const client = await connect()
    const transcription = { model: 'gpt-transcribe', languages: ['en'], keywords: ['Ann'], prompt: 'Names: Ben' }
    client.send(update({ turn_detection: null, transcription }))
    client.append(1, 4000)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => heard).toHaveLength(1)
    expect(heard[0]?.options.keyterms).toEqual(['Ann', 'Names', 'Ben'])
  })

  test.each(['gpt-realtime-whisper', 'gpt-live-transcribe'])('of %s lets the client end each turn', async (model) => {
    const client = await connect(`?intent=transcription&model=${model}`)
    client.append(1, 4000)
    client.append(1, 0)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => client.of(COMPLETED)).toHaveLength(1)
    expect([client.of('input_audio_buffer.speech_started'), client.of('error')]).toEqual([[], []])
  })

  test('clears its buffer', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null }))
    client.append(1, 4000)
    client.send({ type: 'input_audio_buffer.clear' })
    client.send({ type: 'input_audio_buffer.commit', event_id: 'mine' })
    await expect.poll(() => client.of('error')).toHaveLength(1)
    expect(client.types()).toContain('input_audio_buffer.cleared')
    expect(client.events.at(-1)).toMatchObject({ error: { param: 'audio', event_id: 'mine' } })
  })

  test('tells a failed transcription, and goes on', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null }))
    vi.spyOn(app.services.engines.recognition, 'recognize').mockRejectedValueOnce(new Error('secret path'))
    for (const seconds of [1, 2]) {
      client.append(seconds, 4000)
      client.send({ type: 'input_audio_buffer.commit' })
    }
    await expect.poll(() => client.of(COMPLETED)).toHaveLength(1)
    const [failed] = client.of('conversation.item.input_audio_transcription.failed')
    expect(failed).toMatchObject({ content_index: 0, error: { code: 'internal_error', type: 'server_error' } })
    expect(JSON.stringify(failed)).not.toContain('secret')
  })

  test('tells that its detector is lost, and goes on with another one', async () => {
    const { detectors } = app.services.engines
    vi.spyOn(detectors, 'open').mockReturnValueOnce({
      judge: () => Promise.reject(new EngineFailedError('The speech detector failed')),
      close: () => undefined,
    })
    const client = await connect()
    client.append(1, 4000)
    await expect.poll(() => client.of('error')).toMatchObject([{ error: { type: 'server_error' } }])
    client.append(1, 4000)
    client.append(1, 0)
    await expect.poll(() => client.of(COMPLETED)).toHaveLength(1)
    expect(client.of('error')).toHaveLength(1)
    // The lost sound is not heard.
    expect((heard[0]?.samples.length ?? 0) / 16_000).toBeLessThan(1.6)
  })

  test('cuts a speaker who makes no pause, and loses nothing', async () => {
    const client = await connect()
    for (let second = 0; second < 70; second += 10) client.append(10, 4000)
    client.append(1, 0)
    await expect.poll(() => client.of(COMPLETED), { timeout: 20_000 }).not.toHaveLength(0)
    await expect.poll(() => heard.reduce((sum, { samples }) => sum + samples.length, 0) / 16_000).toBeGreaterThan(69.9)
    expect(Math.max(...heard.map(({ samples }) => samples.length)) / 16_000).toBeLessThan(31)
  })
})

describe('an event that is refused leaves the session open:', () => {
  test.each([
    ['no JSON', '{', { code: 'invalid_json', param: null }],
    ['no object', '7', { code: 'invalid_type' }],
    ['an unknown type', { type: 'input_video.append' }, { code: 'invalid_value', param: 'type' }],
    ['a conversation', { type: 'session.update', session: { type: 'realtime' } }, { param: 'session.type' }],
    [
      'a response',
      { type: 'response.create' },
      { message: expect.stringContaining('Conversations are not supported') },
    ],
    ['an update without a session', { type: 'session.update' }, { code: 'missing_required_field', param: 'session' }],
    ['another format', update({ format: { type: 'audio/opus' } }), { param: 'format' }],
    ['a rate of 4 kHz', update({ format: { type: 'audio/pcm', rate: 4000 } }), { param: 'format.rate' }],
    ['a threshold of 2', update({ turn_detection: { type: 'server_vad', threshold: 2 } }), { code: 'invalid_type' }],
    [
      'an unknown eagerness',
      update({ turn_detection: { type: 'semantic_vad', eagerness: 'constructor' } }),
      { param: 'session.audio.input.turn_detection.eagerness' },
    ],
    ['an unknown model', update({ transcription: { model: 'gpt-9' } }), { code: 'model_not_found', param: 'model' }],
    ['a speech model', update({ transcription: { model: 'tts-1' } }), { code: 'unsupported_for_model' }],
    [
      'a language that no recognizer has',
      update({ transcription: { model: 'whisper-1', language: 'de' } }),
      { code: 'unsupported_language', param: 'language', message: expect.stringContaining('one of en') },
    ],
    [
      'languages that no recognizer has',
      update({ transcription: { model: 'whisper-1', languages: ['de', 'fr'] } }),
      { code: 'unsupported_language', param: 'languages' },
    ],
    ['audio that is no base64', { type: 'input_audio_buffer.append', audio: '%%' }, { param: 'audio' }],
    ['a commit of nothing', { type: 'input_audio_buffer.commit' }, { param: 'audio' }],
  ])('%s', async (_what, event, error) => {
    const client = await connect()
    client.send(event)
    await expect.poll(() => client.of('error')).toMatchObject([{ error: { type: 'invalid_request_error', ...error } }])
    client.send(update({}))
    await expect.poll(() => client.of('session.updated')).toHaveLength(1)
  })
})

describe('a connection', () => {
  test('without a key, or with a wrong one, is refused as every request', async () => {
    expect(await refusal('', {})).toMatchObject({ status: 401, code: 'missing_api_key', type: 'authentication_error' })
    expect(await refusal('', { authorization: 'Bearer wrong' })).toMatchObject({ status: 401, code: 'invalid_api_key' })
  })

  test('of a page takes the key beside the protocol, from an allowed origin alone', async () => {
    await app.close()
    app = await start({ app: { corsOrigins: ['https://app.example.com'] } })
    const key = app.first.authorization.replace('Bearer ', '')
    const protocols = ['realtime', `openai-insecure-api-key.${key}`]
    const client = await connect('?intent=transcription', { origin: 'https://app.example.com' }, protocols)
    expect(client.socket.protocol).toBe('realtime')
    const other = await refusal('', { origin: 'https://other.example.com' }, protocols)
    expect(other).toMatchObject({ status: 403, code: 'origin_not_allowed' })
  })

  test('with a model of conversations is refused in words', async () => {
    const client = new Client(app, '?model=gpt-realtime')
    const [code] = await once(client.socket, 'close')
    expect(code).toBe(1008)
    expect(client.events).toMatchObject([{ type: 'error', error: { param: 'model', type: 'invalid_request_error' } }])
  })

  test('that is refused and then breaks ends alone', async () => {
    const client = new Client(app, '?model=gpt-realtime')
    // No frame begins with these bits.
    client.socket.on('upgrade', ({ socket }: IncomingMessage) => socket.write(Buffer.alloc(16, 0xff)))
    await once(client.socket, 'close')
    expect((await app.get('/v1/models')).status).toBe(200)
  })

  test('counts as a request in flight until it ends', async () => {
    await app.close()
    app = await start({ app: { requestsAtOncePerTenant: 1 } })
    const client = await connect()
    expect(await refusal()).toMatchObject({ status: 429, code: 'too_many_requests', type: 'rate_limit_error' })
    client.socket.close()
    await expect.poll(async () => (await app.get('/v1/models')).status).toBe(200)
  })

  test('leaves the queue for a place when its client leaves, and what it sent early is read', async () => {
    await app.close()
    app = await start({ app: { requestsAtOncePerTenant: 1, requestWaitTimeout: 10_000 } })
    const holder = await connect()
    const address = new URL(app.url)
    const waiting = open(address)
    waiting.write(opening())
    const next = open(address)
    await expect.poll(() => app.services.clock.delays.filter((delay) => delay === 10_000)).toHaveLength(1)
    next.write(opening())
    await expect.poll(() => app.services.clock.delays.filter((delay) => delay === 10_000)).toHaveLength(2)
    // A masked frame without a mask: an event that is no JSON.
    next.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0x7b]))
    waiting.end()
    await expect.poll(() => app.services.clock.delays.filter((delay) => delay === 10_000)).toHaveLength(1)
    holder.socket.close()
    let received = ''
    next.on('data', (data) => (received += data.toString()))
    await expect.poll(() => received).toContain('invalid_json')
    next.destroy()
    await expect.poll(async () => (await app.get('/v1/models')).status).toBe(200)
  })

  test.each([
    ['a key of no length', { 'sec-websocket-key': 'short' }],
    ['an unknown version', { 'sec-websocket-version': '7' }],
  ])('with %s is refused as every request, and counts as refused', async (_what, broken) => {
    const used: unknown[] = []
    vi.spyOn(app.services.runtime.usageCounter, 'note').mockImplementation((...given) => void used.push(given))
    const socket = open(new URL(app.url))
    socket.write(opening(broken))
    const response = await text(socket)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toContain('"code":"invalid_request"')
    expect(response).toContain('x-request-id')
    expect(used).toEqual([])
  })

  test('without an upgrade is told that the path is a WebSocket', async () => {
    const response = await app.get('/openai/v1/realtime')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { message: expect.stringContaining('wss://'), param: null } })
  })

  test('that breaks stops the engine and leaves nothing', async () => {
    const client = await connect()
    client.send(update({ turn_detection: null }))
    let work: AbortSignal | undefined
    vi.spyOn(app.services.engines.recognition, 'recognize').mockImplementation(async (_pcm, { signal } = {}) => {
      work = signal
      const { promise, reject } = Promise.withResolvers<never>()
      signal?.addEventListener('abort', () => reject(signal.reason))
      return promise
    })
    client.append(1, 4000)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => work).toBeDefined()
    client.socket.terminate()
    await expect.poll(() => work?.aborted).toBe(true)
    await expect.poll(() => app.services.engines.semaphores.recognition.busy).toBe(0)
    await expect.poll(() => app.services.clock.delays.filter((delay) => delay === PING_MS)).toEqual([])
  })

  test('that answers no ping is cut', async () => {
    const client = await connect('?intent=transcription', app.first)
    await expect.poll(() => client.events).toHaveLength(1)
    client.socket.pause()
    await app.services.clock.pass(PING_MS)
    await app.services.clock.pass(PING_MS)
    client.socket.resume()
    await once(client.socket, 'close')
  })

  test('ends when its key is deleted', async () => {
    const client = await connect()
    const closed = once(client.socket, 'close')
    const { keys } = app.services.stores
    await keys.delete(keys.idOf(app.first.authorization.replace('Bearer ', '')))
    await app.services.clock.pass(PING_MS)
    expect((await closed)[0]).toBe(1008)
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'invalid_api_key' } })
  })

  test('ends when its account is suspended, and none begins during a drain', async () => {
    await app.close()
    let isSuspended = false
    let draining = false
    const switches = {
      isSuspended: () => isSuspended,
      get draining() {
        return draining
      },
      stop: () => undefined,
    }
    app = await start({ app: { switches } })
    const client = await connect()
    const closed = once(client.socket, 'close')
    isSuspended = true
    await app.services.clock.pass(PING_MS)
    expect((await closed)[0]).toBe(1008)
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'tenant_suspended' } })
    isSuspended = false
    draining = true
    expect(await refusal()).toMatchObject({ status: 503, code: 'draining' })
  })

  test('ends when the service stops', async () => {
    const client = await connect()
    const closed = once(client.socket, 'close')
    const stopped = app.stop()
    expect((await closed)[0]).toBe(1012)
    expect(client.events.at(-1)).toMatchObject({ type: 'error', error: { code: 'shutting_down' } })
    await stopped
  })

  test('is counted as usage and audited', async () => {
    const records: AuditRecord[] = []
    const append = async (more: readonly AuditRecord[]): Promise<void> => void records.push(...more)
    const { clock, log } = app.services.runtime
    const audit = new AuditTrail({ audit: { append }, clock, log })
    await app.close()
    app = await start({ app: { audit } })
    const used: unknown[] = []
    vi.spyOn(app.services.runtime.usageCounter, 'note').mockImplementation((...given) => void used.push(given))
    const client = await connect()
    client.send(update({ turn_detection: null }))
    client.append(1.5, 4000)
    client.send({ type: 'input_audio_buffer.commit' })
    await expect.poll(() => client.of(COMPLETED)).toHaveLength(1)
    // The session continues.
    await expect
      .poll(() => used)
      .toEqual([
        ['first', 'transcription', { requests: 1 }],
        ['first', 'transcription', { recordingMs: expect.closeTo(1500, -2) }],
      ])
    client.socket.close()
    await once(client.socket, 'close')
    await audit.flush()
    expect(records).toMatchObject([{ action: 'openRealtimeSession', outcome: 'done', tenant: 'first' }])
  })
})
