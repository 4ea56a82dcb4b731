/** Audio in a message: bytes, an address, or why it can be neither. */
export type AudioBlock =
  | { readonly bytes: Uint8Array; readonly contentType: string }
  | { readonly url: string }
  | { readonly fault: string }

/** Kinds of blocks that hold a recording if their MIME type says so. `audio` and `video` always do. */
const FILES: ReadonlySet<unknown> = new Set(['file', 'media'])

/**
 * The audio of a content block: LangChain's standard blocks `audio`, `video` and `file`, their older form
 * (`source_type`), Google's `media`, and OpenAI's `input_audio` and `file`. A `data:` URL is decoded. `undefined` for any
 * other block, and for audio that only the model's provider can open.
 */
export function audioOf(block: unknown): AudioBlock | undefined {
  const type = field(block, 'type')
  if (type === 'input_audio') return openAiAudio(field(block, 'input_audio'))
  const fileData = field(field(block, 'file'), 'file_data')
  if (type === 'file' && typeof fileData === 'string') return recordingIn(fileData)
  const given = field(block, 'mimeType') ?? field(block, 'mime_type')
  const contentType = typeof given === 'string' ? given : undefined
  if (FILES.has(type) ? !isRecording(contentType) : type !== 'audio' && type !== 'video') return undefined
  const url = field(block, 'url')
  if (typeof url === 'string') return /^data:/i.test(url) ? fromDataUrl(url) : { url }
  return fromData(field(block, 'data'), contentType ?? 'application/octet-stream')
}

function openAiAudio(audio: unknown): AudioBlock | undefined {
  return fromData(field(audio, 'data'), field(audio, 'format') === 'mp3' ? 'audio/mpeg' : 'audio/wav')
}

/** OpenAI's `file` holds any file. */
function recordingIn(url: string): AudioBlock | undefined {
  return isRecording(/^data:([^;,]*)/i.exec(url)?.[1]) ? fromDataUrl(url) : undefined
}

function isRecording(contentType: string | undefined): boolean {
  return contentType !== undefined && /^(?:audio|video)\//i.test(contentType)
}

function fromDataUrl(url: string): AudioBlock {
  const comma = url.indexOf(',')
  const [, type = ''] = /^data:([^;,]*).*;base64$/is.exec(url.slice(0, Math.max(0, comma))) ?? []
  if (type === '') return { fault: 'Its data: URL is not Base64 with a MIME type.' }
  return fromData(url.slice(comma + 1), type) ?? { fault: 'Its data: URL is empty.' }
}

function fromData(data: unknown, contentType: string): AudioBlock | undefined {
  if (data instanceof Uint8Array) return { bytes: data, contentType }
  if (typeof data !== 'string') return undefined
  // A data: URL where Base64 belongs is a common mistake.
  if (/^data:/i.test(data)) return fromDataUrl(data)
  return isBase64(data) ? { bytes: Buffer.from(data, 'base64'), contentType } : { fault: 'Its data is not Base64.' }
}

/** `Buffer.from` takes any text, and makes noise of it that would be paid for. */
function isBase64(text: string): boolean {
  const bare = text.replaceAll(/\s+/g, '').replace(/={1,2}$/, '')
  return bare !== '' && bare.length % 4 !== 1 && /^[A-Za-z0-9+/_-]+$/.test(bare)
}

function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
