import type { FastifyReply, FastifyRequest } from 'fastify'
import { contentTypeOf } from '../../domain/formats.ts'
import type { AudioKind } from '../../domain/task-kinds.ts'
import { usageKindOf } from '../../domain/usage.ts'
import { meterCall } from '../../http/count-usage.ts'
import { disconnectSignal } from '../../http/disconnect-signal.ts'
import { holdKey, idempotencyOf } from '../../http/idempotency.ts'
import { sendAudio } from '../../http/send-audio.ts'
import { sendEvents } from '../../http/send-events.ts'
import { speechFrames } from '../../http/speech-frames.ts'
import { taskTraceOf } from '../../http/trace-context.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import type { Services } from '../../services.ts'
import { respondOnce } from '../../use-cases/idempotency/replay.ts'
import { type AudioWork, makeAudio, storeAudio } from '../../use-cases/speech/audio-result.ts'
import type { StreamedSpeech } from '../../use-cases/speech/stream-speech.ts'
import { acceptAudio } from '../../use-cases/tasks/accept-task.ts'
import type { AudioOperation, AudioRequestFields, PerformOptions, StreamOperation } from './audio-operation.ts'

/** A request with its body, and its reply. */
export interface AudioExchange<Body> {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly body: Body
}

/** Responds with audio, a URL, a stream or a task. Replays the response of a repeated request. */
export async function sendOperation<Body extends AudioRequestFields>(
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
export interface WorkToMeter<Kind extends AudioKind> extends Omit<AudioWork<Kind>, 'make'> {
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
