import { Inject, type InjectionToken } from '@nestjs/common'
import { AudioClient, ConfigurationError } from '@svc-audio/core'

/**
 * Returns the token of a client, for `@Inject()`, `moduleRef.get()` and `overrideProvider()`. Without a name it is the class
 * `AudioClient`, so Nest injects this client by its type.
 *
 * @param name As given to `AudioModule.forRoot({ name })`.
 * @throws ConfigurationError for an empty name, as an unset variable makes it
 */
export function getAudioClientToken(name?: string): InjectionToken<AudioClient> {
  if (name === '') throw new ConfigurationError('`name` must not be empty: omit it for the client without a name')
  return name === undefined ? AudioClient : `svc-audio.client:${name}`
}

/**
 * A second token of the same client, equal in every copy of this package. A process may hold two: one loaded by `import`,
 * one by `require()`. Their `AudioClient` classes differ.
 */
export function sharedClientToken(name?: string): InjectionToken<AudioClient> {
  return name === undefined ? Symbol.for('svc-audio.client') : getAudioClientToken(name)
}

/** The token of the upload defaults that belong to a client. */
export function uploadDefaultsToken(name?: string): InjectionToken<object> {
  return name === undefined ? Symbol.for('svc-audio.uploads') : `svc-audio.uploads:${name}`
}

/**
 * Injects a client.
 *
 * @param name As given to `AudioModule.forRoot({ name })`. @default the client without a name
 *
 * @example
 * constructor(@InjectAudioClient() private readonly audio: AudioClient) {}
 */
export function InjectAudioClient(name?: string): ParameterDecorator & PropertyDecorator {
  getAudioClientToken(name)
  return Inject(sharedClientToken(name))
}

/**
 * The error of a module without a client.
 * @param remedy What to do with the import of the client. @default for what a module of the app declares
 */
export function missingClient(
  needing: string,
  name: string | undefined,
  remedy = (call: string): string => `Import ${call} into the same module, or set isGlobal.`,
): ConfigurationError {
  const which = name === undefined ? 'the AudioClient' : `the AudioClient named ${JSON.stringify(name)}`
  const call = name === undefined ? 'AudioModule.forRoot()' : `AudioModule.forRoot({ name: ${JSON.stringify(name)} })`
  return new ConfigurationError(`${needing} cannot find ${which}. Was AudioModule imported? ${remedy(call)}`)
}
