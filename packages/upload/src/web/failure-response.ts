import { mayExceedDrain } from '../drain.ts'
import { failureAnswer } from '../failure-answer.ts'
import type { UploadRequest } from '../upload-request.ts'

/** Status of nginx for a client that has disconnected. Nobody receives the response. */
const DISCONNECTED = 499

/**
 * The response to a failed upload or a failed call, safe for any caller: `{ "error": { "code", "message" } }`. Its bytes
 * are sent at once, and it ends when the rest of a refused upload is discarded: a server that closed the connection
 * earlier could lose the response.
 * @param upload The refused upload, if its body may still arrive.
 * @returns `undefined` for an error that this package does not know: let the framework answer it
 */
export function failureResponse(error: unknown, upload?: UploadRequest): Response | undefined {
  const response = failureAnswer(error)
  if (response === undefined) return undefined
  const { status, code, message, retryAfterSeconds } = response
  if (status === DISCONNECTED) return new Response(null, { status })
  const text = new TextEncoder().encode(JSON.stringify({ error: { code, message } }))
  const retry: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    // Deno closes the connection after this length, before the rest of the upload is discarded.
    ...('Deno' in globalThis ? {} : { 'content-length': String(text.byteLength) }),
    // A client must not send its next request behind the rest of a body that nobody reads. HTTP/2 forbids the header.
    ...(upload?.httpVersionMajor === 1 && mayExceedDrain(upload) ? { connection: 'close' } : {}),
    ...retry,
  }
  return new Response(upload === undefined ? text : withRest(text, upload), { status, headers })
}

function withRest(text: Uint8Array, upload: UploadRequest): ReadableStream<Uint8Array> {
  let stop: (() => void) | undefined
  return new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(text)
      if (upload.destroyed || upload.readableEnded) {
        controller.close()
        return
      }
      const close = (): void => {
        stop?.()
        controller.close()
      }
      stop = () => {
        upload.off('close', close)
        upload.off('end', close)
      }
      upload.once('close', close)
      upload.once('end', close)
    },
    cancel: () => stop?.(),
  })
}
