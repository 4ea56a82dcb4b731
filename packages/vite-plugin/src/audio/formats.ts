import { adtsSeconds, flacSeconds, mp3Seconds, oggOpusSeconds, wavSeconds } from '@svc-audio/core/adapter'

/** Audio formats that a page can play and whose length this package can read. */
export type NarrationFormat = 'mp3' | 'wav' | 'opus' | 'flac' | 'aac'

/** What there is to know about a format. */
export interface FormatFacts {
  /** MIME type, as `<source type>` and `Content-Type` want it. */
  readonly type: string
  /** Length of a whole file in seconds; `undefined` when the bytes are not such a file or do not tell. */
  readonly seconds: (file: Uint8Array) => number | undefined
}

/** Every format by its name on the wire (interface: `response_format`), which is its file extension too. */
export const FORMATS: Readonly<Record<NarrationFormat, FormatFacts>> = {
  mp3: { type: 'audio/mpeg', seconds: mp3Seconds },
  wav: { type: 'audio/wav', seconds: wavSeconds },
  opus: { type: 'audio/ogg', seconds: oggOpusSeconds },
  flac: { type: 'audio/flac', seconds: flacSeconds },
  aac: { type: 'audio/aac', seconds: adtsSeconds },
}

/** Whether a name is one of {@link FORMATS}. */
export function isNarrationFormat(name: string): name is NarrationFormat {
  return Object.hasOwn(FORMATS, name)
}

/** MIME types of recordings that no page is made in, by file extension. */
const RECORDINGS: ReadonlyMap<string, string> = new Map([
  ['m4a', 'audio/mp4'],
  ['mp4', 'audio/mp4'],
  ['oga', 'audio/ogg'],
  ['ogg', 'audio/ogg'],
  ['webm', 'audio/webm'],
])

/** Extension of a file in lower case, without its dot. */
export function extensionOf(file: string): string {
  return file.replace(/^.*\./s, '').toLowerCase()
}

/** MIME type of an audio file by its extension. */
export function mediaType(extension: string): string {
  if (isNarrationFormat(extension)) return FORMATS[extension].type
  return RECORDINGS.get(extension) ?? 'application/octet-stream'
}

/** Length of an audio file in seconds; `undefined` for a format that the plugin does not read. */
export function audioSeconds(extension: string, audio: Uint8Array): number | undefined {
  return isNarrationFormat(extension) ? FORMATS[extension].seconds(audio) : undefined
}
