import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { wavOf } from '@svc-audio/kit/hosts/audio-files'

const PLAYER = join(import.meta.dirname, '../../dist/player')
/** Paragraphs of the page, and the length of each, in seconds. */
const PARAGRAPHS = 6
const SECONDS = 10
const AUDIO = wavOf(
  Array.from({ length: PARAGRAPHS * SECONDS * 16_000 }, (_, index) => Math.round(9000 * Math.sin(index / 7))),
)

/** How the audio of a page comes. */
export interface Line {
  /** Delay of the first response, in milliseconds. */
  readonly lateMs: number
  /** Whether the first response is cut before its end. */
  readonly drops?: boolean
  /** How many requests are answered with 503. @default 0 */
  readonly failures?: number
  /** Whether the server ignores `Range`. @default false */
  readonly ignoresRange?: boolean
}

/** A server of pages with a player, whose audio comes over a slow line. */
export interface SlowLine {
  /** Address of a new page. Each has a host of its own: a browser opens six connections to one. */
  page(line: Line): string
  close(): Promise<void>
}

/** Starts the server. */
export async function startSlowLine(): Promise<SlowLine> {
  const lines = new Map<string, Line>()
  const requests = new Map<string, number>()
  const server = createServer((request, response) => {
    const host = (request.headers.host ?? '').split(':', 1)[0] ?? ''
    const path = request.url ?? '/'
    if (path !== '/post.wav') {
      void sendFile(path, response)
      return
    }
    const before = requests.get(host) ?? 0
    requests.set(host, before + 1)
    const { lateMs, drops = false, failures = 0, ignoresRange = false } = lines.get(host) ?? { lateMs: 0 }
    const isFirst = before === 0
    setTimeout(
      () => {
        if (before < failures) response.writeHead(503).end()
        else sendAudio(request, response, { drops: isFirst && drops, ignoresRange })
      },
      isFirst ? lateMs : 0,
    )
  })
  server.listen(0, '0.0.0.0')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    page(line) {
      const host = `127.0.${1 + (lines.size >> 7)}.${1 + (lines.size & 127)}`
      lines.set(host, line)
      return `http://${host}:${port}/`
    },
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function sendAudio(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { drops, ignoresRange }: { readonly drops: boolean; readonly ignoresRange: boolean },
): void {
  if (ignoresRange) {
    response.writeHead(200, { 'Content-Type': 'audio/wav', 'Content-Length': AUDIO.byteLength }).end(AUDIO)
    return
  }
  const first = Number(/^bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0)
  const body = AUDIO.subarray(first)
  response.writeHead(206, {
    'Content-Type': 'audio/wav',
    'Accept-Ranges': 'bytes',
    'Content-Length': body.byteLength,
    'Content-Range': `bytes ${first}-${AUDIO.byteLength - 1}/${AUDIO.byteLength}`,
  })
  if (drops) response.write(body.subarray(0, 20), () => response.destroy())
  else response.end(body)
}

async function sendFile(path: string, response: ServerResponse): Promise<void> {
  const paragraphs = Array.from({ length: PARAGRAPHS }, (_, index) => `This is paragraph ${index}.`)
  if (path === '/') {
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(`<!doctype html><title>Slow line</title><main>
<narration-player src="/post.wav" captions="/post.vtt" duration="${PARAGRAPHS * SECONDS}" for="post"></narration-player>
<article id="post">${paragraphs.map((text, index) => (index % 2 === 0 && index < 3 ? `<h2>${text}</h2>` : `<p>${text}</p>`)).join('')}</article></main>
<script type="module" src="/narration-player.js"></script>`)
  } else if (path === '/post.vtt') {
    const time = (second: number): string => `00:${String(second).padStart(2, '0')}.000`
    const cues = paragraphs.map((text, index) =>
      [`${index + 1}.1`, `${time(index * SECONDS)} --> ${time((index + 1) * SECONDS)}`, text].join('\n'),
    )
    response.writeHead(200, { 'Content-Type': 'text/vtt' }).end(['WEBVTT', ...cues, ''].join('\n\n'))
  } else {
    const code = await readFile(join(PLAYER, path)).catch(() => undefined)
    response.writeHead(code === undefined ? 404 : 200, { 'Content-Type': 'text/javascript' }).end(code)
  }
}
