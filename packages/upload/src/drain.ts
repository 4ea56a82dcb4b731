import type { Readable } from 'node:stream'
import type { DrainOptions } from './options.ts'

/**
 * Reads the rest of a body and discards it, up to a number of bytes and a time, then closes the connection. An immediate
 * close would reset the connection, and a client that is still sending would never see the answer.
 */
export function drain(body: Readable, { maxBytes, timeout }: Required<DrainOptions>): void {
  if (body.readableEnded || body.destroyed) return
  const stop = (): void => {
    body.destroy()
  }
  const timer = setTimeout(stop, timeout)
  // A drain alone must not prevent the process from exiting.
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
