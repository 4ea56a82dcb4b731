/** How much of a request's body the browser has sent, in bytes. */
export interface SentBytes {
  readonly sent: number
  readonly total: number
}

/**
 * Sends a request as `fetch` does, and reports its upload, which `fetch` cannot. The answer comes as a whole.
 * @param onProgress Called while the body is sent, and once at its end.
 * @throws TypeError when there is no answer; the reason of the signal after an abort
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
    request.responseType = 'arraybuffer'
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress({ sent: loaded, total }))
    request.upload.addEventListener('load', ({ loaded }) => onProgress({ sent: loaded, total: loaded }))
    request.addEventListener('load', () => resolve(answerOf(request)))
    request.addEventListener('error', () => reject(new TypeError('The connection was lost during the upload.')))
    request.addEventListener('abort', () => reject(signal?.reason))
    request.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    request.send(body)
  })
}

function answerOf(request: XMLHttpRequest): Response {
  const { status, response } = request
  const headers = new Headers()
  for (const line of request.getAllResponseHeaders().split('\r\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) headers.append(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  const isBodiless = status === 204 || status === 304
  return new Response(isBodiless || !(response instanceof ArrayBuffer) ? null : response, { status, headers })
}
