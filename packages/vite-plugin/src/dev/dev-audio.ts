import type { ViteDevServer } from 'vite'
import type { NarrationFormat } from '../audio/formats.ts'
import { captionsOf } from '../captions.ts'
import { explain } from '../explain.ts'
import { FlacStream } from '../flac/flac-stream.ts'
import { canJoin, createJoiner } from '../join/create-joiner.ts'
import type { Place } from '../join/joiner.ts'
import { edgesOf, type NarratedPage } from '../narrator/narrator.ts'
import type { Script } from '../narrator/script.ts'
import { ServerClosedError, type Session } from '../sessions.ts'
import type { AudioSource } from './middleware.ts'
import type { Promised, Promises } from './promises.ts'

/** Tells the player that captions are incomplete. */
const PARTIAL = '\nNOTE partial\n'

/** Makes the audio that pages of a dev server request. */
export class DevAudio implements AudioSource {
  readonly #server: ViteDevServer
  readonly #promises: Promises
  readonly #session: () => Session
  /** Places of the segments spoken so far, of pages in streaming. */
  readonly #live = new Map<string, readonly Place[]>()

  /** @param session The server's session. */
  constructor(server: ViteDevServer, promises: Promises, session: () => Session) {
    this.#server = server
    this.#promises = promises
    this.#session = session
  }

  async cached(key: string, format: NarrationFormat): Promise<NarratedPage | undefined> {
    const { narrator } = this.#session()
    const promised = this.#promises.find(key)
    if (promised !== undefined) return narrator.cached(promised.script)
    // A page of the server before its restart may still request this key.
    const found = await narrator.store.cache.read(key, format)
    return found === undefined ? undefined : { ...found, places: found.sidecar.places ?? [], key }
  }

  async whole(key: string, gone: AbortSignal): Promise<NarratedPage | undefined> {
    const { narrator, closed } = this.#session()
    const promised = this.#promises.find(key)
    if (promised === undefined) return undefined
    const page = await narrator.narrate(promised.script, { scope: closed, gone })
    this.#forgetModules(promised)
    return page
  }

  canStream(key: string): boolean {
    const script = this.#promises.find(key)?.script
    return script !== undefined && script.segments.length > 1 && canStream(script)
  }

  async *stream(key: string, gone: AbortSignal): AsyncGenerator<Uint8Array, void, undefined> {
    const promised = this.#promises.find(key)
    if (promised === undefined) return
    const { script } = promised
    const { narrator, closed } = this.#session()
    const asker = { scope: closed, gone }
    const joiner = createJoiner(script.delivery.pieceFormat, script.gapSeconds)
    const flac = script.format === 'flac' ? new FlacStream() : undefined
    const pieces = script.segments.map((segment) => narrator.piece(script, segment, asker))
    // The loop below reports a failed piece in its order.
    for (const piece of pieces) piece.catch(() => undefined)
    this.#live.set(key, joiner.places)
    try {
      for (const [index, piece] of pieces.entries()) {
        const { audio } = await piece
        const added = joiner.add(audio(), edgesOf(script.segments, index))
        yield flac === undefined ? added : await flac.write(added)
      }
      if (flac !== undefined) yield flac.end()
      await narrator.cached(script)
      this.#forgetModules(promised)
    } finally {
      flac?.close()
      this.#live.delete(key)
    }
  }

  async captions(key: string): Promise<string | undefined> {
    const script = this.#promises.find(key)?.script
    if (script === undefined) return undefined
    const cached = await this.#session().narrator.cached(script)
    if (cached !== undefined) return captionsOf(script.segments, cached.places)
    const places = this.#live.get(key) ?? []
    return captionsOf(script.segments.slice(0, places.length), places) + PARTIAL
  }

  failed(key: string, error: unknown): { readonly status: number; readonly message: string } {
    const message = explain(error, this.#promises.find(key)?.script.source ?? 'The source')
    // Closing the server is no failure, so nothing is logged.
    if (error instanceof ServerClosedError) return { status: 503, message }
    this.#server.config.logger.error(message, { timestamp: true })
    return { status: 502, message }
  }

  /** The next load of a page gets the length. No reload is sent: a reload would stop the player. */
  #forgetModules({ waiting }: Promised): void {
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
function canStream({ encoder, delivery }: Script): boolean {
  return encoder === undefined && canJoin(delivery.pieceFormat)
}
