import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { contentTypeOf } from '../domain/formats.ts'
import { usageKindOf } from '../domain/usage.ts'
import { meterCall } from '../http/count-usage.ts'
import { disconnectSignal } from '../http/disconnect-signal.ts'
import { holdKey, idempotencyOf } from '../http/idempotency.ts'
import { sendAudio } from '../http/send-audio.ts'
import { sendEvents } from '../http/send-events.ts'
import { taskTraceOf } from '../http/trace-context.ts'
import { speechFrames } from '../http/speech-frames.ts'
import type { IdempotencyContext } from '../ports/idempotency.ts'
import type { Services } from '../services.ts'
import { answerOnce } from '../use-cases/idempotency/replay.ts'
import type { AudioOperation, AudioRequestFields, StreamOperation } from '../use-cases/operations/operation.ts'
import { AUDIO_OPERATIONS } from '../use-cases/operations/registry.ts'
import { makeAudio, storeAudio } from '../use-cases/speech/audio-result.ts'
import type { StreamedSpeech } from '../use-cases/speech/stream-speech.ts'
import { acceptAudio } from '../use-cases/tasks/accept-task.ts'

/** Adds a route for each audio operation. */
export function audioOperationRoutes(app: FastifyInstance, services: Services): void {
  const typed = app.withTypeProvider<ZodTypeProvider>()
  for (const operation of AUDIO_OPERATIONS) {
    const bodyLimit = operation.bodyLimit?.(services)
    const options = { schema: { body: operation.body }, ...(bodyLimit === undefined ? {} : { bodyLimit }) }
    typed.post(operation.path, options, (request, reply) =>
      answerOperation(services, operation, { request, reply, body: request.body }),
    )
  }
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly body: AudioRequestFields
}

/** Answers with audio, a URL, a stream or a task. Replays the answer of a repeated request. */
async function answerOperation(services: Services, operation: AudioOperation, exchange: Exchange): Promise<unknown> {
  const { request, reply, body } = exchange
  const { tenant } = request
  const signal = disconnectSignal(reply, services.stopping)
  const idempotency = await idempotencyOf(request, body)
  const context = { tenant, idempotency, signal }
  return answerOnce(services, { object: operation.object, body, tenant, idempotency }, async () => {
    if (body.stream === true && operation.stream !== undefined) {
      return answerStream(services, operation.stream, exchange, context)
    }
    const { task, ...order } = await operation.prepare(services, body, tenant)
    if (task !== undefined) {
      const { model, request: stored, cost } = order
      const work = { kind: operation.object, model, request: stored, cost }
      return acceptAudio(services, work, { tenant, ...task, idempotency, trace: taskTraceOf(request) })
    }
    await holdKey(reply, services.keysInFlight, { tenant, idempotency })
    const make = (id: string, isRepeated: boolean) => {
      const meter = isRepeated ? undefined : meterCall(services, reply, usageKindOf(operation.object))
      return order.perform({ id, tenant, signal, meter })
    }
    const work = { object: operation.object, idPrefix: operation.idPrefix, format: order.format, make }
    if (order.delivery === 'url') return storeAudio(services, work, { tenant, idempotency })
    const audio = await makeAudio(services, work, { tenant, idempotency })
    return sendAudio(reply, audio, contentTypeOf(order.format))
  })
}

async function answerStream(
  services: Services,
  stream: StreamOperation,
  { request, reply, body }: Exchange,
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
