import type { IncomingMessage } from 'node:http'
import { WebSocketServer, type WebSocket } from 'ws'
import { z } from 'zod'
import { ClientDisconnectedError } from '../../../domain/errors.ts'
import { ServiceError } from '../../../domain/service-error.ts'
import { WorkMeter } from '../../../domain/usage.ts'
import { refusalOfKey } from '../../../http/authenticate.ts'
import { defineEndpoint } from '../../../http/endpoint.ts'
import { takeUpgrade, type Upgrade } from '../../../http/upgrades.ts'
import type { Services } from '../../../services.ts'
import { requireEngines } from '../../../use-cases/engines/pool.ts'
import { toServiceError } from '../../../use-cases/to-service-error.ts'
import { openaiErrorBody } from '../names.ts'
import { RealtimeSession } from './session.ts'
import { type Dialect, isConversation } from './session-options.ts'

/** Largest event, in bytes: OpenAI allows 15 MiB of audio. */
const MAX_EVENT_BYTES = 21 * 1024 * 1024

/** Events of a client that may wait while one is handled, and their characters. Beyond it, its connection is not read. */
const MAX_WAITING_EVENTS = 32
const MAX_WAITING_CHARACTERS = 1024 * 1024

/**
 * Interval of the pings, in milliseconds. A client that does not answer one before the next has disconnected. The key is
 * looked up again at each ping.
 */
const PING_MS = 20_000

/** Status of an opened WebSocket. */
const SWITCHING_PROTOCOLS = 101

/** Close codes of WebSocket (RFC 6455 and its registry). */
const POLICY_VIOLATION = 1008
const SERVICE_RESTART = 1012

const sockets = new WebSocketServer({
  noServer: true,
  maxPayload: MAX_EVENT_BYTES,
  perMessageDeflate: false,
  // Pages offer their key beside the protocol: only this name may be answered.
  handleProtocols: (protocols) => (protocols.has('realtime') ? 'realtime' : false),
})

/** `GET /openai/v1/realtime`. */
export const OPEN_REALTIME_SESSION = defineEndpoint({
  method: 'GET',
  path: '/openai/v1/realtime',
  operationId: 'openRealtimeSession',
  tag: 'openai',
  summary: 'Transcribes live audio over a WebSocket, as a transcription session of OpenAI',
  description:
    'An addition to the interface. Connect with `?intent=transcription`. A request without an upgrade is refused with 400, and so is a conversation.',
  rules: { page: 'docs/openai-api.md' },
  door: 'openai',
  isAudited: true,
  usage: 'transcription',
  query: z.looseObject({ model: z.string().optional(), intent: z.string().optional() }),
  status: 400,
  errors: [400],
  handle:
    ({ services, origins, readiness, switches }) =>
    (request, reply) => {
      const upgrade = takeUpgrade(request.raw)
      if (upgrade === undefined) {
        throw new ServiceError(400, 'invalid_request', 'This path is a WebSocket: connect with ws:// or wss://')
      }
      const { origin } = request.headers
      if (origin !== undefined && !origins.has(origin)) {
        const message = `Pages of ${JSON.stringify(origin.slice(0, 100))} may not connect: add the origin to --cors-origins`
        throw new ServiceError(403, 'origin_not_allowed', message)
      }
      requireEngines('recognition', {}, services.engines.states)
      const socket = accept(request.raw, upgrade)
      reply.hijack()
      reply.raw.statusCode = SWITCHING_PROTOCOLS
      const dialect = request.headers['openai-beta']?.includes('realtime=v1') === true ? 'beta' : 'ga'
      const { model, intent } = request.query
      // Clients may name a model of conversations beside the intent. Only the intent counts then.
      const named = intent === 'transcription' && isConversation(model ?? '') ? undefined : model
      const { tenant } = request
      const refusal = () => refusalOfKey({ keys: services.stores.keys, switches }, request)
      serve(services, socket, { tenant, dialect, model: named, stopping: readiness.stopping, refusal })
    },
})

/** Errors of openings that break the protocol. The library tells them by an event alone. */
const faults = new WeakMap<IncomingMessage, Error>()
sockets.on('wsClientError', (error, _socket, request) => faults.set(request, error))

/**
 * Accepts the opening of a WebSocket.
 * @throws ServiceError 400 for an opening that breaks the protocol; ClientDisconnectedError
 */
