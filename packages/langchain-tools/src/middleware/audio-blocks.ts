/** Audio in a message: bytes, or an address. */
export type AudioBlock = { readonly bytes: Uint8Array; readonly contentType: string } | { readonly url: string }

/**
 * The audio of a content block: LangChain's standard block, its older form (`source_type`), or OpenAI's `input_audio`.
 * `undefined` for any other block, and for audio that only the model's provider can open.
 */
export function audioOf(block: unknown): AudioBlock | undefined {
  if (typeof block !== 'object' || block === null) return undefined
  const field = (name: string): unknown => Reflect.get(block, name)
  if (field('type') === 'input_audio') return openAiAudio(field('input_audio'))
  if (field('type') !== 'audio') return undefined
  const url = field('url')
  if (typeof url === 'string') return { url }
  const bytes = bytesOf(field('data'))
  const type = field('mimeType') ?? field('mime_type')
  return bytes && { bytes, contentType: typeof type === 'string' ? type : 'application/octet-stream' }
}

function openAiAudio(audio: unknown): AudioBlock | undefined {
  if (typeof audio !== 'object' || audio === null) return undefined
  const bytes = bytesOf(Reflect.get(audio, 'data'))
  return bytes && { bytes, contentType: Reflect.get(audio, 'format') === 'mp3' ? 'audio/mpeg' : 'audio/wav' }
}

function bytesOf(data: unknown): Uint8Array | undefined {
  if (data instanceof Uint8Array) return data
  return typeof data === 'string' ? Buffer.from(data, 'base64') : undefined
}
