import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { whenClosed } from '../support/connections.ts'

/** The service, as a tenant sees it. */
export interface Target {
  readonly url: string
  readonly key: string
}

/** How loud the loud tenant is. */
export interface Loudness {
  /** Connections that ask for long audio and read nothing. */
  readonly unread: number
  /** Long mp3, opus and flac at once. */
  readonly encodings: number
  /** Transcriptions at once. They take the contents in turn. */
  readonly recordings: number
  readonly contents: readonly Uint8Array<ArrayBuffer>[]
  readonly tasks: number
  /** Transcriptions of names that no server answers for, and of a server that is silent. */
  readonly names: number
  /** Streams with `expected_duration_sec`. */
  readonly measured: number
}

/** A flood in progress. */
export interface Flood {
  /** How many requests of each kind ended with each status or error. A request cut by the end does not count. */
  readonly ends: ReadonlyMap<FloodKind, ReadonlyMap<string, number>>
  readonly stop: () => Promise<void>
}

/** A kind of flood. */
export type FloodKind = keyof Omit<Loudness, 'contents'>

/** One request. @returns Its status. */
type Loop = (signal: AbortSignal) => Promise<string>

/** 45 minutes of speech. */
const LONG = 'This is one of the many sentences of a very long text that nobody listens to. '.repeat(600)

const SPEECH = { model: 'svc-tts-1.5-flash', voice_id: 'slt', input: LONG }

/** Longest wait between two requests of a loop, in milliseconds. */
const REST_MS = 100

/** Starts everything at once and keeps it up. */
export async function startFloods(target: Target, loudness: Loudness): Promise<Flood> {
  const stop = new AbortController()
  const { signal } = stop
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const loops = loopsOf(target, loudness, typeof address === 'object' && address !== null ? address.port : 0)
  const ends = new Map<FloodKind, Map<string, number>>()
  const running = Object.entries(loops).flatMap(([kind, own]) => {
    const counts = new Map<string, number>()
    ends.set(kind as FloodKind, counts)
    return own.map((loop) => repeat(loop, counts, signal))
  })
  return {
    ends,
    async stop() {
      stop.abort()
      silent.closeAllConnections()
      silent.close()
      await Promise.all(running)
    },
  }
}

/** @param silentPort Of a server that never answers. */
function loopsOf(target: Target, loudness: Loudness, silentPort: number): Record<FloodKind, Loop[]> {
  const post = (path: string, body: object): Loop => {
    const text = JSON.stringify(body)
    return (signal) => send(target, path, text, signal)
  }
  const speak = (body: object): Loop => post('/v1/audio/speech', { ...SPEECH, ...body })
  return {
    unread: times(loudness.unread, (n) => (signal) => leaveUnread(target, FORMATS[n % 4], signal)),
    encodings: times(loudness.encodings, (n) => speak({ response_format: FORMATS[n % 3] })),
    recordings: times(loudness.recordings, (n) => (signal) => {
      const form = new FormData()
      form.set('model', 'svc-transcribe-diarize-pro')
      form.set('file', new Blob([loudness.contents[n % loudness.contents.length] ?? new Uint8Array()]), 'a.wav')
      return send(target, '/v1/audio/transcriptions', form, signal)
    }),
    names: times(loudness.names, (n) => {
      const url = n % 2 === 0 ? `http://silent-${n}.example.com/a.wav` : `http://127.0.0.1:${silentPort}/${n}.wav`
      return post('/v1/audio/transcriptions', { model: 'svc-transcribe-1.0', url })
    }),
    measured: times(loudness.measured, () =>
      speak({ stream: true, response_format: 'pcm', expected_duration_sec: DURATION }),
    ),
    tasks: times(Math.min(loudness.tasks, CREATORS), (n) => {
      const create = FORMATS.map((format) => speak({ response_format: format, async: true }))
      let task = n
      return async (signal) => {
        if (task >= loudness.tasks) await once(signal, 'abort')
        task += CREATORS
        return create[task % 4]?.(signal) ?? ''
      }
    }),
  }
}

/** Loops that create tasks. */
const CREATORS = 8

/** `expected_duration_sec`: near the length of the words, so that they can be stretched to it. */
const DURATION = 3000

const FORMATS = ['mp3', 'opus', 'flac', 'wav'] as const

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n))
}

/** Repeats a request until the end. A refused one is part of the noise. */
async function repeat(loop: Loop, counts: Map<string, number>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const end = await loop(signal).catch((error: unknown) => codeOf(error))
    if (!signal.aborted) counts.set(end, (counts.get(end) ?? 0) + 1)
    await sleep(REST_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** @returns `ECONNRESET`, or the name of the error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'error'
  const cause = error.cause instanceof Error ? error.cause : error
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.name
}

async function send(target: Target, path: string, body: string | FormData, signal: AbortSignal): Promise<string> {
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const headers = { authorization: `Bearer ${target.key}`, ...json }
  const response = await fetch(target.url + path, { method: 'POST', headers, body, signal })
  for await (const chunk of response.body ?? []) if (chunk.length === 0) break
  return String(response.status)
}

/** Asks for audio and reads nothing until it is disconnected. */
async function leaveUnread(target: Target, format: string | undefined, signal: AbortSignal): Promise<string> {
  const { hostname, port } = new URL(target.url)
  const body = JSON.stringify({ ...SPEECH, response_format: format })
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined).pause()
  const close = (): void => void socket.destroy()
  signal.addEventListener('abort', close, { once: true })
  socket.write(
    `POST /v1/audio/speech HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${target.key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
  await whenClosed(socket)
  signal.removeEventListener('abort', close)
  return 'closed'
}
