/** Endings of files by format, the usual one first. */
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  aac: ['aac'],
  flac: ['flac'],
  json: ['json'],
  markdown: ['md', 'markdown'],
  mp3: ['mp3'],
  opus: ['ogg', 'opus', 'oga'],
  pcm: ['pcm', 'raw'],
  srt: ['srt'],
  text: ['txt'],
  vtt: ['vtt'],
  wav: ['wav', 'wave'],
}

const KNOWN_ENDINGS: ReadonlySet<string> = new Set([
  ...Object.values(ENDINGS).flat(),
  ...'3gp,alac,amr,m4a,mkv,mov,mp4,mpeg,mpg,mpga,webm,wma'.split(','),
])

/** Longest name without its ending, in bytes: the file systems of all platforms allow 255 with it. */
const MAX_BYTES = 180

/** Names that Windows reserves. */
const RESERVED = /^(?:con|prn|aux|nul|com\d|lpt\d)$/i

/**
 * The name of an output file. A name without an ending gets the one of the format. The ending of another kind of file is
 * replaced.
 *
 * @param name What the user chose, such as the title of an article. What a disk does not accept is replaced.
 * @param contentType Tells the ending of a format that is not known here, e.g. `audio/x` gives `x`.
 */
export function fileNameFor(name: string, format: string, contentType: string): string {
  const [, subtype = 'bin'] = contentType.toLowerCase().split(/[/;]/)
  const [usual = subtype, ...others] = ENDINGS[format.toLowerCase()] ?? []
  const { base, ending } = splitEnding(name)
  const lower = ending.toLowerCase()
  return `${safeName(base) || 'speech'}.${others.includes(lower) ? ending : usual}`
}

/** A file name without its path and its ending, such as `meeting1` of `/recordings/meeting1.mp3`. */
export function baseName(path: string): string {
  const [last = ''] = path.split(/[/\\]/).slice(-1)
  return safeName(last.replace(/(?<=.)\.[a-z]\w{1,4}$/i, ''))
}

/** A text as a name that every disk accepts: `Q3: costs / benefits?` is `Q3-costs-benefits`. */
export function safeName(text: string): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/[\u200E\u200F\u202A-\u202E\u2066-\u2069]/g, '')
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .replaceAll(/ ?[/\\:|]+(?: ?[/\\:|]+)* ?/g, '-')
    .replaceAll(/["*<>?]/g, '')
  const short = trimmed(shortened(trimmed(plain)))
  return RESERVED.test(short) ? `${short}_` : short
}

function splitEnding(name: string): { readonly base: string; readonly ending: string } {
  const [, base = name, ending = ''] = /^(.+)\.(\w+)\s*$/s.exec(name) ?? []
  return KNOWN_ENDINGS.has(ending.toLowerCase()) ? { base, ending } : { base: name, ending: '' }
}

function trimmed(text: string): string {
  return text.replaceAll(/^[\s.-]+|[\s.-]+$/g, '')
}

function shortened(text: string): string {
  if (Buffer.byteLength(text) <= MAX_BYTES) return text
  let bytes = 0
  let short = ''
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    bytes += Buffer.byteLength(segment)
    if (bytes > MAX_BYTES) break
    short += segment
  }
  return short
}
