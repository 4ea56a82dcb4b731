import type { AudioFormat } from '@svc-audio/engine-ports'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { contentTypeOf } from '../domain/formats.ts'
import { type AudioKind, estimateSpeech, KINDS_WITH_MODEL, UNKNOWN_COST } from '../domain/task-kinds.ts'
import type { TaskTrace } from '../domain/task-trace.ts'
import { usageKindOf } from '../domain/usage.ts'
import {
  AUDIO,
  defineEndpoint,
  type Endpoint,
  type EndpointDescription,
  json,
  SpeechResultResponse,
  TaskCreationResponse,
} from '../http/endpoint.ts'
import { holdKey, idempotencyOf } from '../http/idempotency.ts'
import { meterCall } from '../http/records.ts'
import { taskTraceOf } from '../http/request.ts'
import { disconnectSignal } from '../http/response-end.ts'
import { sendAudio, sendEvents, speechFrames } from '../http/streams.ts'
import type { EngineName } from '../ports/engines.ts'
import type { IdempotencyContext } from '../ports/response-store.ts'
import type { Claim } from '../ports/task-store.ts'
import type { Services } from '../services.ts'
import { type AudioWork, makeAudio, respondOnce, storeAudio } from '../use-cases/speech/audio-result.ts'
import type { StreamOrder } from '../use-cases/speech/rules.ts'
import type { FileOptions } from '../use-cases/speech/speak.ts'
import type { StreamedSpeech } from '../use-cases/speech/stream.ts'
import { storeThroughOutage } from '../use-cases/store-outages.ts'
import { acceptAudio, type TaskWish } from '../use-cases/tasks/accept.ts'
import type { TaskOperation, TaskOptions, TaskOutput } from '../use-cases/tasks/task.ts'

/** The fields of a body that select the kind of response. */
interface AudioBody {
  readonly async?: unknown
  readonly stream?: unknown
  readonly delivery_method?: unknown
}

/** The common fields of requests that tasks store. */
type AudioRequest = { readonly format: AudioFormat }

/** The common fields of checked requests for audio. */
export interface AudioOrder extends AudioRequest {
  readonly model: string
  readonly delivery: 'audio' | 'url'
  /** Present if the response is a task. */
  readonly task: TaskWish | undefined
}

/** The complete definition of an endpoint that makes audio. Its method is POST. */
export interface AudioEndpointDefinition<Body extends AudioBody, Request extends AudioRequest> extends Pick<
  EndpointDescription,
  'path' | 'operationId' | 'tag' | 'summary' | 'description' | 'rules' | 'examples'
> {
  /** Kind of its tasks, and `object` on the wire. */
  readonly object: AudioKind
  /** The engine that all of its tasks need. */
  readonly engine: EngineName
  /** Prefix of the ids of its results. */
  readonly idPrefix: string
  /** The types of the body. `check` checks the rules. */
  readonly body: z.ZodType<Body>
  /** Schema of the body for the document. @default `body` */
  readonly documentedBody?: z.ZodType
  /** Largest body, in bytes. @default the service's own limit */
  readonly bodyLimit?: (services: Services) => number
  /** Schema of the request as a task stores it. Never change its form. */
  readonly request: z.ZodType<Request>
  /** Length of the text of a request, which estimates its cost. @default the cost is that of a short text */
  readonly characters?: (request: NoInfer<Request>) => number
  /**
   * Checks a body by its rules. Fields that `request` does not name are not stored.
   * @throws ServiceError with code and field
   */
  readonly check: (
    services: Services,
    body: NoInfer<Body>,
    tenant: string,
  ) => Promise<AudioOrder & NoInfer<Request>> | (AudioOrder & NoInfer<Request>)
  /**
   * Repeats checks whose result may have changed while the task was queued.
   * @throws ServiceError 404
   */
  readonly recheck?: (services: Services, request: NoInfer<Request>, tenant: string) => Promise<void>
  /** Makes the audio. Resolves when the engine has accepted the request. The bytes follow during synthesis. */
  readonly perform: (
    services: Services,
    request: NoInfer<Request>,
    options: FileOptions,
  ) => Promise<AsyncIterable<Uint8Array>>
  /** Responds to requests with `stream: true`. @default the field has no effect */
  readonly stream?: StreamDefinition<Body>
}

/** How an endpoint streams its audio. */
interface StreamDefinition<Body> {
  /**
   * Checks a request with `stream: true` by its rules.
   * @throws ServiceError naming code and field
   */
  readonly check: (services: Services, body: Body, tenant: string) => Promise<StreamOrder>
  /** Begins the stream. Resolves when the engine has accepted the request. */
  readonly begin: (
    services: Services,
    order: StreamOrder,
    context: StreamContext & { readonly trace: TaskTrace },
  ) => Promise<StreamedSpeech>
}

type StreamContext = IdempotencyContext & { readonly signal: AbortSignal }

const AUDIO_CONTENT = { ...AUDIO, ...json(z.union([SpeechResultResponse, TaskCreationResponse])) }

/**
 * Defines an endpoint that turns a JSON body into audio. It responds with the audio, a URL, a stream or a task, and
 * replays the response of a repeated request.
 */
