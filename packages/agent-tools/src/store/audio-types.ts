/** File extensions by MIME type; the first of a type is used. */
const TYPES: readonly (readonly [extension: string, contentType: string])[] = [
  ['wav', 'audio/wav'],
  ['wav', 'audio/x-wav'],
  ['wav', 'audio/wave'],
  ['wav', 'audio/vnd.wave'],
  ['mp3', 'audio/mpeg'],
  ['ogg', 'audio/ogg'],
  ['flac', 'audio/flac'],
  ['aac', 'audio/aac'],
  ['m4a', 'audio/mp4'],
  ['webm', 'audio/webm'],
  ['bin', 'application/octet-stream'],
]

/** The extension and the canonical type for a MIME type; `bin` for an unknown one. */
export function typeOf(contentType: string): readonly [extension: string, contentType: string] {
  const [type = ''] = contentType.toLowerCase().split(';', 1)
  const [extension = 'bin'] = TYPES.find(([, known]) => known === type.trim()) ?? []
  return TYPES.find(([known]) => known === extension) ?? ['bin', 'application/octet-stream']
}

/** The MIME type of an extension; `undefined` for an unknown one. */
export function typeOfExtension(extension: string): string | undefined {
  return TYPES.find(([known]) => known === extension)?.[1]
}
