import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Options of {@link startHook}. */
export interface HookOptions {
  /** Port to listen on. 0 selects a free port. */
  readonly port: number
  /** Public address of the port. @default the address on this machine */
  readonly url?: string
}

/** A receiver of webhooks. */
export interface Hook {
  /** Creates an address and a promise that resolves at its call. */
  next(): { readonly url: string; readonly called: Promise<void> }
  close(): void
}

/** Listens for webhooks and answers each with 204. */
export async function startHook({ port, url }: HookOptions): Promise<Hook> {
  const waiting = new Map<string, () => void>()
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(204).end()
      waiting.get(new URL(request.url ?? '/', 'http://hook').pathname.split('/').at(-1) ?? '')?.()
    })
  }).listen(port, url === undefined ? '127.0.0.1' : undefined)
  await once(server, 'listening')
  const address = server.address()
  const own = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : ''
  return {
    next() {
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.set(id, resolve)
      return { url: `${(url ?? own).replace(/\/+$/, '')}/${id}`, called: promise }
    },
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
