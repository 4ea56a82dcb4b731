/** Endings of audio files by format, the usual one first. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  aac: ['aac'],
  flac: ['flac'],
  mp3: ['mp3'],
  opus: ['ogg', 'opus', 'oga'],
  pcm: ['pcm', 'raw'],
  srt: ['srt'],
  vtt: ['vtt'],
  wav: ['wav', 'wave'],
}

const KNOWN_ENDINGS: ReadonlySet<string> = new Set([
  ...Object.values(ENDINGS).flat(),
  'm4a',
  'mp4',
  'txt',
  'webm',
  'wma',
])

/**
 * The name of an output file. A name without an ending gets the one of the format; the ending of another kind of audio is
 * replaced.
 *
 * @param name What the user chose. A path before it is dropped, since this is no place on a disk. @default 'speech'
 * @param contentType Tells the ending of a format that is not known here, e.g. `audio/x` gives `x`.
 */
export function fileNameFor(name: string | undefined, format: string, contentType: string): string {
  const [last = ''] = name?.split(/[/\\]/).slice(-1) ?? []
  const given = last.trim() || 'speech'
  const [, subtype = 'bin'] = contentType.toLowerCase().split(/[/;]/)
  const [usual = subtype, ...others] = ENDINGS[format.toLowerCase()] ?? []
  const [, base = given, ending] = /^(.+)\.([^.]+)$/.exec(given) ?? []
  if (ending === undefined) return `${given}.${usual}`
  const lower = ending.toLowerCase()
  if (lower === usual || others.includes(lower)) return given
  return KNOWN_ENDINGS.has(lower) ? `${base}.${usual}` : `${given}.${usual}`
}
