import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ServerMessage, WireEvent } from '../protocol/messages.ts'
import { MICROPHONE, type MicrophoneFrame, PLAYER, type PlayerInput, type PlayerReport } from '../worklet/messages.ts'
import type { VoiceEnd } from './connection.ts'
import type { VoiceClientOptions, VoiceStatus } from './voice-client-options.ts'
import { VoiceClient } from './voice-client.ts'

const FORMAT = { sampleRate: 16_000, channels: 1, bitDepth: 16 }

/** A track of a microphone. */
class Track extends EventTarget {
  stopped = 0
  stop(): void {
    this.stopped += 1
  }
}

/** A stream of a microphone. */
class Stream {
  readonly track = new Track()
  getTracks = (): Track[] => [this.track]
  getAudioTracks = (): Track[] => [this.track]
}

/** A port of a worklet: what the page posts, and what the worklet would post. */
class Port extends EventTarget {
  readonly posted: PlayerInput[] = []
  start(): void {}
  postMessage(message: PlayerInput): void {
    this.posted.push(message)
  }
  report(data: PlayerReport | MicrophoneFrame): void {
    this.dispatchEvent(new MessageEvent('message', { data }))
  }
}

/** A browser: its audio, its microphone and its WebSockets, in the hands of the test. */
class Browser {
  readonly ports = new Map<string, Port>()
  readonly contexts: (EventTarget & { state: string })[] = []
  readonly devices: EventTarget & { getUserMedia?: () => Promise<Stream> } = new EventTarget()
  readonly document: EventTarget = new EventTarget()
  /** Whether the browser lets the page play. */
  mayPlay = true
  /** Whether its audio takes the microphone. */
  mayListen = true
  readonly stream = new Stream()
  readonly sockets: Socket[] = []
  microphone: () => Promise<Stream> = async () => this.stream
  addModule: () => Promise<void> = async () => {}

  get player(): Port {
    return this.ports.get(PLAYER) ?? new Port()
  }

  get socket(): Socket {
    const socket = this.sockets.at(-1)
    if (socket === undefined) throw new Error('No connection was opened')
    return socket
  }

  install(): void {
    const { contexts, ports, sockets } = this
    const microphone = (): Promise<Stream> => this.microphone()
    const addModule = (): Promise<void> => this.addModule()
    vi.stubGlobal('MediaStream', Stream)
    vi.stubGlobal('location', { href: 'https://example.com/page' })
    const mayPlay = (): boolean => this.mayPlay
    const mayListen = (): boolean => this.mayListen
    vi.stubGlobal('navigator', { mediaDevices: Object.assign(this.devices, { getUserMedia: microphone }) })
    vi.stubGlobal('document', this.document)
    vi.stubGlobal(
      'AudioContext',
      class extends EventTarget {
        state = 'suspended'
        readonly destination = {}
        readonly audioWorklet = { addModule }
        constructor() {
          super()
          contexts.push(this)
        }
        createMediaStreamSource(): object {
          if (!mayListen()) throw new DOMException('Another sample rate', 'NotSupportedError')
          return { connect() {}, disconnect() {} }
        }
        resume(): Promise<void> {
          // Browsers leave the promise open until a click.
          if (!mayPlay()) return new Promise(() => {})
          const isNew = this.state !== 'running'
          this.state = 'running'
          if (isNew) this.dispatchEvent(new Event('statechange'))
          return Promise.resolve()
        }
        async close(): Promise<void> {
          if (this.state === 'closed') throw new DOMException('The context is closed', 'InvalidStateError')
          this.state = 'closed'
        }
      },
    )
    vi.stubGlobal(
      'AudioWorkletNode',
      class {
        readonly port = new Port()
        constructor(_context: unknown, name: string) {
          ports.set(name, this.port)
        }
        connect(): void {}
        disconnect(): void {}
      },
    )
    vi.stubGlobal(
      'WebSocket',
      class extends Socket {
        constructor(url: string) {
          super(url)
          sockets.push(this)
        }
      },
    )
  }
}

/** A WebSocket in the hands of the test. */
class Socket extends EventTarget {
  readonly sent: unknown[] = []
  bufferedAmount = 0
  readonly url: string
  closedWith: number | undefined
  constructor(url: string) {
    super()
    this.url = url
  }
  send(data: unknown): void {
    this.sent.push(typeof data === 'string' ? JSON.parse(data) : data)
  }
  close(code: number): void {
    this.closedWith = code
  }
  tell(...messages: readonly (ServerMessage | ArrayBuffer)[]): void {
    for (const message of messages) {
      const data = message instanceof ArrayBuffer ? message : JSON.stringify(message)
      this.dispatchEvent(new MessageEvent('message', { data }))
    }
  }
  lose(code: number): void {
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason: '' }))
  }
}

