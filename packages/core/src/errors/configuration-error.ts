import { SvcAudioError } from './svc-audio-error.ts'

/** The client was set up wrongly. The message names the option and, where there is one, the environment variable. */
export class ConfigurationError extends SvcAudioError {
  override readonly name = 'ConfigurationError' as const
}
