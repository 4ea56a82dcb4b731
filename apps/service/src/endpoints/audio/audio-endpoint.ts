import type { AudioFormat } from '@svc-audio/engine-ports'
import { z } from 'zod'
import { contentTypeOf } from '../../domain/formats.ts'
import { estimateSpeech, KINDS_WITH_MODEL, UNKNOWN_COST } from '../../domain/task-kinds.ts'
import { usageKindOf } from '../../domain/usage.ts'
import { defineEndpoint, type Endpoint, type EndpointDescription } from '../../http/endpoint.ts'
import { binary, json } from '../../http/openapi/content.ts'
import { SpeechResultResponse, TaskCreationResponse } from '../../http/openapi/responses.ts'
import type { Claim } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import { storeThroughOutage } from '../../use-cases/storage/store-through-outage.ts'
import type { TaskOutput } from '../../use-cases/tasks/task-operation.ts'
import type { AudioOperation, AudioOrder, AudioRequestFields, PerformOptions } from './audio-operation.ts'
import { sendOperation } from './send-operation.ts'

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
