import { Inject, type InjectionToken } from '@nestjs/common'
import { AudioClient, ConfigurationError } from '@svc-audio/core'

/**
 * The token of a client, for `@Inject()`, `moduleRef.get()` and `overrideProvider()`. The one without a name is
 * `AudioClient` itself, so that it is injected by its type too.
 *
 * @param name As given to `AudioModule.forRoot({ name })`.
 * @throws ConfigurationError for an empty name, as an unset variable makes it
 */
export function getAudioClientToken(name?: string): InjectionToken<AudioClient> {
  if (name === '') throw new ConfigurationError('name must not be empty: leave it out for the client without a name')
  return name === undefined ? AudioClient : `svc-audio.client:${name}`
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
  return Inject(getAudioClientToken(name))
}
