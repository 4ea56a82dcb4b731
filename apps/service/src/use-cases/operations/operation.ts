import type { z } from 'zod'
import type { TaskTrace } from '../../domain/task-trace.ts'
import type { WorkMeter } from '../../domain/usage.ts'
import type { AudioFormat } from '../../domain/formats.ts'
import type { EngineName } from '../../ports/engine-state.ts'
import type { Claim, JsonObject, TaskKind } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
import type { IdempotencyContext } from '../../ports/idempotency.ts'
import type { AudioKind } from '../speech/audio-result.ts'
import type { StreamOrder } from '../speech/speech-rules.ts'
import type { StreamedSpeech } from '../speech/stream-speech.ts'
import type { TaskWish } from '../tasks/task-rules.ts'
import type { NamedSource } from '../transcription/transcription-rules.ts'

/** The output of a task. */
export interface TaskOutput {
  readonly result: JsonObject
  /** Name of the object in the output, if any. */
  readonly file?: string
  /** The source that the request names, if any. */
  readonly source?: NamedSource
}

/** An operation as the workers see it: the storage and execution of its tasks. */
export interface TaskOperation {
  /** The kind of its tasks, and `object` on the wire. Operations may share a kind. */
  readonly object: TaskKind
  /** Whether its tasks show their model as `model_id` (interface: Asynchronous creation result). @default false */
  readonly showsModel?: boolean | undefined
  /** The engine that all of its tasks need. */
  readonly engine: EngineName
  /** Schema of the stored request. It tells the operations of a kind apart. Never change its form. */
  readonly request: z.ZodType<object>
  /**
   * Performs a task. The name of its object contains the claim: a worker that has lost its lease cannot touch the
   * object of another worker.
   * @throws ServiceError when the request cannot be performed; errors of the engine
   */
  performTask(services: Services, claim: Claim, options: TaskOptions): Promise<TaskOutput>
}

/** Signal and meter of a task. */
export interface TaskOptions {
  /** Stops the work. */
  readonly signal: AbortSignal
  /** Measures the work. */
  readonly meter: WorkMeter
}

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
  /** Present if the answer is a task. */
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

/** The description of an operation in the OpenAPI document. */
export interface OperationNotes {
  readonly operationId: string
  readonly tag: 'speech' | 'voices'
  readonly summary: string
  /** A sentence or more, beyond the summary. */
  readonly description: string
  /** Schema of the body for the document, if the schema for checks is less exact. */
  readonly body?: z.ZodType
}

/** An operation that turns a JSON body into an audio file: as audio, as a URL or as a task. */
export interface AudioOperation extends TaskOperation {
  readonly object: AudioKind
  /** Path of its POST route, and label of its metrics. */
  readonly path: `/v1/${string}`
  /** The types of the body. `prepare` checks the rules. */
  readonly body: z.ZodType<AudioRequestFields>
  /** Largest body, in bytes. @default the service's own limit */
  readonly bodyLimit?: ((services: Services) => number) | undefined
  readonly notes: OperationNotes
  /** Prefix of the ids of its results. */
  readonly idPrefix: string
  /** Answers `stream: true`. @default the field has no effect */
  readonly stream?: StreamOperation | undefined
  /**
   * Checks a request by its rules.
   * @throws ServiceError naming code and field
   */
  prepare(services: Services, body: unknown, tenant: string): Promise<PreparedAudio>
}

/** An operation that can stream its audio. */
export interface StreamOperation {
  /**
   * Checks a request with `stream: true` by its rules.
   * @throws ServiceError naming code and field
   */
  check(services: Services, body: unknown, tenant: string): Promise<StreamOrder>
  /** Begins the stream. Resolves when the engine has accepted the request. */
  begin(
    services: Services,
    order: StreamOrder,
    context: IdempotencyContext & { readonly signal: AbortSignal; readonly trace: TaskTrace },
  ): Promise<StreamedSpeech>
}

/** The fields of a body that select the kind of answer. */
export interface AudioRequestFields {
  readonly async?: unknown
  readonly stream?: unknown
  readonly delivery_method?: unknown
}
