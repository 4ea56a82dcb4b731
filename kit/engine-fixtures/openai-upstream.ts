import { wavHeader } from '@svc-audio/core/adapter'
import { serverUrl } from '@svc-audio/testing'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

/** A request that the scripted server has received. */
export interface ReceivedRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** The JSON body, or the text fields of a form. */
  readonly fields: Readonly<Record<string, unknown>>
  /** The samples of the uploaded WAV. */
  readonly samples: Int16Array
}

/** Answers a request. @returns `undefined` for the usual response */
export type Script = (request: ReceivedRequest, response: ServerResponse, count: number) => unknown

/** A server with the audio routes of OpenAI, and what it has received. */
export interface ScriptedUpstream {
  readonly baseUrl: string
  readonly received: readonly ReceivedRequest[]
  /** Replaces the usual responses. */
  script: Script
  /** Forgets the received requests, which may be large. */
  forget(): void
  close(): Promise<void>
}

/** Sample rate of the usual speech. */
export const RATE = 24_000

/** Speech of the server: a tenth of a second of a tone for each word. */
export function toneOf(text: string): Buffer {
  const words = text.split(/\s+/).filter((word) => word !== '').length
  const samples = Math.round(0.1 * RATE) * words
  const pcm = Buffer.alloc(2 * samples)
  for (let at = 0; at < samples; at += 1)
    pcm.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / RATE)), 2 * at)
  return pcm
}

/** A WAV as servers stream it: its length is a placeholder. */
export function streamedWav(pcm: Uint8Array, sampleRate: number = RATE): Buffer {
  return Buffer.concat([wavHeader({ sampleRate, channels: 1, bitDepth: 16 }, undefined), pcm])
}

/** Starts the server. @param port @default a free one */
export async function startUpstream(port: number = 0): Promise<ScriptedUpstream> {
  const received: ReceivedRequest[] = []
  let count = 0
  const upstream = { script: (() => undefined) as Script }
  const server = createServer((message, response) => {
    void (async () => {
      const parts: Uint8Array[] = []
      for await (const chunk of message) parts.push(chunk)
      const request = readRequest(message, Buffer.concat(parts))
      received.push(request)
      count += 1
      const done: unknown = upstream.script(request, response, count)
      if (done === undefined) await respondAsUsual(request, response)
    })().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    baseUrl: `${serverUrl(server)}/v1`,
    received,
    forget: () => void received.splice(0),
    get script() {
      return upstream.script
    },
    set script(script) {
      upstream.script = script
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers JSON with a status. */
export function respondJson(response: ServerResponse, status: number, body: unknown, headers: object = {}): true {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
  return true
}

async function respondAsUsual(request: ReceivedRequest, response: ServerResponse): Promise<void> {
  if (request.path === '/v1/audio/voices') respondJson(response, 200, { voices: [{ id: 'af_bella', name: 'Bella' }] })
  else if (request.path === '/v1/audio/speech') {
    const pcm = toneOf(String(request.fields['input']))
    const isWav = request.fields['response_format'] === 'wav'
    response.writeHead(200, { 'content-type': isWav ? 'audio/wav' : 'audio/pcm' })
    response.end(isWav ? streamedWav(pcm) : pcm)
  } else respondJson(response, 200, wordsOf(request.samples))
}

/** The word `sound` for each second in which the recording is loud. */
function wordsOf(samples: Int16Array): object {
  const seconds = samples.length / 16_000
  const words = Array.from({ length: Math.max(1, Math.round(seconds)) }, (_, index) => ({
    word: 'sound',
    start: index,
    end: Math.min(index + 0.5, seconds),
  }))
  return { task: 'transcribe', language: 'english', duration: seconds, text: words.map(() => 'sound').join(' '), words }
}

function readRequest(message: IncomingMessage, body: Buffer): ReceivedRequest {
  const { url: path = '', headers } = message
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) {
    const fields: Record<string, unknown> = body.length === 0 ? {} : JSON.parse(body.toString())
    return { path, headers, body, fields, samples: new Int16Array(0) }
  }
  const boundary = `--${/boundary=(?<name>\S+)/.exec(type)?.groups?.['name'] ?? ''}`
  const fields: Record<string, unknown> = {}
  let samples = new Int16Array(0)
  for (const part of body.toString('latin1').split(boundary).slice(1, -1)) {
    const [head = '', ...rest] = part.split('\r\n\r\n')
    const content = rest.join('\r\n\r\n').slice(0, -2)
    const name = / name="(?<name>[^"]+)"/.exec(head)?.groups?.['name'] ?? ''
    if (!head.includes('filename')) fields[name] = Buffer.from(content, 'latin1').toString()
    else {
      const wav = Buffer.from(content, 'latin1').subarray(44)
      samples = new Int16Array(wav.buffer.slice(wav.byteOffset, wav.byteOffset + wav.length))
    }
  }
  return { path, headers, body, fields, samples }
}

/** What a server of a test does, for {@link upstreamEngines}. */
export interface UpstreamWork {
  /** Its voices: the id of the service, and that of the server. */
  readonly voices: Readonly<Record<string, string>>
  /** Whether it recognizes speech. @default the bundled engine does */
  readonly recognizes?: boolean
  /** More keys of the entry, a line each. */
  readonly keys?: readonly string[]
}

/** A file of engines with the server as the engine `far`. The rest of the work is for the bundled engines. */
export function upstreamEngines(
  { baseUrl }: Pick<ScriptedUpstream, 'baseUrl'>,
  { voices, recognizes = false, keys = [] }: UpstreamWork,
): string {
  const listed = Object.entries(voices).map(([id, voice]) => `{ id: ${id}, voice: ${voice} }`)
  const lines = [
    'driver: openai',
    `baseUrl: ${baseUrl}`,
    ...keys,
    `speech: { model: kokoro, voices: [${listed.join(', ')}] }`,
    ...(recognizes ? ['recognition: { model: whisper-1 }'] : []),
  ]
  const bundled = recognizes ? '[diarization]' : '[recognition, diarization]'
  return `engines:\n  far:\n${lines.map((line) => `    ${line}\n`).join('')}bundled: ${bundled}\n`
}
