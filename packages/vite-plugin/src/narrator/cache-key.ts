import { createHash } from 'node:crypto'
import type { AigcMetadata } from '@svc-audio/core'
import type { NarrationFormat } from '../audio/formats.ts'
import { EXTRACTOR_VERSION } from '../text/extract-text.ts'

/** Changes when entries of older versions cannot be used any more. */
export const CACHE_VERSION = 1

/** Everything that one narration depends on. */
export interface Script {
  /** Address of the service: another one may have another voice by the same id. */
  readonly baseUrl: string
  readonly model: string
  readonly voice_id: string
  readonly response_format: NarrationFormat
  readonly aigc_metadata?: AigcMetadata | undefined
  /** What is said. */
  readonly text: string
}

/** The name of a narration: 64 hexadecimal digits that change with whatever changes the audio. */
export function cacheKey(script: Script): string {
  const { baseUrl, model, voice_id, response_format, aigc_metadata, text } = script
  const parts = [CACHE_VERSION, baseUrl, model, voice_id, response_format, aigc_metadata, EXTRACTOR_VERSION, text]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
