import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A server of this test. */
export interface LocalServer {
  readonly url: string
  close(): Promise<void>
}

/** Starts a server on a free port. What the handler throws cuts the connection. */
export async function startLocalServer(
  handle: (request: IncomingMessage, response: ServerResponse, url: string) => void | Promise<void>,
): Promise<LocalServer> {
  let url = ''
  const server = createServer((request, response) => {
    void Promise.resolve(handle(request, response, url)).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, close: () => new Promise((resolve) => server.close(() => resolve())) }
}

/** A server that answers every request with a text. */
export function serveText(
  answer: (body: string, path: string) => { readonly type: string; readonly body: string },
): Promise<LocalServer> {
  return startLocalServer(async (request, response) => {
    let received = ''
    for await (const chunk of request) received += String(chunk)
    const { type, body } = answer(received, request.url ?? '/')
    response.setHeader('content-type', type)
    response.end(body)
  })
}
