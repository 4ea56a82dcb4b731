import type { AudioFormat } from '@svc-audio/engine-ports'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { contentTypeOf } from '../domain/formats.ts'
import { type AudioKind, estimateSpeech, KINDS_WITH_MODEL, UNKNOWN_COST } from '../domain/task-kinds.ts'
import type { TaskTrace } from '../domain/task-trace.ts'
import { usageKindOf, type WorkMeter } from '../domain/usage.ts'
import {
  binary,
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
import type { IdempotencyContext } from '../ports/idempotency.ts'
import type { Claim, JsonObject } from '../ports/task-store.ts'
import type { Services } from '../services.ts'
import { respondOnce } from '../use-cases/idempotency/replay.ts'
import { type AudioWork, makeAudio, storeAudio } from '../use-cases/speech/audio-result.ts'
import type { StreamOrder } from '../use-cases/speech/speech-rules.ts'
import type { StreamedSpeech } from '../use-cases/speech/stream-speech.ts'
import { storeThroughOutage } from '../use-cases/storage/store-through-outage.ts'
import { acceptAudio } from '../use-cases/tasks/accept-task.ts'
import type { TaskOperation, TaskOutput } from '../use-cases/tasks/task-operation.ts'
import type { TaskWish } from '../use-cases/tasks/task-rules.ts'

/** The complete definition of an endpoint that makes audio. Its method is POST. */
export interface AudioEndpointDefinition<
  Body extends AudioRequestFields,
  Request extends { readonly format: AudioFormat },
>
  extends
    Pick<EndpointDescription, 'path' | 'operationId' | 'tag' | 'summary' | 'description' | 'rules'>,
    Pick<AudioOperation<Body>, 'object' | 'engine' | 'idPrefix' | 'stream'> {
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
    options: PerformOptions,
  ) => Promise<AsyncIterable<Uint8Array>>
}

const AUDIO_CONTENT = { 'audio/*': binary, ...json(z.union([SpeechResultResponse, TaskCreationResponse])) }

/**
 * Defines an endpoint that turns a JSON body into audio. It responds with the audio, a URL, a stream or a task, and
 * replays the response of a repeated request.
 */
export function defineAudioEndpoint<Body extends AudioRequestFields, Request extends { readonly format: AudioFormat }>(
  definition: AudioEndpointDefinition<Body, Request>,
): Endpoint {
  const { path, operationId, tag, summary, description, rules, body, documentedBody, bodyLimit, stream } = definition
  const task = operationOf(definition)
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
    ...(documentedBody === undefined ? {} : { bodies: json(documentedBody) }),
    usage: usageKindOf(definition.object),
    content: stream === undefined ? AUDIO_CONTENT : { ...AUDIO_CONTENT, 'text/event-stream': z.string() },
    errors: [400, 404, 409, 413, 415],
    handle:
      ({ services }) =>
      (request, reply) =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema has parsed it; a generic body stays unresolved
        sendOperation(services, task, { request, reply, body: request.body as Body }),
  })
}

function operationOf<Body extends AudioRequestFields, Request extends { readonly format: AudioFormat }>({
  object,
  engine,
  idPrefix,
  stream,
  request,
  ...work
}: AudioEndpointDefinition<Body, Request>): AudioOperation<Body> {
  const { check, recheck, perform, characters } = work
  return {
    object,
    engine,
    idPrefix,
    stream,
    request,
    async prepare(services, body, tenant) {
      const order = await check(services, body, tenant)
      const { model, format, delivery, task } = order
      const stored = request.parse(order)
      return {
        model,
        format,
        delivery,
        task,
        request: { ...stored },
        cost: characters === undefined ? UNKNOWN_COST : estimateSpeech(characters(stored), format),
        perform: (options) => perform(services, stored, options),
      }
    },
    async performTask(services, claim, options) {
      const { tenant, id, model } = claim.task
      const stored = request.parse(claim.request)
      await recheck?.(services, stored, tenant)
      const audio = await perform(services, stored, { id, tenant, ...options })
      const output = await storeResult(services, claim, { format: stored.format, signal: options.signal }, audio)
      return KINDS_WITH_MODEL.has(object) ? { ...output, result: { ...output.result, model_id: model } } : output
    },
  }
}

async function storeResult(
  services: Services,
  { taskId, token, task }: Claim,
  { format, signal }: { readonly format: AudioFormat; readonly signal: AbortSignal },
  audio: AsyncIterable<Uint8Array>,
): Promise<TaskOutput> {
  const nameOf = (attempt: number): string => `${taskId}-${token}${attempt === 1 ? '' : `-${attempt}`}.${format}`
  const file = await storeThroughOutage(services, { tenant: task.tenant, nameOf, signal }, audio)
  return { file, result: { file, response_format: format, content_type: contentTypeOf(format) } }
}

/** Tenant, signal, meter and result id of the work. */
interface PerformOptions {
  readonly id: string
  /** Measures the work. @default nothing is measured */
  readonly meter?: WorkMeter | undefined
  readonly tenant: string
  /** Stops the work. */
  readonly signal: AbortSignal
}

