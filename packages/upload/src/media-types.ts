/** Names of one type that browsers, phones and settings of other products use. Patterns and types mean the same by each. */
const ALIASES: Readonly<Record<string, string>> = {
  'audio/m4a': 'audio/mp4',
  'audio/x-m4a': 'audio/mp4',
  'audio/mp4a-latm': 'audio/mp4',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/x-pn-wav': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
  'audio/x-mp3': 'audio/mpeg',
  'audio/mpeg3': 'audio/mpeg',
  'audio/mpga': 'audio/mpeg',
  'audio/x-flac': 'audio/flac',
  'audio/x-aac': 'audio/aac',
  'audio/aacp': 'audio/aac',
  'audio/opus': 'audio/ogg',
  'audio/oga': 'audio/ogg',
  'audio/x-ogg': 'audio/ogg',
  'application/ogg': 'audio/ogg',
  // WebM is a subset of Matroska; Chromium writes PCM for `audio/webm` into Matroska.
  'audio/x-matroska': 'audio/webm',
  'audio/matroska': 'audio/webm',
  'video/x-matroska': 'video/webm',
  'video/matroska': 'video/webm',
  'audio/3gpp2': 'audio/3gpp',
}

/** A type without parameters, in lower case, by the first of its names. */
function canonical(mime: string): string {
  const type = mime.split(';', 1).join('').trim().toLowerCase()
  return ALIASES[type] ?? type
}

/** Whether a type equals the pattern, by any of its names, or belongs to its family. Parameters do not count. */
export function matchesType(pattern: string, mime: string): boolean {
  const wanted = pattern.toLowerCase()
  return wanted.endsWith('/*')
    ? mime.trim().toLowerCase().startsWith(wanted.slice(0, -1))
    : canonical(mime) === canonical(wanted)
}

/** The `audio` name of a container, e.g. `audio/webm` for `video/webm`. */
export function audioName(mime: string): string {
  return mime.toLowerCase() === 'video/quicktime' ? 'audio/mp4' : mime.replace(/^video\//i, 'audio/')
}
