import { AudioGatewayError } from '../audio-gateway-error.ts'
import { alreadyRead } from '../request-checks.ts'

/** Longest JSON body, in bytes. */
const MAX_JSON = 1024 * 1024

/**
 * The body of a JSON request. A body of another type is not read.
 * @returns `undefined` without a JSON body
 * @throws AudioGatewayError 400 `invalid_json`, 413 `content_too_large` over 1 MiB
 * @throws UploadError `body_already_read`
 */
export async function readJson(request: Request): Promise<unknown> {
  if (!/^application\/json\s*(?:;|$)/i.test(request.headers.get('content-type') ?? '')) return undefined
  if (request.bodyUsed || request.body?.locked === true) throw alreadyRead()
  const text = await readText(request.body)
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    throw new AudioGatewayError({ status: 400, code: 'invalid_json', message: 'The body is not valid JSON' }, cause)
  }
}

async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (body === null) return ''
  const decoder = new TextDecoder()
  const reader = body.getReader()
  let bytes = 0
  let text = ''
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    bytes += next.value.byteLength
    if (bytes > MAX_JSON) {
      await reader.cancel()
      const message = `The body is larger than ${MAX_JSON} bytes`
      throw new AudioGatewayError({ status: 413, code: 'content_too_large', message })
    }
    text += decoder.decode(next.value, { stream: true })
  }
  return text + decoder.decode()
}
