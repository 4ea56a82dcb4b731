import type { IncomingMessage, ServerResponse } from 'node:http'
import { FORMATS, type NarrationFormat } from '../audio/formats.ts'
import { type NarratedAudio, parseFileName } from '../narrator/cache.ts'
import { sendAudio } from './send-audio.ts'

/** Path of the audio under Vite's base. `@` marks what is no file of the site, as Vite's own addresses do. */
export const AUDIO_PATH = '@narration/'

/** What the middleware asks for audio. */
export interface AudioSource {
  /**
   * The audio by its key, made now if need be.
   * @param gone Aborts when the browser has left.
   * @returns `undefined` for a key that nothing has
   */
  audio(key: string, format: NarrationFormat, gone: AbortSignal): Promise<NarratedAudio | undefined>
  /** What to answer for whatever {@link AudioSource.audio} threw. */
  failed(key: string, error: unknown): { readonly status: number; readonly message: string }
}

/** Serves narrations in dev: they are made when they are first asked for. */
export function audioMiddleware(
  base: string,
  source: AudioSource,
): (request: IncomingMessage, response: ServerResponse, next: () => void) => void {
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
    void answer(path.slice(prefix.length), request, response, source)
  }
}

async function answer(
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  source: AudioSource,
): Promise<void> {
  const wanted = parseFileName(name)
  if (wanted === undefined) {
    sendText(response, 404, 'No such narration')
    return
  }
  const { key, format } = wanted
  const gone = new AbortController()
  const leave = (): void => gone.abort(new Error('The browser left'))
  response.once('close', leave)
  try {
    const found = await source.audio(key, format, gone.signal)
    if (found === undefined) sendText(response, 404, 'No such narration: load its page again')
    else sendAudio(request, response, { ...found, type: FORMATS[format].type })
  } catch (error) {
    if (gone.signal.aborted) return
    const { status, message } = source.failed(key, error)
    sendText(response, status, message)
  } finally {
    response.off('close', leave)
  }
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