let browser: Browser
let statuses: VoiceStatus[]
let ended: VoiceEnd[]

beforeEach(() => {
  vi.useFakeTimers()
  browser = new Browser()
  browser.install()
  statuses = []
  ended = []
})

afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const make = (options: VoiceClientOptions = {}): VoiceClient =>
  new VoiceClient({ onStatus: (status) => statuses.push(status), onEnd: (end) => ended.push(end), ...options })

/** A client that is connected. */
async function connected(options: VoiceClientOptions = {}): Promise<VoiceClient> {
  const client = make(options)
  await client.start()
  await vi.advanceTimersByTimeAsync(0)
  browser.socket.dispatchEvent(new Event('open'))
  browser.socket.tell({ type: 'ready', protocol: 1, session: 'secret', resumed: false })
  return client
}

const pcm = (samples: number): ArrayBuffer => new Int16Array(samples).fill(1000).buffer
const at = (event: Omit<WireEvent, 'ts'>): WireEvent => ({ ...event, ts: 0 }) as WireEvent

/** The user says something, and the answer begins. */
function beginAnswer(turn: number): void {
  browser.socket.tell(at({ type: 'stt_output', transcript: 'hello' } as WireEvent))
  browser.socket.tell({ type: 'audio_format', turn, format: FORMAT }, pcm(1600))
}

/** The player reports, and has all audio that was posted unless told otherwise. */
function report(played: number, queued: number, turn = 1, level = 0.2, pieces = postedPieces()): void {
  browser.player.report({ turn, played, queued, pieces, starved: 0, level })
}

/** Pieces of audio that went to the player since its last flush. */
function postedPieces(): number {
  const types = browser.player.posted.map(({ type }) => type)
  return types.slice(types.lastIndexOf('flush') + 1).filter((type) => type === 'audio').length
}

const frame = (level: number): ArrayBuffer => {
  const message = { pcm: pcm(320), level }
  browser.ports.get(MICROPHONE)?.report(message)
  return message.pcm
}

/** What the server heard of the last frame: sound, silence or nothing. */
function heardOf(sent: unknown): 'sound' | 'silence' | 'nothing' {
  if (!(sent instanceof ArrayBuffer)) return 'nothing'
  return new Int16Array(sent).some((sample) => sample !== 0) ? 'sound' : 'silence'
}

describe('a conversation', () => {
  test('connects to the page’s own server, and says what it does', async () => {
    const client = await connected()
    expect(browser.socket.url).toBe('wss://example.com/voice')
    expect(browser.socket.sent).toMatchObject([{ type: 'start', format: FORMAT }])
    beginAnswer(1)
    report(0.05, 0.05)
    browser.socket.tell(at({ type: 'paused' }), at({ type: 'resumed' }), at({ type: 'turn_end' }))
    report(0.1, 0)
    await client.stop()
    expect(statuses).toEqual([
      'connecting',
      'listening',
      'thinking',
      'speaking',
      'paused',
      'speaking',
      'listening',
      'closed',
    ])
    expect(browser.stream.track.stopped).toBe(1)
    expect(browser.contexts).toMatchObject([{ state: 'closed' }])
    expect(browser.socket.closedWith).toBe(1000)
    expect(ended).toEqual([])
  })

  test('speaks until the last piece is played, though its turn has ended before the player reports', async () => {
    await connected()
    beginAnswer(1)
    browser.socket.tell(at({ type: 'turn_end' }))
    report(0.1, 0, 1, 0.2, 0)
    expect(statuses.at(-1)).toBe('speaking')
    report(0.1, 0)
    expect(statuses.slice(2)).toEqual(['thinking', 'speaking', 'listening'])
  })

  test('plays audio in the order and the format of the server, and reports the position once', async () => {
    await connected()
    beginAnswer(1)
    browser.socket.tell(pcm(20), { type: 'audio_format', turn: 1, format: { ...FORMAT, sampleRate: 8000 } }, pcm(30))
    const played = browser.player.posted.filter(({ type }) => type === 'audio')
    expect(played).toMatchObject([{ sampleRate: 16_000 }, { sampleRate: 16_000 }, { sampleRate: 8000 }])
    expect(played.map((item) => ('pcm' in item ? item.pcm.byteLength : 0))).toEqual([3200, 40, 60])
    browser.socket.sent.length = 0
    for (const seconds of [0.05, 0.05, 0.1]) report(seconds, 0.1)
    expect(browser.socket.sent).toEqual([
      { type: 'played', turn: 1, seconds: 0.05 },
      { type: 'played', turn: 1, seconds: 0.1 },
    ])
  })

  test('drops audio that comes before its format, and reports of an earlier turn', async () => {
    const client = await connected()
    browser.socket.tell(pcm(100))
    expect(browser.player.posted.filter(({ type }) => type === 'audio')).toEqual([])
    beginAnswer(1)
    report(3, 1, 1)
    beginAnswer(2)
    browser.socket.sent.length = 0
    report(3.05, 1, 1)
    expect(client.playedSeconds).toBe(0)
    expect(browser.socket.sent).toEqual([])
    report(0.05, 1, 2)
    expect(browser.socket.sent).toEqual([{ type: 'played', turn: 2, seconds: 0.05 }])
  })

  test('an interruption drops what waits, and the next answer plays', async () => {
    await connected()
    beginAnswer(1)
    report(1, 2)
    browser.player.posted.length = 0
    browser.socket.tell(at({ type: 'paused' }), at({ type: 'interrupted', heard: 'One.' } as WireEvent))
    beginAnswer(2)
    expect(browser.player.posted.map(({ type }) => type)).toEqual(['pause', 'flush', 'flush', 'audio'])
    expect(browser.player.posted[2]).toMatchObject({ turn: 2 })
  })
})

