import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { SECONDS_PER_CHARACTER, type ServiceReport, type SpeechForm, TONE_RATE, type UploadReport } from './service.ts'

// Process entry: a service with prepared responses, which reports its requests to the parent on demand.

const MODELS = {
  object: 'list',
  data: ['svc-tts-1.5-flash', 'svc-tts-1.0-pro', 'svc-ttsd-1.0', 'svc-transcribe-1.0'].map((id) => ({
    id,
    object: 'model',
    created: 1_767_225_600,
    owned_by: 'svc',
  })),
}

const SPEECH = {
  id: 'speech-1',
  object: 'audio.speech',
  status: 'SUCCESS',
  url: 'http://127.0.0.1/results/speech-1',
  response_format: 'mp3',
  content_type: 'audio/mpeg',
  created_at: 1_767_225_600,
}

/** The begin of a stream of speech: the format, and a tenth of a second of silence. */
const STREAM_BEGIN = [
  { type: 'speech.created', format: 'pcm', sample_rate: 24_000, channels: 1, bit_depth: 16 },
  { type: 'speech.audio.delta', audio: Buffer.alloc(4800).toString('base64') },
]
  .map((event) => `data: ${JSON.stringify(event)}\n\n`)
  .join('')

/** Time before the first sample of a tone, and length of each of its parts, in milliseconds. */
const THINKING_MS = 200
const STEP_MS = 100

const TASK = '/v1/audio/tasks/'
/** `retry_after` of an unfinished task in seconds, the interface's minimum. */
const RETRY_AFTER_SECONDS = 1

/** Tasks that end after the number of polls in their id: `task-<number>-<reads>`. Counts early polls. */
class TaskBook {
  earlyReads = 0
  finishedTasks = 0
  readonly #tasks = new Map<string, { reads: number; notBefore: number }>()

  /** One poll. */
  read(id: string): object {
    const task = this.#tasks.get(id) ?? { reads: 0, notBefore: 0 }
    this.#tasks.set(id, task)
    const now = performance.now()
    if (now < task.notBefore) this.earlyReads += 1
    task.reads += 1
    task.notBefore = now + RETRY_AFTER_SECONDS * 1000
    const over = task.reads >= Number(id.split('-')[2])
    if (over) this.finishedTasks += 1
    const state = over
      ? { status: 'SUCCESS', url: `http://127.0.0.1/results/${id}`, response_format: 'mp3', content_type: 'audio/mpeg' }
      : { status: 'PROCESSING', retry_after: RETRY_AFTER_SECONDS }
    return { id, object: 'audio.speech', created_at: 1_767_225_600, updated_at: 1_767_225_601, ...state }
  }
}

/** Far more than the fields and headers around a file. */
const WINDOW = 4096

/**
 * Measures the file in a multipart body without storing the body: checks only its first and last 4 KB, which hold
 * everything else. The file's last bytes must not look like a boundary; silence does not.
 */
class MultipartMeter {
  /** Bytes of the whole body so far. */
  bodyBytes = 0
  readonly #boundary: string
  #head: Buffer = Buffer.alloc(0)
  #tail: Buffer = Buffer.alloc(0)

  /** @throws Error unless the type is multipart with a boundary */
  constructor(contentType: string | undefined) {
    const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(contentType ?? '')?.[1]
    if (boundary === undefined) throw new Error(`The upload is not multipart: ${contentType}`)
    this.#boundary = boundary
  }

  add(chunk: Buffer): void {
    if (this.#head.length < WINDOW) this.#head = Buffer.concat([this.#head, chunk.subarray(0, WINDOW)])
    this.#tail = chunk.length >= WINDOW ? chunk : Buffer.concat([this.#tail.subarray(-WINDOW), chunk])
    this.bodyBytes += chunk.length
  }

  /**
   * Bytes of the one file, after the end of the body.
   * @throws Error when the file or its end is missing
   */
  fileBytes(): number {
    const headers = this.#head.indexOf('filename="')
    const start = this.#head.indexOf('\r\n\r\n', headers)
    const end = this.#tail.indexOf(`\r\n--${this.#boundary}`)
    if (headers === -1 || start === -1 || end === -1) throw new Error('The upload holds no whole file')
    return this.bodyBytes - (start + 4) - (this.#tail.length - end)
  }
}

// The parent names one of the forms.
const [, , form] = process.argv as [string, string, SpeechForm]
let requests = 0
let sockets = 0
let book = new TaskBook()
let lastUpload: UploadReport | undefined

/** A request has a path and a response; speech has the form in the arguments. */
async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '' } = request
  if (method === 'GET' && url === '/v1/models') sendJson(response, MODELS)
  else if (method === 'GET' && url.startsWith(TASK)) sendJson(response, book.read(url.slice(TASK.length)))
  else if (method === 'POST' && url === '/v1/audio/transcriptions') {
    lastUpload = await receive(request)
    sendJson(response, { text: 'ok' })
  } else if (method !== 'POST' || url !== '/v1/audio/speech') response.writeHead(404).end()
  else if (form === 'tone') await sendTone(((await json(request)) as { readonly input: string }).input, response)
  else if (form === 'url') request.on('end', () => sendJson(response, SPEECH)).resume()
  else {
    request.resume()
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(STREAM_BEGIN)
  }
}

function sendJson(response: ServerResponse, body: object): void {
  const text = JSON.stringify(body)
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'x-request-id': `request-${requests}`,
  })
  response.end(text)
}

async function receive(request: IncomingMessage): Promise<UploadReport> {
  const meter = new MultipartMeter(request.headers['content-type'])
  let firstByteAt = 0
  request.once('data', () => (firstByteAt = performance.timeOrigin + performance.now()))
  request.on('data', (chunk: Buffer) => meter.add(chunk))
  await new Promise((resolve, reject) => request.once('end', resolve).once('error', reject))
  const length = request.headers['content-length']
  return {
    contentLength: length === undefined ? null : Number(length),
    firstByteAt,
    bodyBytes: meter.bodyBytes,
    fileBytes: meter.fileBytes(),
  }
}

async function sendTone(input: string, response: ServerResponse): Promise<void> {
  const step = Buffer.alloc((2 * TONE_RATE * STEP_MS) / 1000)
  for (let at = 0; at < step.length; at += 2) {
    step.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * 220 * at) / 2 / TONE_RATE)), at)
  }
  const steps = Math.round((input.length * SECONDS_PER_CHARACTER * 1000) / STEP_MS)
  await sleep(THINKING_MS)
  response.writeHead(200, { 'content-type': 'audio/pcm' })
  const start = performance.now()
  for (let sent = 0; sent < steps && !response.destroyed; sent += 1) {
    response.write(step)
    await sleep(Math.max(0, start + (sent + 1) * STEP_MS - performance.now()))
  }
  response.end()
}

function report(): ServiceReport {
  const { earlyReads, finishedTasks } = book
  const told = { requests, sockets, earlyReads, finishedTasks }
  requests = 0
  sockets = 0
  book = new TaskBook()
  return told
}

const server = createServer((request, response) => {
  requests += 1
  respond(request, response).catch((error: unknown) => response.writeHead(400).end(String(error)))
})
server.on('connection', () => (sockets += 1))
// Connections must survive the pause between two rounds of polls.
server.keepAliveTimeout = 60_000
// A large upload or a held stream may take longer.
server.requestTimeout = 0
server.listen(0, '127.0.0.1', 4096, () => {
  // A server that listens on TCP has this kind of address.
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('message', (message) => process.send?.(message === 'upload' ? (lastUpload ?? null) : report()))
// Without the parent, no requests will arrive.
process.once('disconnect', () => process.exit())
