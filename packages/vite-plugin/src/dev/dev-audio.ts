import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ViteDevServer } from 'vite'
import {
  createJoiner,
  FORMATS,
  isNarrationFormat,
  type NarrationFormat,
  type Place,
  streamEncoder,
} from '../audio/index.ts'
import { captionsOf } from '../captions.ts'
import { formatError } from '../errors.ts'
import { type NarratedPage, parseFileName } from '../narrator/narrator.ts'
import { edgesOf, type NarrationScript, pageKey } from '../script.ts'
import { ServerClosedError, type Session } from '../sessions.ts'
import { sendAudio } from './send-audio.ts'

/** Path of the audio under Vite's base. Vite's own addresses begin with `@` too: no file of the site does. */
const AUDIO_PATH = '@narration/'
/** Tells the player that captions are incomplete. */
const PARTIAL = '\nNOTE partial\n'
const UNKNOWN = 'No such narration: load its page again'

/** A narration that a page of the dev server may request. */
export interface DevNarration {
  readonly script: NarrationScript
  /** Ids of the modules that were loaded before the audio existed, without a length. */
  readonly waiting: Set<string>
}

/** Narrations that pages of a dev server may request, by key. No other key makes a call. */
export class DevNarrations {
  readonly #narrations = new Map<string, DevNarration>()

  /**
   * Lets pages request a narration.
   * @param waiting Id of a module that waits for the length.
   * @returns Its addresses, under Vite's base
   */
  add(script: NarrationScript, waiting?: string): { readonly audio: string; readonly captions: string } {
    const key = pageKey(script)
    const requested = this.#narrations.get(key) ?? { script, waiting: new Set<string>() }
    this.#narrations.set(key, requested)
    if (waiting !== undefined) requested.waiting.add(waiting)
    return { audio: `${AUDIO_PATH}${key}.${script.format}`, captions: `${AUDIO_PATH}${key}.vtt` }
  }

  find(key: string): DevNarration | undefined {
    return this.#narrations.get(key)
  }
}

type Handler = (request: IncomingMessage, response: ServerResponse, next: () => void) => void

/** Serves narrations in dev. The first request makes the audio. */
export function audioMiddleware(base: string, audio: DevAudio): Handler {
  const prefix = `${base}${AUDIO_PATH}`
  return (request, response, next) => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    if (!path.startsWith(prefix)) next()
    else if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { Allow: 'GET, HEAD' }).end()
    } else void audio.respond(path.slice(prefix.length), request, response)
  }
}

/** Makes the audio that pages of a dev server request. */
export class DevAudio {
  readonly #server: ViteDevServer
  readonly #narrations: DevNarrations
  readonly #session: () => Session
  /** Places of the segments spoken so far, of pages in streaming. */
  readonly #live = new Map<string, readonly Place[]>()

  /** @param session The server's session. */
  constructor(server: ViteDevServer, narrations: DevNarrations, session: () => Session) {
    this.#server = server
    this.#narrations = narrations
    this.#session = session
  }

  /** Answers a request. @param name File name of the audio or the captions. */
  async respond(name: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { key = '', extension = '' } = parseFileName(name) ?? {}
    const gone = new AbortController()
    const leave = (): void => gone.abort(new Error('The browser disconnected'))
    response.once('close', leave)
    try {
      if (extension === 'vtt') await this.#respondCaptions(key, response)
      else if (isNarrationFormat(extension)) await this.#forwardAudio(key, extension, request, response, gone.signal)
      else sendText(response, 404, 'No such narration')
    } catch (error) {
      if (gone.signal.aborted) return
      const message = formatError(error, this.#narrations.find(key)?.script.source ?? 'The source')
      // Closing the server is no failure, so nothing is logged.
      const hasClosed = error instanceof ServerClosedError
      if (!hasClosed) this.#server.config.logger.error(message, { timestamp: true })
      // A cut stream must not look complete.
      if (response.headersSent) response.destroy()
      else sendText(response, hasClosed ? 503 : 502, message)
    } finally {
      response.off('close', leave)
    }
  }

  /** Sends the captions known so far. Makes no call. */
  async #respondCaptions(key: string, response: ServerResponse): Promise<void> {
    const script = this.#narrations.find(key)?.script
    if (script === undefined) {
      sendText(response, 404, UNKNOWN)
      return
    }
    const { segments, language } = script
    const cached = await this.#session().narrator.cached(script)
    const places = cached?.places ?? this.#live.get(key) ?? []
    const vtt = captionsOf(segments.slice(0, places.length), places, language) + (cached === undefined ? PARTIAL : '')
    response.writeHead(200, { 'Content-Type': 'text/vtt; charset=utf-8', 'Cache-Control': 'no-store' }).end(vtt)
  }

