import type { AudioFormat } from '@svc-audio/engine-ports'
import type { AudioKind } from '../../domain/task-kinds.ts'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { WorkMeter } from '../../domain/usage.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import type { JsonObject } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import type { StreamOrder } from '../../use-cases/speech/speech-rules.ts'
import type { StreamedSpeech } from '../../use-cases/speech/stream-speech.ts'
import type { TaskOperation } from '../../use-cases/tasks/task-operation.ts'
import type { TaskWish } from '../../use-cases/tasks/task-rules.ts'

/** Tenant, signal, meter and result id of the work. */
export interface PerformOptions {
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
export interface PreparedAudio extends AudioOrder {
  /** The request as a task stores it. */
  readonly request: JsonObject
  /** Estimated processor time, in whole milliseconds. */
  readonly cost: number
  /** Performs the request now. Resolves when the engine has accepted it. The bytes follow during synthesis. */
  readonly perform: (options: PerformOptions) => Promise<AsyncIterable<Uint8Array>>
}

/** An operation that turns a JSON body into an audio file: as audio, as a URL or as a task. */
export interface AudioOperation<Body> extends TaskOperation {
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
export interface StreamOperation<Body> {
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
export interface AudioRequestFields {
  readonly async?: unknown
  readonly stream?: unknown
  readonly delivery_method?: unknown
}
