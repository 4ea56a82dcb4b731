import type { z } from 'zod'
import type { WorkMeter } from '../../domain/usage.ts'
import type { EngineName } from '../../ports/engine-state.ts'
import type { Claim, JsonObject, TaskKind } from '../../ports/task-store.ts'
import type { Services } from '../../services.ts'
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
