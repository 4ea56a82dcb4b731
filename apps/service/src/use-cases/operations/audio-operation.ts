import type { z } from 'zod'
import { type AudioFormat, contentTypeOf } from '../../domain/formats.ts'
import { UNKNOWN_COST } from '../../domain/lanes.ts'
import { estimateSpeech } from '../../domain/turns.ts'
import type { Claim } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import type { AudioOperation, AudioOrder, AudioRequestFields, PerformOptions, TaskOutput } from './operation.ts'

/** The complete definition of an operation that makes audio. */
export interface AudioOperationDefinition<
  Body extends AudioRequestFields,
  Request extends { readonly format: AudioFormat },
> extends Pick<
  AudioOperation,
  'path' | 'object' | 'engine' | 'notes' | 'idPrefix' | 'bodyLimit' | 'stream' | 'showsModel'
> {
  readonly body: z.ZodType<Body>
  readonly request: z.ZodType<Request>
  /** Length of the text of a request, which estimates its cost. @default the cost is that of a short text */
  readonly characters?: (request: NoInfer<Request>) => number
  /**
   * Checks a body by its rules. Fields that `request` does not name are not stored.
   * @throws ServiceError with code and field
   */
  readonly check: (
    services: Services,
    body: Body,
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

/** Completes a definition with the shared parts of all audio operations. */
export function defineAudioOperation<Body extends AudioRequestFields, Request extends { readonly format: AudioFormat }>(
  definition: AudioOperationDefinition<Body, Request>,
): AudioOperation {
  const { check, recheck, perform, characters, ...rest } = definition
  const { request } = definition
  return {
    ...rest,
    async prepare(services, given: Body, tenant) {
      const order = await check(services, given, tenant)
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
      const output = await storeResult(services, claim, stored.format, audio)
      return definition.showsModel === true ? { ...output, result: { ...output.result, model_id: model } } : output
    },
  }
}

async function storeResult(
  { results }: Pick<Services, 'results'>,
  { taskId, token, task }: Claim,
  format: AudioFormat,
  audio: AsyncIterable<Uint8Array>,
): Promise<TaskOutput> {
  const file = `${taskId}-${token}.${format}`
  await results.of(task.tenant).put(file, audio)
  return { file, result: { file, response_format: format, content_type: contentTypeOf(format) } }
}
