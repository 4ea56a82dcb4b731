import { createServer } from 'node:http'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

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

/** Minutes of speech. */
const LONG = 'This is one of the many sentences of a very long text that nobody listens to. '.repeat(600)

/** Starts everything at once and keeps it up. @returns Stops it. */
export async function startFloods(target: Target, loudness: Loudness): Promise<() => Promise<void>> {
  const stop = new AbortController()
  const { signal } = stop
  const silent = createServer(() => undefined).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const address = silent.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const post = (path: string, body: object): Promise<void> => send(target, path, JSON.stringify(body), signal)
  const speech = { model: 'svc-tts-1.5-flash', voice_id: 'slt', input: LONG }
  const loops = [
    ...times(loudness.unread, (n) => leaveUnread(target, { ...speech, response_format: FORMATS[n % 4] }, signal)),
    ...times(loudness.encodings, (n) => () => post('/v1/audio/speech', { ...speech, response_format: FORMATS[n % 3] })),
    ...times(loudness.recordings, (n) => () => {
      const form = new FormData()
      form.set('model', 'svc-transcribe-diarize-pro')
      form.set('file', new Blob([loudness.contents[n % loudness.contents.length] ?? new Uint8Array()]), 'a.wav')
      return send(target, '/v1/audio/transcriptions', form, signal)
    }),
    ...times(loudness.names, (n) => () => {
      const url = n % 2 === 0 ? `http://silent-${n}.example.com/a.wav` : `http://127.0.0.1:${port}/${n}.wav`
      return post('/v1/audio/transcriptions', { model: 'svc-transcribe-1.0', url })
    }),
    ...times(loudness.measured, () => () => {
      const stream = { stream: true, response_format: 'pcm', expected_duration_sec: 4000 }
      return post('/v1/audio/speech', { ...speech, ...stream })
    }),
    ...times(Math.min(loudness.tasks, 8), (n) => async () => {
      for (let task = n; task < loudness.tasks; task += 8) {
        await post('/v1/audio/speech', { ...speech, response_format: FORMATS[task % 4], async: true })
      }
      await sleep(60_000, undefined, { signal })
    }),
  ]
  const running = loops.map((loop) => repeat(loop, signal))
  return async () => {
    stop.abort()
    silent.closeAllConnections()
    silent.close()
    await Promise.all(running)
  }
}

const FORMATS = ['mp3', 'opus', 'flac', 'wav'] as const

function times<T>(count: number, make: (n: number) => T): T[] {
  return Array.from({ length: count }, (_, n) => make(n))
}

/** Repeats work until the end. A refused request is part of the noise. */
async function repeat(work: () => Promise<void>, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await work().catch(() => undefined)
    await sleep(100, undefined, { signal }).catch(() => undefined)
  }
}

async function send(target: Target, path: string, body: string | FormData, signal: AbortSignal): Promise<void> {
  const json = typeof body === 'string' ? { 'content-type': 'application/json' } : {}
  const headers = { authorization: `Bearer ${target.key}`, ...json }
  const response = await fetch(target.url + path, { method: 'POST', headers, body, signal })
  for await (const chunk of response.body ?? []) if (chunk.length === 0) return
}

/** Asks for audio and reads nothing until it is disconnected. */
function leaveUnread({ url, key }: Target, request: object, signal: AbortSignal): () => Promise<void> {
  return async () => {
    const { hostname, port } = new URL(url)
    const body = JSON.stringify(request)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined).pause()
    const close = (): void => void socket.destroy()
    signal.addEventListener('abort', close, { once: true })
    socket.write(
      `POST /v1/audio/speech HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    )
    await once(socket, 'close')
    signal.removeEventListener('abort', close)
  }
}