export function defineAudioEndpoint<Body extends AudioBody, Request extends AudioRequest>(
  definition: AudioEndpointDefinition<Body, Request>,
): Endpoint {
  const { path, operationId, tag, summary, description, rules, examples, ...rest } = definition
  const { body, documentedBody, bodyLimit, stream } = rest
  const task: TaskOperation = {
    object: definition.object,
    engine: definition.engine,
    request: definition.request,
    performTask: (services, claim, options) => performTask(services, definition, claim, options),
  }
  return defineEndpoint({
    method: 'POST',
    path,
    operationId,
    tag,
    summary,
    description,
    rules,
    body,
    bodyLimit,
    task,
    ...(examples === undefined ? {} : { examples }),
    ...(documentedBody === undefined ? {} : { bodies: json(documentedBody) }),
    usage: usageKindOf(definition.object),
    content: stream === undefined ? AUDIO_CONTENT : { ...AUDIO_CONTENT, 'text/event-stream': z.string() },
    errors: [400, 404, 409, 413, 415],
    handle:
      ({ services }) =>
      (request, reply) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has parsed it; a generic body stays unresolved
        respond(services, definition, { request, reply, body: request.body as Body }),
  })
}

/** A request with its body, and its reply. */
interface AudioExchange<Body> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly body: Body
}

/** Responds with audio, a URL, a stream or a task. Replays the response of a repeated request. */
async function respond<Body extends AudioBody, Request extends AudioRequest>(
  services: Services,
  definition: AudioEndpointDefinition<Body, Request>,
  exchange: AudioExchange<Body>,
): Promise<unknown> {
  const { object, idPrefix, stream, perform } = definition
  const { request, reply, body } = exchange
  const { tenant } = request
  const signal = disconnectSignal(reply, services.runtime.stopping)
  const idempotency = await idempotencyOf(request, body)
  const terms = { tenant, idempotency }
  return respondOnce(services, { object, body, ...terms }, async () => {
    if (body.stream === true && stream !== undefined)
      return sendStream(services, stream, exchange, { ...terms, signal })
    const order = await definition.check(services, body, tenant)
    const { model, format, delivery, task } = order
    const stored = definition.request.parse(order)
    if (task !== undefined) {
      const cost =
        definition.characters === undefined ? UNKNOWN_COST : estimateSpeech(definition.characters(stored), format)
      const work = { kind: object, model, request: { ...stored }, cost }
      return acceptAudio(services, work, { ...terms, ...task, trace: taskTraceOf(request) })
    }
    await holdKey(reply, services.stores.keysInFlight, terms)
    const make = (options: FileOptions) => perform(services, stored, options)
    // A repeated request gets identical bytes, so nothing in them depends on time.
    const live = delivery === 'audio' && idempotency === undefined
    const work = meteredWork(services, reply, { object, idPrefix, format, signal, live, perform: make })
    if (delivery === 'url') return storeAudio(services, work, terms)
    return sendAudio(reply, await makeAudio(services, work, terms), contentTypeOf(format))
  })
}

async function performTask<Request extends AudioRequest>(
  services: Services,
  {
    object,
    request,
    recheck,
    perform,
  }: Pick<AudioEndpointDefinition<AudioBody, Request>, 'object' | 'request' | 'recheck' | 'perform'>,
  claim: Claim,
  options: TaskOptions,
): Promise<TaskOutput> {
  const { tenant, id, model } = claim.task
  const stored = request.parse(claim.request)
  const { format } = stored
  await recheck?.(services, stored, tenant)
  const audio = await perform(services, stored, { id, tenant, ...options })
  const nameOf = (attempt: number): string => `${id}-${claim.token}${attempt === 1 ? '' : `-${attempt}`}.${format}`
  const file = await storeThroughOutage(services, { tenant, nameOf, signal: options.signal }, audio)
  const result = { file, response_format: format, content_type: contentTypeOf(format) }
  return { file, result: KINDS_WITH_MODEL.has(object) ? { ...result, model_id: model } : result }
}

/** Audio to make, and the signal that stops the work. */
interface WorkToMeter<Kind extends AudioKind> extends Omit<AudioWork<Kind>, 'make'> {
  readonly signal: AbortSignal
  /** Whether the file is sent while it is made. */
  readonly live: boolean
  readonly perform: (options: FileOptions) => Promise<AsyncIterable<Uint8Array>>
}

/** Measures work for the usage of its tenant. A repeated request counts no work. */
export function meteredWork<Kind extends AudioKind>(
  services: Services,
  reply: FastifyReply,
  { object, idPrefix, format, signal, live, perform }: WorkToMeter<Kind>,
): AudioWork<Kind> {
  const { tenant } = reply.request
  const make = (id: string, isRepeated: boolean): Promise<AsyncIterable<Uint8Array>> => {
    const meter = isRepeated ? undefined : meterCall(services, reply, usageKindOf(object))
    return perform({ id, tenant, signal, meter, live })
  }
  return { object, idPrefix, format, make }
}

async function sendStream<Body>(
  services: Services,
  { check, begin }: StreamDefinition<Body>,
  { request, reply, body }: AudioExchange<Body>,
  context: StreamContext,
): Promise<FastifyReply> {
  const order = await check(services, body, context.tenant)
  await holdKey(reply, services.stores.keysInFlight, context)
  const speech = await begin(services, order, { ...context, trace: taskTraceOf(request) })
  request.subject = speech.taskId
  return order.events ? sendEvents(reply, speechFrames(speech, order.model)) : sendPcm(reply, speech)
}

/**
 * Sends raw PCM with its format in the headers. An error in mid-stream only closes the connection (interface: Events).
 */
async function sendPcm(reply: FastifyReply, speech: StreamedSpeech): Promise<FastifyReply> {
  const { sampleRate, channels, bitDepth } = speech.format
  reply.header('x-sample-rate', sampleRate).header('x-channels', channels).header('x-bit-depth', bitDepth)
  return sendAudio(reply, speech.chunks, contentTypeOf('pcm'))
}
