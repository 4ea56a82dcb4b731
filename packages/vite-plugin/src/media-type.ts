import { FORMATS } from './audio/formats.ts'
import { DEFAULT_FORMAT, type Page } from './source/read-page.ts'

/** MIME types of recordings, by file extension. */
const RECORDINGS: ReadonlyMap<string, string> = new Map([
  ['m4a', 'audio/mp4'],
  ['mp4', 'audio/mp4'],
  ['oga', 'audio/ogg'],
  ['ogg', 'audio/ogg'],
  ['webm', 'audio/webm'],
])

/** MIME type of a page's audio. A page without audio has the type of the default format. */
export function mediaType({ script, recording }: Page): string {
  const extension =
    recording === undefined ? (script?.format ?? DEFAULT_FORMAT) : recording.replace(/^.*\./s, '').toLowerCase()
  const format = Object.entries(FORMATS).find(([name]) => name === extension)?.[1]
  return format?.type ?? RECORDINGS.get(extension) ?? 'application/octet-stream'
}
