import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { Agent, type Dispatcher } from 'undici'
import { repeat } from '../harness/bench-case.ts'

/** A measured server. */
export interface ServerAddress {
  /** Address without `/v1`. */
  readonly origin: string
}

/** The key of every measured request. */
export const BENCH_KEY = 'key-of-the-measurements'

const AUTHORIZATION = { authorization: `Bearer ${BENCH_KEY}` }

/** Requests in flight at the same time. */
const IN_FLIGHT = 16

/** Open connections of one run of a case. */
export function connections(): Agent {
  return new Agent({ connections: IN_FLIGHT, keepAliveTimeout: 60_000 })
}

/** Reads a path. @throws unless the response is 200 */
export async function read(agent: Agent, { origin }: ServerAddress, path: string): Promise<string> {
  const { statusCode, body } = await agent.request({ origin, path, method: 'GET', headers: AUTHORIZATION })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
  return text
}

/** A server that tells the cost of its process since the last call. */
interface CostedServer extends ServerAddress {
  cost(): Promise<{ readonly cpuSeconds: number }>
}

/** Reads a path this many times. @returns microseconds of the server's CPU a request */
export async function readMany(agent: Agent, server: CostedServer, path: string, count: number): Promise<number> {
  await server.cost()
  await repeat(count, IN_FLIGHT, () => read(agent, server, path))
  const { cpuSeconds } = await server.cost()
  return (cpuSeconds * 1e6) / count
}

/** Sends fields to `POST /v1/audio/speech`. @throws unless the response is 200 */
export async function postSpeech(
  agent: Agent,
  { origin }: ServerAddress,
  fields: Readonly<Record<string, string | boolean>>,
): Promise<Dispatcher.ResponseData['body']> {
  const { statusCode, body } = await agent.request({
    origin,
    path: '/v1/audio/speech',
    method: 'POST',
    headers: { ...AUTHORIZATION, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'svc-tts-1.5-flash', ...fields }),
  })
  if (statusCode !== 200) throw new Error(`Speech was answered ${statusCode}: ${await body.text()}`)
  return body
}

/** Result of an engine. */
interface Timed<Value> {
  readonly value: Value
  readonly seconds: number
}

/** Speaks a text. */
export async function speak(
  agent: Agent,
  server: ServerAddress,
  { input, voiceId, format }: { readonly input: string; readonly voiceId: string; readonly format: string },
): Promise<Timed<Uint8Array<ArrayBuffer>>> {
  const start = performance.now()
  const body = await postSpeech(agent, server, { input, voice_id: voiceId, response_format: format })
  const value = new Uint8Array(await body.arrayBuffer())
  return { value, seconds: (performance.now() - start) / 1000 }
}

/** Sends a file to `POST /v1/audio/transcriptions`. @throws unless the response is 200 */
export async function postTranscription(
  { origin }: ServerAddress,
  file: Uint8Array<ArrayBuffer>,
  fields: Readonly<Record<string, string>>,
): Promise<unknown> {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  form.append('file', new Blob([file]), 'speech.wav')
  const response = await fetch(`${origin}/v1/audio/transcriptions`, {
    method: 'POST',
    headers: AUTHORIZATION,
    body: form,
  })
  if (!response.ok) throw new Error(`A transcription was answered ${response.status}: ${await response.text()}`)
  return response.json()
}

/** Transcribes a file. @returns its text */
export async function transcribe(
  server: ServerAddress,
  file: Uint8Array<ArrayBuffer>,
  model: string,
): Promise<Timed<string>> {
  const start = performance.now()
  // The response of our service has this field.
  const { text } = (await postTranscription(server, file, { model })) as { text: string }
  return { value: text, seconds: (performance.now() - start) / 1000 }
}

/** A task, as the service's response describes it. */
export interface Task {
  readonly status: string
  readonly url?: string
  readonly text?: string
}

/** Reads a task. */
export async function readTask(agent: Agent, server: ServerAddress, id: string): Promise<Task> {
  return JSON.parse(await read(agent, server, `/v1/audio/tasks/${id}`)) as Task
}

/** Creates a task that speaks a word, or `input`. @returns its id, as soon as it is accepted */
export async function acceptTask(
  agent: Agent,
  server: ServerAddress,
  fields: Readonly<Record<string, string>> = { input: 'Yes.', voice_id: 'kal16' },
): Promise<string> {
  const body = await postSpeech(agent, server, { ...fields, response_format: 'wav', async: true })
  // The response of our service has this field.
  return ((await body.json()) as { task_id: string }).task_id
}

/** Creates a task that speaks a word, and waits for its end. @returns its id */
export async function makeTask(agent: Agent, server: ServerAddress): Promise<string> {
  const taskId = await acceptTask(agent, server)
  for (;;) {
    const { status } = await readTask(agent, server, taskId)
    if (status === 'SUCCESS') return taskId
    if (status === 'FAILED') throw new Error('The task failed')
    await sleep(20)
  }
}

/** A streaming request. */
export interface StreamRequest {
  readonly input: string
  readonly voiceId: string
}

/** Audible loudness of a 16-bit sample: about −50 dB of the full scale. */
const AUDIBLE = 100

/**
 * Streams speech as PCM and reads it to its end.
 * @returns milliseconds from the call to the first audible sample
 */
export async function firstAudio(
  agent: Agent,
  server: ServerAddress,
  { input, voiceId }: StreamRequest,
): Promise<number> {
  const start = performance.now()
  const body = await postSpeech(agent, server, { input, voice_id: voiceId, response_format: 'pcm', stream: true })
  let first: number | undefined
  for await (const chunk of body) {
    // A chunk may start with half a sample. Silence shows in either half.
    if (first === undefined && isAudible(chunk as Buffer)) first = performance.now() - start
  }
  if (first === undefined) throw new Error('A stream was silent')
  return first
}

function isAudible(chunk: Buffer): boolean {
  for (let at = 0; at + 1 < chunk.length; at += 2) if (Math.abs(chunk.readInt16LE(at)) >= AUDIBLE) return true
  return false
}

const BOUNDARY = 'boundary-of-the-measurements'

/** Sends a file to `POST /v1/files`. @returns the number of bytes that the server stored */
export async function uploadFile(agent: Agent, { origin }: ServerAddress, path: string): Promise<number> {
  const head = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="recording.wav"\r\n\r\n`
  const tail = `\r\n--${BOUNDARY}--\r\n`
  async function* form(): AsyncGenerator<Buffer> {
    yield Buffer.from(head)
    yield* createReadStream(path, { highWaterMark: 256 * 1024 })
    yield Buffer.from(tail)
  }
  const { size } = await stat(path)
  const { statusCode, body } = await agent.request({
    origin,
    path: '/v1/files',
    method: 'POST',
    headers: {
      ...AUTHORIZATION,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'content-length': String(head.length + size + tail.length),
    },
    body: Readable.from(form()),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`An upload was answered ${statusCode}: ${text}`)
  return (JSON.parse(text) as { bytes: number }).bytes
}