  async #forwardAudio(
    key: string,
    format: NarrationFormat,
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const { type } = FORMATS[format]
    const requested = this.#narrations.find(key)
    // A player that starts requests the whole file. A partial response needs the size of the whole file.
    const asksForAll = /^(?:bytes=0-)?$/.test(request.headers.range ?? '') && request.method === 'GET'
    let page = await this.#cached(key, format)
    if (page === undefined && requested !== undefined) {
      if (asksForAll && canStream(requested.script)) {
        await sendStream(response, type, this.#stream(key, requested, gone))
        return
      }
      const { narrator, closed } = this.#session()
      page = await narrator.narrate(requested.script, { scope: closed, gone })
      this.#forgetModules(requested)
    }
    if (page === undefined) sendText(response, 404, UNKNOWN)
    else sendAudio(request, response, { ...page, audio: page.audio(), type })
  }

  /** The audio of a page if it needs no call. A page of the server before its restart may still request its key. */
  async #cached(key: string, format: NarrationFormat): Promise<Pick<NarratedPage, 'audio' | 'sha256'> | undefined> {
    const { narrator } = this.#session()
    const requested = this.#narrations.find(key)
    return requested === undefined ? narrator.cache.read(key, format) : narrator.cached(requested.script)
  }

  /** The audio of a page while it is made, segment by segment. */
  async *#stream(key: string, requested: DevNarration, gone: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const { script } = requested
    const { narrator, closed } = this.#session()
    const joiner = createJoiner(script.voice.pieceFormat, script.gapSeconds)
    const encoder = streamEncoder(script.format)
    const pieces = script.segments.map((segment) => narrator.piece(script, segment, { scope: closed, gone }))
    // The loop below reports a failed piece in its order.
    for (const piece of pieces) piece.catch(() => undefined)
    this.#live.set(key, joiner.places)
    try {
      for (const [index, piece] of pieces.entries()) {
        const { audio } = await piece
        const added = joiner.add(audio(), edgesOf(script.segments, index))
        yield encoder === undefined ? added : await encoder.write(added)
      }
      if (encoder !== undefined) yield encoder.end()
      await narrator.cached(script)
      this.#forgetModules(requested)
    } finally {
      encoder?.close()
      this.#live.delete(key)
    }
  }

  /** The next load of a page gets the length. No reload is sent: a reload would stop the player. */
  #forgetModules({ waiting }: DevNarration): void {
    for (const id of waiting) {
      for (const { moduleGraph } of Object.values(this.#server.environments)) {
        const module = moduleGraph.getModuleById(id)
        if (module !== undefined) moduleGraph.invalidateModule(module)
      }
    }
    waiting.clear()
  }
}

/** An encoder needs the whole page, so its output cannot be streamed. */
function canStream({ segments, encoder }: NarrationScript): boolean {
  return segments.length > 1 && encoder === undefined
}

/** Streams audio. Its size is unknown, so the response has no `Content-Length` and no ranges. */
async function sendStream(response: ServerResponse, type: string, audio: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of audio) {
    if (!response.headersSent) response.writeHead(200, { 'Content-Type': type, 'Cache-Control': 'no-store' })
    response.write(chunk)
  }
  response.end()
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8' }).end(`${text}\n`)
}
