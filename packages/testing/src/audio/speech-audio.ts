import { SILENCE } from './silence.ts'
import { tone, toneWav } from './tone.ts'

/** Speech of the upstream. */
export interface SpeechAudio {
  /** The whole file. */
  readonly bytes: Buffer
  /** MIME type of the file. */
  readonly contentType: string
}

/**
 * A tone as `wav` or `pcm`; silence as `mp3`, `aac`, `flac` or `opus`.
 * @returns `undefined` for any other format.
 */
export function speechAudio(format: string, durationSeconds: number): SpeechAudio | undefined {
  if (format === 'wav') return { bytes: toneWav(durationSeconds), contentType: 'audio/wav' }
  if (format === 'pcm') return { bytes: tone(durationSeconds), contentType: 'audio/pcm' }
  const silence = Object.hasOwn(SILENCE, format) ? SILENCE[format] : undefined
  return silence && { bytes: silence.make(durationSeconds), contentType: silence.contentType }
}