describe('the microphone', () => {
  test('sends silence while it is muted, so that an utterance ends, and the client shows its loudness', async () => {
    const levels: number[] = []
    const client = await connected({ onLevels: ({ microphone }) => levels.push(microphone) })
    client.muted = true
    browser.socket.sent.length = 0
    frame(0.3)
    expect(browser.socket.sent.map((sent) => heardOf(sent))).toEqual(['silence'])
    expect(levels).toEqual([0.3])
    client.muted = false
    frame(0.3)
    expect(heardOf(browser.socket.sent.at(-1))).toBe('sound')
  })

  test.each([
    ['adaptive', 'silence', 'sound'],
    ['half-duplex', 'silence', 'silence'],
    ['off', 'sound', 'sound'],
  ] as const)('with echoGuard %s, an echo is %s and a voice over it %s', async (echoGuard, echo, voice) => {
    await connected({ echoGuard })
    beginAnswer(1)
    for (let index = 0; index < 60; index += 1) {
      report(index * 0.02, 1)
      frame(0.005)
    }
    expect(heardOf(browser.socket.sent.at(-1))).toBe(echo)
    frame(0.3)
    expect(heardOf(browser.socket.sent.at(-1))).toBe(voice)
  })

  test('that is unplugged gives way to another one, and the conversation continues', async () => {
    const client = await connected({ microphone: { deviceId: { exact: 'headset' } } })
    const other = new Stream()
    const asked: unknown[] = []
    browser.microphone = async () => {
      asked.push('asked')
      if (asked.length === 1) throw new DOMException('gone', 'OverconstrainedError')
      return other
    }
    browser.stream.track.dispatchEvent(new Event('ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect(asked).toHaveLength(2)
    expect(client.status).toBe('listening')
    frame(0.3)
    expect(heardOf(browser.socket.sent.at(-1))).toBe('sound')
    await client.stop()
    expect(other.track.stopped).toBe(1)
  })

  test('that is unplugged without another one is told, and the next one that is plugged in is heard', async () => {
    const client = await connected()
    browser.microphone = () => Promise.reject(new DOMException('none', 'NotFoundError'))
    browser.stream.track.dispatchEvent(new Event('ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect(client.status).toBe('unplugged')
    expect(browser.socket.closedWith).toBeUndefined()
    browser.microphone = async () => new Stream()
    browser.devices.dispatchEvent(new Event('devicechange'))
    await vi.advanceTimersByTimeAsync(0)
    expect(client.status).toBe('listening')
    expect(ended).toEqual([])
  })

  test('that the audio does not take is let go, and the next one is heard', async () => {
    const client = await connected()
    const odd = new Stream()
    browser.microphone = async () => odd
    browser.mayListen = false
    browser.stream.track.dispatchEvent(new Event('ended'))
    await vi.advanceTimersByTimeAsync(0)
    expect([client.status, odd.track.stopped]).toEqual(['unplugged', 1])
    browser.microphone = async () => new Stream()
    browser.mayListen = true
    browser.devices.dispatchEvent(new Event('devicechange'))
    await vi.advanceTimersByTimeAsync(0)
    expect(client.status).toBe('listening')
  })

  test('of the page’s own that ends also ends the conversation, and resume() continues its session', async () => {
    const own = new Stream()
    const client = await connected({ microphone: own })
    own.track.dispatchEvent(new Event('ended'))
    expect(client.status).toBe('closed')
    expect(ended).toEqual([{ code: 4000, reason: 'The microphone is gone' }])
    expect(browser.socket.closedWith).toBe(1000)
    await client.resume()
    await vi.advanceTimersByTimeAsync(0)
    browser.socket.dispatchEvent(new Event('open'))
    expect(browser.socket.sent).toMatchObject([{ type: 'start', session: 'secret' }])
  })

  test('of the page’s own is not stopped', async () => {
    const own = new Stream()
    const client = await connected({ microphone: own })
    await client.stop()
    expect(own.track.stopped).toBe(0)
  })
})

describe('a start that fails leaves nothing open', () => {
  const denied = new DOMException('The user said no', 'NotAllowedError')

  test('when the user gives no microphone, and the next start may succeed', async () => {
    const give = browser.microphone
    browser.microphone = () => Promise.reject(denied)
    const client = make()
    await expect(client.start()).rejects.toBe(denied)
    expect(statuses).toEqual(['connecting', 'closed'])
    expect(browser.contexts).toMatchObject([{ state: 'closed' }])
    expect(browser.sockets).toEqual([])
    browser.microphone = give
    await client.start()
    expect(client.status).toBe('connecting')
  })

  test('when the page is not served over HTTPS: the error names the remedy', async () => {
    vi.stubGlobal('navigator', {})
    await expect(make().start()).rejects.toThrow('serve it over HTTPS or on localhost')
    expect(browser.contexts).toMatchObject([{ state: 'closed' }])
  })

  test('when the worklet cannot be loaded, also if the user allows the microphone later', async () => {
    const { promise, resolve } = Promise.withResolvers<Stream>()
    browser.microphone = () => promise
    browser.addModule = () => Promise.reject(new Error('blocked by the policy'))
    const client = make()
    await expect(client.start()).rejects.toThrow('blocked by the policy')
    resolve(browser.stream)
    await vi.advanceTimersByTimeAsync(0)
    expect(browser.stream.track.stopped).toBe(1)
    expect(client.status).toBe('closed')
  })

  test('when the audio does not take the microphone', async () => {
    browser.mayListen = false
    await expect(make().start()).rejects.toThrow('Another sample rate')
    expect(browser.stream.track.stopped).toBe(1)
    expect(browser.contexts).toMatchObject([{ state: 'closed' }])
  })

  test('when its address is none: the microphone is not opened', async () => {
    const client = make({ url: 'https://' })
    await expect(client.start()).rejects.toThrow('Invalid URL')
    expect(client.status).toBe('closed')
    expect(browser.contexts).toEqual([])
  })

  test('when it is stopped while the user is asked for the microphone', async () => {
    const { promise, resolve } = Promise.withResolvers<Stream>()
    browser.microphone = () => promise
    const client = make()
    const starting = client.start()
    await client.stop()
    resolve(browser.stream)
    await starting
    expect(client.status).toBe('closed')
    expect(browser.stream.track.stopped).toBe(1)
    expect(browser.contexts).toMatchObject([{ state: 'closed' }])
    expect(browser.sockets).toEqual([])
  })
})

describe('a browser that stops the sound of a page', () => {
  test('before the first click is told, and a click anywhere starts the conversation', async () => {
    browser.mayPlay = false
    const client = make()
    const starting = client.start()
    await vi.advanceTimersByTimeAsync(1000)
    await starting
    browser.socket.dispatchEvent(new Event('open'))
    browser.socket.tell({ type: 'ready', protocol: 1, session: 'secret', resumed: false })
    expect(client.status).toBe('blocked')
    browser.mayPlay = true
    browser.document.dispatchEvent(new Event('pointerdown'))
    await vi.advanceTimersByTimeAsync(0)
    expect(client.status).toBe('listening')
  })

  test('during a call is told only if it does not start again by itself', async () => {
    const client = await connected()
    const [context] = browser.contexts
    const suspend = async (): Promise<void> => {
      if (context !== undefined) context.state = 'suspended'
      context?.dispatchEvent(new Event('statechange'))
      await vi.advanceTimersByTimeAsync(1000)
    }
    await suspend()
    expect([client.status, context?.state]).toEqual(['listening', 'running'])
    browser.mayPlay = false
    await suspend()
    expect(client.status).toBe('blocked')
    beginAnswer(1)
    expect(client.status).toBe('blocked')
    browser.mayPlay = true
    await client.resume()
    expect(client.status).toBe('speaking')
    expect(statuses.filter((status) => status === 'blocked')).toHaveLength(1)
  })
})

test('resume() continues a conversation whose connection is lost for good, and start() begins a new one', async () => {
  const client = await connected({ maxReconnects: 0 })
  browser.socket.lose(1006)
  await vi.advanceTimersByTimeAsync(0)
  expect([client.status, ended]).toEqual(['closed', [{ code: 1006, reason: '' }]])
  await client.resume()
  await vi.advanceTimersByTimeAsync(0)
  browser.socket.dispatchEvent(new Event('open'))
  expect(browser.socket.sent).toMatchObject([{ session: 'secret' }])
  await client.stop()
  await client.start()
  await vi.advanceTimersByTimeAsync(0)
  browser.socket.dispatchEvent(new Event('open'))
  expect(browser.socket.sent.at(0)).not.toHaveProperty('session')
})

test('language and voice go with the start and with each change', async () => {
  const client = await connected({ locale: 'de-AT', voice: 'rms' })
  expect(browser.socket.sent).toMatchObject([{ type: 'start', locale: 'de-AT', voice: 'rms' }])
  client.change({ locale: 'fr' })
  expect(browser.socket.sent.at(-1)).toEqual({ type: 'settings', locale: 'fr' })
  browser.socket.lose(1006)
  await vi.advanceTimersByTimeAsync(300)
  browser.socket.dispatchEvent(new Event('open'))
  expect(browser.socket.sent).toMatchObject([{ locale: 'fr', voice: 'rms' }])
})

test('a model that fails, or answers nothing, brings the page back to listening', async () => {
  await connected()
  browser.socket.tell(at({ type: 'stt_output', transcript: 'hello' } as WireEvent))
  const failure = { type: 'error', stage: 'agent', reason: 'failed', message: 'The answer failed. Ask again.' }
  browser.socket.tell(
    at(failure as WireEvent),
    at({ type: 'agent_end', text: '' } as WireEvent),
    at({ type: 'turn_end' }),
  )
  expect(statuses.slice(-2)).toEqual(['thinking', 'listening'])
})

test('what the agent says by itself plays as an answer does', async () => {
  await connected()
  browser.socket.tell(at({ type: 'agent_turn', text: 'Hello.' } as WireEvent))
  browser.socket.tell({ type: 'audio_format', turn: 1, format: FORMAT }, pcm(1600))
  browser.socket.tell(at({ type: 'turn_end' }))
  report(0.1, 0)
  expect(statuses.slice(-3)).toEqual(['thinking', 'speaking', 'listening'])
})

test('a second start is refused while the first is open', async () => {
  const client = await connected()
  await expect(client.start()).rejects.toThrow('call stop() first')
  await client.stop()
  await client.start()
  expect(client.status).toBe('connecting')
})

describe('a lost connection', () => {
  test('is opened again with its session, and the old answer is dropped', async () => {
    const client = await connected()
    beginAnswer(3)
    report(1, 2, 3)
    browser.socket.lose(1006)
    expect(client.status).toBe('reconnecting')
    await vi.advanceTimersByTimeAsync(300)
    expect(browser.sockets).toHaveLength(2)
    browser.socket.dispatchEvent(new Event('open'))
    expect(browser.socket.sent).toMatchObject([{ session: 'secret' }])
    browser.player.posted.length = 0
    browser.socket.tell({ type: 'ready', protocol: 1, session: 'secret', resumed: true })
    expect(browser.player.posted).toEqual([{ type: 'flush', turn: 0 }])
    expect(client.status).toBe('listening')
    beginAnswer(1)
    expect(client.status).toBe('speaking')
  })

  test('ends the conversation when the server refuses it, and frees the microphone', async () => {
    const client = await connected()
    browser.socket.lose(4401)
    await vi.advanceTimersByTimeAsync(0)
    expect(client.status).toBe('closed')
    expect(ended).toMatchObject([{ code: 4401 }])
    expect(browser.stream.track.stopped).toBe(1)
  })
})

test('nothing happens after stop(), though the server still speaks', async () => {
  const events: WireEvent[] = []
  const client = await connected({ onEvent: (event) => events.push(event) })
  const { socket } = browser
  await client.stop()
  socket.tell(at({ type: 'stt_output', transcript: 'late' } as WireEvent), pcm(100))
  socket.lose(1006)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual([])
  expect(client.status).toBe('closed')
  expect(browser.sockets).toHaveLength(1)
})

test('an audio context that the page has closed does not keep stop() from its end', async () => {
  const client = await connected()
  for (const context of browser.contexts) context.state = 'closed'
  await client.stop()
  expect(client.status).toBe('closed')
  expect(browser.stream.track.stopped).toBe(1)
})

test.each<[message: string, options: object]>([
  ['Unknown option `uri`; did you mean `url`?', { uri: '/voice' }],
  ["`echoGuard` must be one of 'adaptive', 'half-duplex', 'off'", { echoGuard: 'none' }],
  ['`token` must be a function', { token: 'key' }],
  ['`maxReconnects` must be a non-negative integer', { maxReconnects: -1 }],
  ['`url` must be a non-empty string', { url: '' }],
  ['`microphone` must be constraints of a microphone, or a MediaStream', { microphone: 'default' }],
  ['`locale` must be a language tag such as de-AT', { locale: 'German (Austria)' }],
  ['`voice` must be a string of 1 to 256 characters', { voice: '' }],
])('a wrong option is refused at once: %s', (message, options) => {
  expect(() => new VoiceClient(options as VoiceClientOptions)).toThrow(message)
})

test('a wrong choice of the user is refused at once, and changes nothing', async () => {
  const client = await connected()
  const before = browser.socket.sent.length
  expect(() => client.change({ locale: 'x' })).toThrow('VoiceClient.change(): `locale` must be a language tag')
  expect(() => client.change({ lang: 'de' } as object)).toThrow('Unknown option `lang`')
  expect(browser.socket.sent).toHaveLength(before)
})

describe('a detection of speech in the page', () => {
  const speech = (judge: () => number): NonNullable<VoiceClientOptions['speech']> => ({
    name: 'scripted',
    open: async () => ({ judge }),
  })
  /** A second of a quiet room, and a quarter of a second of sound. @returns what the server heard of them */
  const listen = async (): Promise<ReadonlySet<string>> => {
    browser.socket.sent.length = 0
    for (let index = 0; index < 62; index += 1) {
      const sound = new Int16Array(320).fill(index < 50 ? 5 : 8000)
      browser.ports.get(MICROPHONE)?.report({ pcm: sound.buffer, level: index < 50 ? 0.0002 : 0.25 })
      await vi.advanceTimersByTimeAsync(20)
    }
    return new Set(browser.socket.sent.map(heardOf))
  }

  test('keeps what is no speech from the server, and passes speech', async () => {
    let probability = 0
    await connected({ speech: speech(() => probability) })
    expect(await listen()).toEqual(new Set(['silence']))
    probability = 1
    expect(await listen()).toContain('sound')
  })

  test('that cannot be loaded fails the start, and frees the microphone', async () => {
    const open = (): Promise<never> => Promise.reject(new Error('/silero/ort.mjs answered 404'))
    const client = make({ speech: { name: 'missing', open } })
    await expect(client.start()).rejects.toThrow('/silero/ort.mjs answered 404')
    expect(browser.stream.track.stopped).toBe(1)
    expect(browser.sockets).toEqual([])
    expect(statuses).toEqual(['connecting', 'closed'])
  })

  test('that is still loaded does not keep stop() from freeing the microphone', async () => {
    const client = make({ speech: { name: 'slow', open: () => new Promise(() => {}) } })
    void client.start()
    await vi.advanceTimersByTimeAsync(600)
    await client.stop()
    expect(browser.stream.track.stopped).toBe(1)
    expect(client.status).toBe('closed')
  })

  test('is checked when it is given', () => {
    const given = { speech: 'silero' } as unknown as VoiceClientOptions
    expect(() => new VoiceClient(given)).toThrow('`speech` must be an object with the method open')
  })
})
