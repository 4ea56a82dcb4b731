import type { NarrationFormat } from '../audio/formats.ts'

/** Path of the audio under Vite's base. Vite's own addresses begin with `@` too: no file of the site does. */
export const AUDIO_PATH = '@narration/'

/** Path of a page's audio under the base. */
export function audioPath(key: string, format: NarrationFormat): string {
  return `${AUDIO_PATH}${key}.${format}`
}

/** Path of a page's captions under the base. */
export function captionsPath(key: string): string {
  return `${AUDIO_PATH}${key}.vtt`
}