function accept(request: IncomingMessage, { socket, head }: Upgrade): WebSocket {
  const opened: WebSocket[] = []
  // It calls back before it returns, or not at all.
  sockets.handleUpgrade(request, socket, head, (one) => opened.push(one))
  const [accepted] = opened
  if (accepted !== undefined) return accepted
  const fault = faults.get(request)
  if (fault === undefined) throw new ClientDisconnectedError()
  const message = `The opening of the WebSocket is not valid: ${fault.message}. Use a WebSocket client of version 13`
  throw new ServiceError(400, 'invalid_request', message)
}

/** A connection to serve. */
interface Connection {
  readonly tenant: string
  readonly dialect: Dialect
  readonly model: string | undefined
  /** Aborts when the service begins to stop. */
  readonly stopping: AbortSignal
  /** Finds the error of a key that was deleted or has expired, or whose account is suspended. */
  readonly refusal: () => Promise<ServiceError | undefined>
}

/** Serves a session until its connection ends. */
function serve(services: Services, socket: WebSocket, { stopping, refusal, ...given }: Connection): void {
  const { clock, totals } = services.runtime
  const left = new AbortController()
  const meter = new WorkMeter(totals)
  const count = countWork(services, given.tenant, meter)
  const send = (event: object): void => {
    if (socket.readyState === socket.OPEN) socket.send(JSON.stringify(event))
  }
  // A broken connection also closes. Without this listener, it would end the process.
  socket.on('error', () => undefined)
  let session: RealtimeSession
  try {
    session = new RealtimeSession(services, { ...given, send, signal: left.signal, meter, onTurnEnd: count })
    session.begin()
  } catch (error) {
    // In words: clients show nothing of a refused upgrade.
    const body = openaiErrorBody(toServiceError(error))
    send({ type: 'error', event_id: 'event_1', ...body })
    socket.close(POLICY_VIOLATION, 'refused')
    return
  }
  services.runtime.usageCounter.note(given.tenant, 'transcription', { requests: 1 })
  const close = (error: ServiceError, code: number): void => {
    send({ type: 'error', event_id: 'event_1', ...openaiErrorBody(error) })
    socket.close(code, error.code)
    // A client that does not answer the close would hold the stop.
    clock.setTimer(1000, () => socket.terminate())
  }
  const onStop = (): void => {
    const message = 'The service is shutting down: connect again'
    close(new ServiceError(503, 'shutting_down', message), SERVICE_RESTART)
  }
  stopping.addEventListener('abort', onStop, { once: true })
  const stopPings = keepAlive(socket, services, async () => {
    // A database that does not answer refuses nobody.
    const error = await refusal().catch(() => undefined)
    if (error !== undefined) close(error, POLICY_VIOLATION)
  })
  let [events, characters] = [0, 0]
  const isFull = (): boolean => events >= MAX_WAITING_EVENTS || characters >= MAX_WAITING_CHARACTERS
  const receive = async (text: string): Promise<void> => {
    events += 1
    characters += text.length
    if (isFull()) socket.pause()
    await session.receive(text)
    events -= 1
    characters -= text.length
    if (!isFull() && socket.isPaused) socket.resume()
  }
  socket.on('message', (data, isBinary) => {
    if (isBinary) socket.close(POLICY_VIOLATION, 'Events are JSON texts')
    else void receive(textOf(data))
  })
  socket.on('close', () => {
    stopping.removeEventListener('abort', onStop)
    stopPings()
    left.abort(new ClientDisconnectedError())
    void session.end().then(count)
  })
  if (stopping.aborted) onStop()
}

/** Returns what counts the work since its last call: a session may last for days. */
function countWork({ runtime: { usageCounter } }: Services, tenant: string, meter: WorkMeter): () => void {
  let counted = 0
  return () => {
    const { recordingMs } = meter.work
    if (recordingMs > counted) usageCounter.note(tenant, 'transcription', { recordingMs: recordingMs - counted })
    counted = recordingMs
  }
}

/**
 * Cuts the connection of a client that has vanished. Returns what stops the pings.
 * @param check Runs at each ping. It never rejects.
 */
function keepAlive(socket: WebSocket, { runtime: { clock } }: Services, check: () => Promise<void>): () => void {
  let isAlive = true
  let cancel: (() => void) | undefined
  socket.on('pong', () => (isAlive = true))
  const ping = (): void => {
    if (!isAlive) return socket.terminate()
    isAlive = false
    // A paused connection reads no pong.
    if (socket.isPaused) isAlive = true
    socket.ping()
    void check()
    cancel = clock.setTimer(PING_MS, ping)
  }
  cancel = clock.setTimer(PING_MS, ping)
  return () => cancel?.()
}

function textOf(data: Buffer | ArrayBuffer | Buffer[]): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString()
  return Buffer.isBuffer(data) ? data.toString() : Buffer.from(data).toString()
}
