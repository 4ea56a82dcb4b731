import { messageIn, RequestError, UNREACHABLE } from './request.ts'

/** Options of {@link transcribe}. */
export interface TranscribeOptions {
  readonly signal: AbortSignal
  /** Receives the uploaded share, 0 to 1. */
  readonly onProgress: (share: number) => void
}

/**
 * Uploads a file and returns its transcript.
 *
 * Uses XMLHttpRequest, because `fetch` reports no upload progress.
 * @throws RequestError when the request is refused or fails; the signal's reason after an abort
 */
export function transcribe(file: Blob, name: string, { signal, onProgress }: TranscribeOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const call = new XMLHttpRequest()
    const abort = (): void => call.abort()
    signal.addEventListener('abort', abort, { once: true })
    call.addEventListener('loadend', () => signal.removeEventListener('abort', abort))
    call.addEventListener('abort', () => reject(reasonOf(signal)))
    call.addEventListener('error', () => reject(new RequestError(UNREACHABLE)))
    call.addEventListener('load', () => {
      if (call.status === 200) resolve(textOf(call.responseText))
      else reject(new RequestError(messageIn(call.responseText, call.status)))
    })
    call.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total)
    })
    call.open('POST', '/api/transcriptions')
    const form = new FormData()
    form.set('file', file, name)
    call.send(form)
  })
}

function reasonOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new DOMException('The upload was aborted', 'AbortError')
}

function textOf(body: string): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- looked at field by field
  const answer = JSON.parse(body) as { readonly text?: unknown } | null
  if (typeof answer?.text !== 'string') throw new RequestError('The answer has no transcript')
  return answer.text
}
