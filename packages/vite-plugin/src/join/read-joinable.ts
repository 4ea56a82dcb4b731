import { readWav, type WavContent } from '@svc-audio/core/audio'
import { UnjoinableError } from './unjoinable-error.ts'

/**
 * Reads a WAV file whose samples can be joined and encoded.
 * @throws UnjoinableError unless it is 16-bit PCM
 */
export function readJoinable(file: Uint8Array): WavContent {
  const content = readWav(file)
  if (content?.isPcm === true && content.bitDepth === 16) return content
  throw new UnjoinableError('wav', 'a segment is not 16-bit PCM')
}
