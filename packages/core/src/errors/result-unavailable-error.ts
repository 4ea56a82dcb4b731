import { SvcAudioError } from './svc-audio-error.ts'

/** A result has no audio to download: it names no URL, is not ready, or its URL has expired and cannot be renewed. */
export class ResultUnavailableError extends SvcAudioError {
  override readonly name = 'ResultUnavailableError' as const
  /** Id of the task or result, where it has one. */
  readonly taskId: string | undefined

  constructor(message: string, options: { readonly cause?: unknown } & { readonly taskId?: string | undefined } = {}) {
    super(message, options)
    this.taskId = options.taskId
  }
}
