import type { RequestBody } from '@svc-audio/core/pure'

/** A request's body on its way out. */
export interface Upload {
  /** What n8n's HTTP helper is given. */
  readonly blob: Blob
  /** Nobody reads on: frees what the bytes come from. The helper itself leaves a body open when a request ends early. */
  leave(): void
}

/**
 * A body as a `Blob` that is read while it is sent. n8n's HTTP helper takes no web stream, and a community node may not
 * import `stream` to make one of Node's; what looks like a `Blob` it streams, with the length and type that this names.
 *
 * @param length Length of the body, in bytes.
 */
export function openUpload(body: RequestBody, length: number): Upload {
  let source: AsyncIterator<Uint8Array> | undefined
  const stream = (): ReadableStream<Uint8Array> => {
    const opened = body.open()
    const chunks = (opened instanceof Uint8Array ? once(opened) : opened)[Symbol.asyncIterator]()
    source = chunks
    return ReadableStream.from({ [Symbol.asyncIterator]: () => chunks })
  }
  const blob = Object.defineProperties(new Blob([]), {
    // Enumerable, since n8n drops a body that has no property to enumerate, as it would an empty object.
    size: { value: length, enumerable: true },
    type: { value: body.contentType, enumerable: true },
    stream: { value: stream },
  })
  return { blob, leave: () => void source?.return?.().catch(() => {}) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array, void, undefined> {
  yield bytes
}
