import type { IncomingMessage, ServerResponse } from 'node:http'
import { FORMATS, isNarrationFormat, type NarrationFormat } from '../audio/formats.ts'
import { parseFileName } from '../narrator/cache.ts'
import type { NarratedPage } from '../narrator/narrator.ts'
import { AUDIO_PATH } from './paths.ts'
import { sendAudio } from './send-audio.ts'

/** Source of the middleware's audio. */
export interface AudioSource {
  /** The audio of a page if it needs no call. */
  cached(key: string, format: NarrationFormat): Promise<NarratedPage | undefined>
  /**
   * The audio of a page, made now.
   * @param gone Aborts when the browser disconnects.
   * @returns `undefined` for an unknown key
   */
  whole(key: string, gone: AbortSignal): Promise<NarratedPage | undefined>
  /** Whether the audio of a page can be streamed. */
  canStream(key: string): boolean
  /** The audio of a page while it is made, segment by segment. */
  stream(key: string, gone: AbortSignal): AsyncIterable<Uint8Array>
  /** The captions known so far, as WebVTT. Makes no call. */
  captions(key: string): Promise<string | undefined>
  /** The response to an error of the other methods. */
  failed(key: string, error: unknown): { readonly status: number; readonly message: string }
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** Serves narrations in dev. The first request makes the audio. */
export function audioMiddleware(base: string, source: AudioSource): Handler {
  const prefix = `${base}${AUDIO_PATH}`
  return (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    if (!path.startsWith(prefix)) {
      next()
      return
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
      return
    }
    void respond(path.slice(prefix.length), request, response, source)
  }
}

async function respond(
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  source: AudioSource,
): Promise<void> {
  const { key = '', extension = '' } = parseFileName(name) ?? {}
  const gone = new AbortController()
  const leave = (): void => gone.abort(new Error('The browser disconnected'))
  response.once('close', leave)
  try {
    if (extension === 'vtt') sendCaptions(response, await source.captions(key))
    else if (isNarrationFormat(extension)) await respondAudio(key, extension, request, response, source, gone.signal)
    else sendText(response, 404, 'No such narration')
  } catch (error) {
    if (gone.signal.aborted) return
    const { status, message } = source.failed(key, error)
    // A cut stream must not look complete.
    if (response.headersSent) response.destroy()
    else sendText(response, status, message)
  } finally {
    response.off('close', leave)
  }
}

async function respondAudio(
  key: string,
  format: NarrationFormat,
  request: IncomingMessage,
  response: ServerResponse,
  source: AudioSource,
  gone: AbortSignal,
): Promise<void> {
  const { type } = FORMATS[format]
  const cached = await source.cached(key, format)
  if (cached !== undefined) {
    sendAudio(request, response, { ...cached, audio: cached.audio(), type })
    return
  }
  // A player that starts requests the whole file. A partial response needs the size of the whole file.
  const asksForAll = /^(?:bytes=0-)?$/.test(request.headers.range ?? '') && request.method === 'GET'
  if (asksForAll && source.canStream(key)) {
    await sendStream(response, type, source.stream(key, gone))
    return
  }
  const made = await source.whole(key, gone)
  if (made === undefined) sendText(response, 404, 'No such narration: load its page again')
  else sendAudio(request, response, { ...made, audio: made.audio(), type })
}

/** Streams audio. Its size is unknown, so the response has no `Content-Length` and no ranges. */
async function sendStream(response: ServerResponse, type: string, audio: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of audio) {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' })
    response.write(chunk)
  }
  response.end()
}

function sendCaptions(response: ServerResponse, vtt: string | undefined): void {
  if (vtt === undefined) {
    sendText(response, 404, 'No such narration: load its page again')
    return
  }
  response.writeHead(200, { 'Content-Type': 'text/vtt; charset=utf-8', 'Cache-Control': 'no-store' }).end(vtt)
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
