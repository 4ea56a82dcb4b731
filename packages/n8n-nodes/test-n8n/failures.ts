import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { INodeParameters } from 'n8n-workflow'
import { LOCALHOST_CERTIFICATE } from '@svc-audio/kit/hosts'
import { speech } from '../test/support/parameters.ts'
import { type LocalServer, startLocalServer } from './local-server.ts'

/** A failure of a request, a response or a task, as a row of `docs/errors.md` has it. */
export interface Failure {
  /** Its row of the page. */
  readonly what: string
  readonly parameters: INodeParameters
  /** What the credentials hold. */
  readonly apiKey: string
  readonly baseUrl: string
}

/** How a service fails, by the row of the page. */
type Answer = (response: ServerResponse, path: string) => void

const TASK = { id: 'task-1', object: 'audio.speech', status: 'PROCESSING', created_at: 0, updated_at: 0 }

/** Requests that fail in another way than with a status, or a status and a code. */
const REQUESTS: Readonly<Record<string, Answer>> = {
  'status 400': refused(400, { code: 'invalid_json', message: 'The body is not JSON' }),
  'status 400 with a field': refused(400, {
    code: 'invalid_range',
    param: 'speed',
    message: 'speed must be from 0.25 to 4',
  }),
  'status 404 with a field': refused(404, {
    code: 'voice_not_found',
    param: 'voice_id',
    message: 'There is no voice `nobody`',
  }),
  'another response than documented': (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end('Hello'),
  'the audio or transcript was cut': (response) => {
    response.writeHead(200, { 'content-type': 'audio/wav', 'content-length': 10 })
    response.write(Buffer.alloc(9))
    // Node drops bytes that come together with the end of a cut response.
    setTimeout(() => response.socket?.end(), 2000)
  },
  // it never answers
  'the deadline passed': () => {},
  ECONNRESET: (response) => response.destroy(),
}

/** Tasks that are waited for in vain. */
const TASKS: Readonly<Record<string, Answer>> = {
  'a task failed': json({
    ...TASK,
    status: 'FAILED',
    error: { code: 'engine_failed', message: 'The engine is broken' },
  }),
  'a task takes too long': json(TASK),
  'a result has expired': (response, path) =>
    path.endsWith('.wav')
      ? response.writeHead(410).end()
      : json({ ...TASK, status: 'SUCCESS', url: `${path.replace(/\/v1\/.*/, '')}/speech.wav` })(response, path),
}

/** A service that fails in each of these ways, and the nodes that meet it. */
export interface FailingService extends LocalServer {
  readonly failures: readonly Failure[]
}

/** Starts it. @param rows The rows of the page, and their descriptions. */
export async function startFailingService(rows: ReadonlyMap<string, string>): Promise<FailingService> {
  const requests: Readonly<Record<string, Answer>> = { ...Object.fromEntries(statuses(rows)), ...REQUESTS }
  const answers: Readonly<Record<string, Answer>> = { ...requests, ...TASKS }
  const server = await startLocalServer((request, response) => {
    const path = request.url ?? '/'
    const what = decodeURIComponent(path.split('/')[1] ?? '')
    answers[what]?.(response, `${server.url}${path}`)
  })
  const secure = await startSelfSigned()
  const apiKey = 'any-key'
  const spoken = speech({ text: 'Hello.', options: { retries: 0, timeout: 60 } })
  const short = { retries: 0, timeout: 1 }
  const waiting = { resource: 'task', operation: 'wait', taskId: 'task-1' }
  const at = (what: string): string => `${server.url}/${encodeURIComponent(what)}`
  const failures: Failure[] = [
    ...Object.keys(requests).map((what) => ({
      what,
      parameters: what === 'the deadline passed' ? { ...spoken, options: short } : spoken,
      apiKey,
      baseUrl: at(what),
    })),
    ...Object.keys(TASKS).map((what) => ({
      what,
      parameters: { ...waiting, options: what === 'a task takes too long' ? short : {} },
      apiKey,
      baseUrl: at(what),
    })),
    { what: 'ECONNREFUSED', parameters: spoken, apiKey, baseUrl: 'http://127.0.0.1:1' },
    { what: 'EPROTO', parameters: spoken, apiKey, baseUrl: server.url.replace('http:', 'https:') },
    { what: 'DEPTH_ZERO_SELF_SIGNED_CERT', parameters: spoken, apiKey, baseUrl: secure.url },
    { what: 'a wrong Base URL', parameters: spoken, apiKey, baseUrl: 'audio.example.com' },
    { what: 'a wrong API Key', parameters: spoken, apiKey: 'two words', baseUrl: server.url },
  ]
  return {
    url: server.url,
    failures,
    async close() {
      await Promise.all([server.close(), secure.close()])
    },
  }
}

/** The rows of a status, and of a status with a code, whose description ends in both. */
function statuses(rows: ReadonlyMap<string, string>): [what: string, answer: Answer][] {
  return [...rows].flatMap(([what, description]): [string, Answer][] => {
    const [, kind] = /^(status|code) \w+$/.exec(what) ?? []
    const [, status, code] = /\(status (\d+)(?:, code (\w+))?\)$/.exec(description) ?? []
    if (kind === undefined || status === undefined) return []
    return [[what, code === undefined ? plain(Number(status)) : refused(Number(status), { code })]]
  })
}

/** A status without a body of the service. */
function plain(status: number): Answer {
  return (response) => response.writeHead(status, { 'content-type': 'text/plain' }).end()
}

/** An error as the interface has it. */
function refused(status: number, error: object): Answer {
  return (response) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error }))
}

function json(body: object): Answer {
  return (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** A server whose certificate nobody has signed. */
async function startSelfSigned(): Promise<LocalServer> {
  const server = createServer(LOCALHOST_CERTIFICATE, (_request, response) => response.end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
