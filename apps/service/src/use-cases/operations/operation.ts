import type { z } from 'zod'
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

/** What a task has made. */
export interface TaskOutput {
  readonly result: JsonObject
  /** The object among it, if there is one. */
  readonly file?: string
  /** The source that the request named, when the task has used one. */
  readonly source?: NamedSource
}

/** An operation as the workers see it: how its tasks are stored and performed. */
export interface TaskOperation {
  /** What it makes: `object` on the wire, and the kind of its tasks. Operations may share one. */
  readonly object: TaskKind
  /** Whether its tasks name their model as `model_id` (interface: Asynchronous creation result). @default false */
  readonly showsModel?: boolean | undefined
  /** The engine that every task of it needs. */
  readonly engine: EngineName
  /** What its tasks store of a request. It tells the operations of one kind apart, and its form must never change. */
  readonly request: z.ZodType<object>
  /**
   * Performs a task. An object that it makes is named by the claim too, so that a worker that has lost its lease cannot
   * touch what another one makes.
   * @throws ServiceError when the request cannot be done; what an engine throws
   */
  performTask(services: Services, claim: Claim, signal: AbortSignal): Promise<TaskOutput>
}

/** Whom the work is done for, and the id of its result. */
export interface PerformOptions {
  readonly id: string
  readonly tenant: string
  /** Stops the work. */
  readonly signal: AbortSignal
}

/** What every checked request for audio has, whatever the operation. */
export interface AudioOrder {
  readonly model: string
  readonly format: AudioFormat
  readonly delivery: 'audio' | 'url'
  /** Set when the answer is a task. */
  readonly task: TaskWish | undefined
}

/** A checked request, ready to be stored as a task or performed now. */
export interface PreparedAudio extends AudioOrder {
  /** What a task stores. */
  readonly request: JsonObject
  /** Performs it now. Resolves when the engine has accepted it; the bytes follow as they are made. */
  readonly perform: (options: PerformOptions) => Promise<AsyncIterable<Uint8Array>>
}

/** How an operation is described in the OpenAPI document, beside what all of its kind share. */
export interface OperationNotes {
  readonly operationId: string
  readonly tag: 'speech' | 'voices'
  readonly summary: string
  /** What the body is, where its schema for checking says less. */
  readonly body?: z.ZodType
}

/** An operation that turns a JSON body into an audio file: as audio, as a URL or as a task. */
export interface AudioOperation extends TaskOperation {
  readonly object: AudioKind
  /** Where it is posted; the label of its metrics too. */
  readonly path: `/v1/${string}`
  /** The types of the body; the rules follow in `prepare`. */
  readonly body: z.ZodType<AudioRequestFields>
  /** Largest body, in bytes. @default the service's own limit */
  readonly bodyLimit?: ((services: Services) => number) | undefined
  readonly notes: OperationNotes
  /** What ids of its results begin with. */
  readonly idPrefix: string
  /** How `stream: true` is answered. @default it has no effect */
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
  /** Begins the stream. The engine has accepted the request when it resolves. */
  begin(
    services: Services,
    order: StreamOrder,
    context: IdempotencyContext & { readonly signal: AbortSignal },
  ): Promise<StreamedSpeech>
}

/** The fields of a body that decide how it is answered. */
export interface AudioRequestFields {
  readonly async?: unknown
  readonly stream?: unknown
  readonly delivery_method?: unknown
}
