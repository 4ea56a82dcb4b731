import { checkOptions, optionRules, TRANSCRIBE_RULES } from '@svc-audio/upload'
import type { TranscribeInterceptorOptions } from './transcribe-interceptor.ts'

/**
 * Defaults of the upload interceptors, set with the client: `uploads` of `AudioModule.forRoot()` or of a factory's
 * options. An option of the interceptor replaces its default.
 */
export type AudioUploadDefaults = Omit<
  TranscribeInterceptorOptions,
  'client' | 'body' | 'fields' | 'validate' | 'respond'
>

/** @throws ConfigurationError naming the option */
export function checkUploadDefaults(defaults: AudioUploadDefaults): AudioUploadDefaults {
  const { body: _, fields: _fields, ...rules } = TRANSCRIBE_RULES
  checkOptions('AudioModule uploads', defaults, { ...rules, logger: optionRules.optional(optionRules.logger) })
  return defaults
}
