import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

/** Options of {@link startHook}. */
export interface HookOptions {
  /** Port to listen on; 0 takes a free one. */
  readonly port: number
  /** Address under which the server reaches it. @default this machine's own */
  readonly url?: string
}

/** Somewhere for webhooks to arrive. */
export interface Hook {
  /** A new address, and what resolves when it is called. */
  next(): { readonly url: string; readonly called: Promise<void> }
  close(): void
}

/** Listens for webhooks, and answers each with 204. */
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
