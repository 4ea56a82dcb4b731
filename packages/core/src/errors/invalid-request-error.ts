import { SvcAudioError } from './svc-audio-error.ts'

/** The arguments break a rule of the interface. Thrown before anything is sent. */
export class InvalidRequestError extends SvcAudioError {
  override readonly name = 'InvalidRequestError' as const
  /** The code the service would answer with, e.g. `missing_required_field`. */
  readonly code: string
  /** The field at fault, by its name on the wire. */
  readonly param: string

  constructor(code: string, param: string, message: string) {
    super(`${param}: ${message}`)
    this.code = code
    this.param = param
  }
}
