import { SvcAudioError } from '@svc-audio/core'

/** Whether it is the named error of this or any other copy of core: a second copy, as nested installs make it, has other classes. */
export function isNamed<Named extends SvcAudioError>(error: unknown, name: Named['name']): error is Named {
  return SvcAudioError.isInstance(error) && error.name === name
}
