import type { AudioFormat } from '@svc-audio/engine-ports'
import { invalid } from './service-error.ts'

const CONTENT_TYPES: Readonly<Record<AudioFormat, string>> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  aac: 'audio/aac',
  pcm: 'audio/pcm',
}

/** Every output format. */
export const FORMATS = ['mp3', 'wav', 'opus', 'flac', 'aac', 'pcm'] as const satisfies readonly AudioFormat[]

/** The format of a request without `response_format`. */
export const DEFAULT_FORMAT: AudioFormat = 'mp3'

/** Returns the MIME type of a format. */
export function contentTypeOf(format: AudioFormat): string {
  return CONTENT_TYPES[format]
}

/** Whether a string is the name of an output format. */
export function isAudioFormat(format: string): format is AudioFormat {
  return Object.hasOwn(CONTENT_TYPES, format)
}

/**
 * Returns the output format of a request.
 * @throws ServiceError 400 `unsupported_response_format`
 */
export function requireFormat(format: string | undefined): AudioFormat {
  if (format === undefined) return DEFAULT_FORMAT
  if (isAudioFormat(format)) return format
  const known = Object.keys(CONTENT_TYPES).join(', ')
  throw invalid('unsupported_response_format', 'response_format', `response_format must be one of ${known}`)
}
