import { finished, type Readable } from 'node:stream'

/**
 * Every chunk that arrived, and then the stream's error if it has one. The stream's own iteration drops what was not yet
 * read when the connection fails, and that may hold the very event which says why (interface: "an `error` frame is sent,
 * then the connection closes").
 *
 * @param givenUp Whether nobody wants the rest any more: then what has arrived is dropped.
 */
export async function* readBody(body: Readable, givenUp: () => boolean): AsyncGenerator<Uint8Array, void, undefined> {
  let news = Promise.withResolvers<void>()
  let end: { readonly error: unknown } | undefined
  const notify = (): void => news.resolve()
  const forget = finished(body, { writable: false }, (error) => {
    end = { error }
    notify()
  })
  body.on('readable', notify)
  try {
    for (;;) {
      const chunk: unknown = givenUp() ? null : body.read()
      if (chunk instanceof Uint8Array) yield chunk
      else if (end === undefined) {
        await news.promise
        news = Promise.withResolvers()
      } else if (end.error === undefined || end.error === null) return
      else throw end.error
    }
  } finally {
    forget()
    body.off('readable', notify)
    body.destroy()
  }
}
