import type { Readable } from 'node:stream'
import type { DrainOptions } from './options.ts'

/**
 * Reads the rest of a body and throws it away, within a number of bytes and a time, then cuts the connection. Closing it
 * at once would reset it, and a client that is still sending would never see the answer.
 */
export function drain(body: Readable, { maxBytes, timeout }: Required<DrainOptions>): void {
  if (body.readableEnded || body.destroyed) return
  const stop = (): void => {
    body.destroy()
  }
  const timer = setTimeout(stop, timeout)
  // A drain alone must not keep a process alive that is done otherwise.
  timer.unref()
  let bytes = 0
  body.on('data', (chunk: Uint8Array) => {
    bytes += chunk.byteLength
    if (bytes > maxBytes) stop()
  })
  body.once('close', () => clearTimeout(timer))
  body.once('end', () => clearTimeout(timer))
  body.resume()
}
