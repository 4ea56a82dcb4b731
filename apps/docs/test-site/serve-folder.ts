import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.mp3': 'audio/mpeg',
  '.vtt': 'text/vtt',
  '.json': 'application/json',
}

const TEXT = /^text\/|json|svg/

/** Serves the built site as a static host does: clean addresses, compressed text, ranges of audio. */
export async function serveFolder(folder: string): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer((request, response) => respond(folder, request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function respond(folder: string, { url = '/', headers }: IncomingMessage, response: ServerResponse): void {
  const path = join(folder, decodeURIComponent(new URL(url, 'http://site').pathname))
  const file = [path, `${path}.html`, join(path, 'index.html')].find((one) => existsSync(one) && statSync(one).isFile())
  if (file === undefined) {
    response.writeHead(404).end()
    return
  }
  const type = TYPES[extname(file)] ?? 'application/octet-stream'
  if (TEXT.test(type)) {
    const body = gzipSync(readFileSync(file))
    response
      .writeHead(200, { 'content-type': type, 'content-encoding': 'gzip', 'content-length': body.length })
      .end(body)
    return
  }
  const { size } = statSync(file)
  const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? []
  const start = Number(from)
  const end = to === '' ? size - 1 : Math.min(Number(to), size - 1)
  const range = headers.range === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }
  response.writeHead(headers.range === undefined ? 200 : 206, {
    'content-type': type,
    'content-length': end - start + 1,
    'accept-ranges': 'bytes',
    ...range,
  })
  createReadStream(file, { start, end }).pipe(response)
}
