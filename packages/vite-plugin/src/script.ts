import { readFile } from 'node:fs/promises'
import type { Script } from './narrator/cache-key.ts'
import { InvalidNarrationError } from './request/invalid-narration-error.ts'
import type { NarrationRequest } from './request/narration-request.ts'
import type { NarrationOptions } from './options.ts'
import { extractText } from './text/extract-text.ts'

/** The model that speaks where nothing is said. */
const DEFAULT_MODEL = 'svc-tts-1.5-flash'
/** The format where nothing is said: every browser plays it. */
const DEFAULT_FORMAT = 'mp3'

/**
 * What is to be spoken for an import: its source's text, with the import's own options before the plugin's.
 * @throws InvalidNarrationError when the source has no text
 */
export async function writeScript(
  request: NarrationRequest,
  options: NarrationOptions,
  baseUrl: string,
): Promise<Script> {
  const text = extractText(await readFile(request.file, 'utf8'), request.kind)
  if (text === '') throw new InvalidNarrationError('There is nothing to say in it once code and markup are left out')
  return {
    baseUrl,
    model: request.model ?? options.model ?? DEFAULT_MODEL,
    voice_id: request.voice ?? options.voice_id,
    response_format: request.format ?? options.response_format ?? DEFAULT_FORMAT,
    aigc_metadata: options.aigc_metadata,
    text,
  }
}
