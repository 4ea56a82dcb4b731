import type { ViteDevServer } from 'vite'
import type { NarrationFormat } from '../audio/formats.ts'
import { captionsOf } from '../captions/captions.ts'
import { formatError } from '../format-error.ts'
import { WavEncoder } from '../audio/wav-encoder.ts'
import { openFlacStream } from '../flac/flac-stream.ts'
import { createJoiner } from '../join/create-joiner.ts'
import type { Place } from '../join/joiner.ts'
import { edgesOf, type NarratedPage } from '../narrator/narrator.ts'
import { OpusEncoder } from '../opus/opus-encoder.ts'
import { ServerClosedError, type Session } from '../sessions.ts'
import type { AudioSource } from './middleware.ts'
import type { DevNarration, DevNarrations } from './dev-narrations.ts'

/** Tells the player that captions are incomplete. */
const PARTIAL = '\nNOTE partial\n'

/** Makes the audio that pages of a dev server request. */
export class DevAudio implements AudioSource {
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

  async cached(key: string, format: NarrationFormat): Promise<NarratedPage | undefined> {
    const { narrator } = this.#session()
    const requested = this.#narrations.find(key)
    if (requested !== undefined) return narrator.cached(requested.script)
    // A page of the server before its restart may still request this key.
    const found = await narrator.store.cache.read(key, format)
    return found === undefined ? undefined : { ...found, places: found.sidecar.places ?? [], key }
  }

  async whole(key: string, gone: AbortSignal): Promise<NarratedPage | undefined> {
    const { narrator, closed } = this.#session()
    const requested = this.#narrations.find(key)
    if (requested === undefined) return undefined
    const page = await narrator.narrate(requested.script, { scope: closed, gone })
    this.#forgetModules(requested)
    return page
  }

  canStream(key: string): boolean {
    const script = this.#narrations.find(key)?.script
    // An encoder needs the whole page, so its output cannot be streamed.
    return script !== undefined && script.segments.length > 1 && script.encoder === undefined
  }

  async *stream(key: string, gone: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const requested = this.#narrations.find(key)
    if (requested === undefined) return
    const { script } = requested
    const { narrator, closed } = this.#session()
    const caller = { scope: closed, gone }
    const joiner = createJoiner(script.voice.pieceFormat, script.gapSeconds)
    const encoder = streamEncoder(script.format)
    const pieces = script.segments.map((segment) => narrator.piece(script, segment, caller))
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

  async captions(key: string): Promise<string | undefined> {
    const script = this.#narrations.find(key)?.script
    if (script === undefined) return undefined
    const cached = await this.#session().narrator.cached(script)
    if (cached !== undefined) return captionsOf(script.segments, cached.places, script.language)
    const places = this.#live.get(key) ?? []
    return captionsOf(script.segments.slice(0, places.length), places, script.language) + PARTIAL
  }

  failed(key: string, error: unknown): { readonly status: number; readonly message: string } {
    const message = formatError(error, this.#narrations.find(key)?.script.source ?? 'The source')
    // Closing the server is no failure, so nothing is logged.
    if (error instanceof ServerClosedError) return { status: 503, message }
    this.#server.config.logger.error(message, { timestamp: true })
    return { status: 502, message }
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

/** Encodes what the joiner gives, for the formats that are made from WAV. */
function streamEncoder(format: NarrationFormat): WavEncoder | undefined {
  if (format === 'flac') return new WavEncoder(openFlacStream)
  return format === 'opus' ? new WavEncoder((layout) => OpusEncoder.open(layout)) : undefined
}
