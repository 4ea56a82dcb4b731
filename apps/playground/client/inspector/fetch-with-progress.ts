/** How much of a request's body the browser has sent, in bytes. */
export interface SentBytes {
  readonly sent: number
  readonly total: number
}

/**
 * Sends a request as `fetch` does, and reports its upload, which `fetch` cannot. The body of the response can be read
 * while it arrives. It stays in memory until its end, so send requests with short responses only, such as transcripts.
 * @param onProgress Called while the body is sent, and once at its end.
 * @throws TypeError when there is no response; the reason of the signal after an abort
 */
export function fetchWithProgress(
  url: URL,
  { method = 'GET', headers, body, signal }: RequestInit & { readonly body: Blob },
  onProgress: (progress: SentBytes) => void,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason)
      return
    }
    const request = new XMLHttpRequest()
    const abort = (): void => request.abort()
    signal?.addEventListener('abort', abort)
    request.open(method, url)
    for (const [name, value] of new Headers(headers)) request.setRequestHeader(name, value)
    // One character for each byte. Other types can be read at the end only, or change the bytes.
    request.overrideMimeType('text/plain; charset=x-user-defined')
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress({ sent: loaded, total }))
    request.upload.addEventListener('load', ({ loaded }) => onProgress({ sent: loaded, total: loaded }))
    request.addEventListener('readystatechange', () => {
      if (request.readyState === request.HEADERS_RECEIVED) resolve(responseOf(request, signal))
    })
    request.addEventListener('error', () => reject(new TypeError('The connection was lost during the upload.')))
    request.addEventListener('abort', () => reject(signal?.reason))
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    request.send(body)
  })
}

function responseOf(request: XMLHttpRequest, signal: AbortSignal | null | undefined): Response {
  const { status } = request
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const isBodiless = status === 204 || status === 304
  return new Response(isBodiless ? null : bodyOf(request, signal), { status, headers })
}

function bodyOf(
  request: XMLHttpRequest,
  signal: AbortSignal | null | undefined,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let taken = 0
  return new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      const take = (): void => {
        const { responseText } = request
        if (responseText.length > taken) controller.enqueue(bytesOf(responseText.slice(taken)))
        taken = responseText.length
      }
      request.addEventListener('progress', take)
      request.addEventListener('load', () => {
        take()
        controller.close()
      })
      request.addEventListener('error', () => controller.error(new TypeError('The connection was lost.')))
      request.addEventListener('abort', () => controller.error(signal?.reason))
    },
    cancel: () => request.abort(),
  })
}

/** The charset has bytes from 0x80 on at U+F780. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text, (character) => character.charCodeAt(0) & 0xff)
}