/** The common fields of checked requests for audio. */
export interface AudioOrder {
  readonly model: string
  readonly format: AudioFormat
  readonly delivery: 'audio' | 'url'
  /** Present if the response is a task. */
  readonly task: TaskWish | undefined
}

/** A checked request, ready to be stored as a task or performed now. */
interface PreparedAudio extends AudioOrder {
  /** The request as a task stores it. */
  readonly request: JsonObject
  /** Estimated processor time, in whole milliseconds. */
  readonly cost: number
  /** Performs the request now. Resolves when the engine has accepted it. The bytes follow during synthesis. */
  readonly perform: (options: PerformOptions) => Promise<AsyncIterable<Uint8Array>>
}

/** An operation that turns a JSON body into an audio file: as audio, as a URL or as a task. */
interface AudioOperation<Body> extends TaskOperation {
  readonly object: AudioKind
  /** Prefix of the ids of its results. */
  readonly idPrefix: string
  /** Performs requests with `stream: true`. @default the field has no effect */
  readonly stream?: StreamOperation<Body> | undefined
  /**
   * Checks a request by its rules.
   * @throws ServiceError naming code and field
   */
  readonly prepare: (services: Services, body: Body, tenant: string) => Promise<PreparedAudio>
}

/** An operation that can stream its audio. */
interface StreamOperation<Body> {
  /**
   * Checks a request with `stream: true` by its rules.
   * @throws ServiceError naming code and field
   */
  readonly check: (services: Services, body: Body, tenant: string) => Promise<StreamOrder>
  /** Begins the stream. Resolves when the engine has accepted the request. */
  readonly begin: (
    services: Services,
    order: StreamOrder,
    context: IdempotencyContext & { readonly signal: AbortSignal; readonly trace: TaskTrace },
  ) => Promise<StreamedSpeech>
}

/** The fields of a body that select the kind of response. */
interface AudioRequestFields {
  readonly async?: unknown
  readonly stream?: unknown
  readonly delivery_method?: unknown
}

/** A request with its body, and its reply. */
interface AudioExchange<Body> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly body: Body
}

/** Responds with audio, a URL, a stream or a task. Replays the response of a repeated request. */
async function sendOperation<Body extends AudioRequestFields>(
  services: Services,
  operation: AudioOperation<Body>,
  exchange: AudioExchange<Body>,
): Promise<unknown> {
  const { request, reply, body } = exchange
  const { tenant } = request
  const signal = disconnectSignal(reply, services.stopping)
  const idempotency = await idempotencyOf(request, body)
  const context = { tenant, idempotency, signal }
  return respondOnce(services, { object: operation.object, body, tenant, idempotency }, async () => {
    if (body.stream === true && operation.stream !== undefined) {
      return sendStream(services, operation.stream, exchange, context)
    }
    const { task, ...order } = await operation.prepare(services, body, tenant)
    if (task !== undefined) {
      const { model, request: stored, cost } = order
      const work = { kind: operation.object, model, request: stored, cost }
      return acceptAudio(services, work, { tenant, ...task, idempotency, trace: taskTraceOf(request) })
    }
    await holdKey(reply, services.keysInFlight, { tenant, idempotency })
    const work = meteredWork(services, reply, { ...operation, ...order, signal })
    if (order.delivery === 'url') return storeAudio(services, work, { tenant, idempotency })
    const audio = await makeAudio(services, work, { tenant, idempotency })
    return sendAudio(reply, audio, contentTypeOf(order.format))
  })
}

/** Audio to make, and the signal that stops the work. */
interface WorkToMeter<Kind extends AudioKind> extends Omit<AudioWork<Kind>, 'make'> {
  readonly signal: AbortSignal
  readonly perform: (options: PerformOptions) => Promise<AsyncIterable<Uint8Array>>
}

/** Measures work for the usage of its tenant. A repeated request counts no work. */
export function meteredWork<Kind extends AudioKind>(
  services: Services,
  reply: FastifyReply,
  { object, idPrefix, format, signal, perform }: WorkToMeter<Kind>,
): AudioWork<Kind> {
  const { tenant } = reply.request
  const make = (id: string, isRepeated: boolean): Promise<AsyncIterable<Uint8Array>> => {
    const meter = isRepeated ? undefined : meterCall(services, reply, usageKindOf(object))
    return perform({ id, tenant, signal, meter })
  }
  return { object, idPrefix, format, make }
}

async function sendStream<Body>(
  services: Services,
  stream: StreamOperation<Body>,
  { request, reply, body }: AudioExchange<Body>,
  context: IdempotencyContext & { readonly signal: AbortSignal },
): Promise<FastifyReply> {
  const order = await stream.check(services, body, context.tenant)
  await holdKey(reply, services.keysInFlight, context)
  const speech = await stream.begin(services, order, { ...context, trace: taskTraceOf(request) })
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
