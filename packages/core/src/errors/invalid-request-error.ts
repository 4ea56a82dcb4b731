import { SvcAudioError } from './svc-audio-error.ts'

/**
 * The arguments break a rule of the interface, or a file cannot be read or written. Thrown before anything is sent, save
 * for an upload that turns out unreadable or of another size on the way.
 */
export class InvalidRequestError extends SvcAudioError {
  override readonly name = 'InvalidRequestError' as const
  /** The code the service would answer with, e.g. `missing_required_field`. */
  readonly code: string
  /** The field at fault, by its name on the wire. */
  readonly param: string

  constructor(code: string, param: string, message: string, options?: { readonly cause?: unknown }) {
    super(`${param}: ${message}`, options)
    this.code = code
    this.param = param
  }
}
