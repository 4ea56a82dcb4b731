import type { TaskHandle, TranscriptionTask } from '@svc-audio/core'
import type { PerRequest } from './per-request.ts'
import type { Remedies } from './remedies.ts'

/** The model that has neither speakers nor events nor `keyterms`. */
export type StandardModel = 'svc-transcribe-1.0'

/** The response is made from the whole transcription. */
export interface RespondJson {
  /** `json`: the whole transcription. */
  readonly respond?: 'json'
  /** Not with this `respond`: the type names the remedy. */
  readonly webhook_url?: Remedies['task']
  /** Not with this `respond`: the type names the remedy. */
  readonly onTask?: Remedies['task']
}

/** The response is the service's event stream. */
export interface RespondSse<Model extends string = string> {
  /** `sse`: the service's event stream, while the audio is recognized. */
  readonly respond: [Model] extends [StandardModel] ? Remedies['model'] : 'sse'
  /** Not with this `respond`: the type names the remedy. */
  readonly webhook_url?: Remedies['task']
  /** Not with this `respond`: the type names the remedy. */
  readonly onTask?: Remedies['task']
}

/** The response is a task. */
export interface RespondTask<Context> {
  /** `task`: 202 with a task, for long recordings. Its result is read by `tasks.retrieve` or a webhook. */
  readonly respond: 'task'
  /** Address that the service calls when the task ends. @default none */
  readonly webhook_url?: PerRequest<string | undefined, Context>
  /** Gets the task before the response is sent, e.g. to store its id. @default nothing */
  readonly onTask?: (task: TaskHandle<TranscriptionTask>, context: Context) => void | Promise<void>
}

/** Checked options about the response, without the types of wrong combinations. */
export interface CheckedRespond<Context> extends Omit<RespondTask<Context>, 'respond'> {
  /** Kind of the response. @default 'json' */
  readonly respond?: 'json' | 'sse' | 'task'
}
