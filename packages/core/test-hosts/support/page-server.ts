import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

/** Serves a page with its script, and forwards the interface to a service, so that the page needs no CORS. */
export async function servePage(script: string, service: string): Promise<{ url: string; server: Server }> {
  const server = createServer((incoming, response) => {
    const { method, url = '/', headers } = incoming
    if (url === '/')
      response.setHeader('content-type', 'text/html').end('<script type="module" src="/page.js"></script>')
    else if (url === '/page.js')
      createReadStream(join(script)).pipe(response.setHeader('content-type', 'text/javascript'))
    else {
      const outgoing = request(new URL(url, service), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      outgoing.on('error', () => response.destroy())
      response.on('close', () => outgoing.destroy())
      incoming.pipe(outgoing)
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, server }
}
