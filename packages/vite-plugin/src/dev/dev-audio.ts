import type { ViteDevServer } from 'vite'
import type { NarrationFormat } from '../audio/formats.ts'
import { explain } from '../explain.ts'
import type { NarratedAudio } from '../narrator/cache.ts'
import type { Script } from '../narrator/cache-key.ts'
import { ServerClosedError, type Session } from '../sessions.ts'
import type { AudioSource } from './middleware.ts'

/** What a page may ask for. */
export interface Promised {
  readonly script: Script
  /** The import, as the user knows it. */
  readonly file: string
  /** Ids of the modules that were loaded before the audio was there, and so know no length. */
  readonly waiting: Set<string>
}

/** Makes the audio that a dev server's pages ask for. */
export class DevAudio implements AudioSource {
  readonly #server: ViteDevServer
  readonly #promised: ReadonlyMap<string, Promised>
  readonly #session: () => Session

  /**
   * @param promised What pages may ask for, by key.
   * @param session The server's session; throws while there are no settings for one.
   */
  constructor(server: ViteDevServer, promised: ReadonlyMap<string, Promised>, session: () => Session) {
    this.#server = server
    this.#promised = promised
    this.#session = session
  }

  async audio(key: string, format: NarrationFormat, gone: AbortSignal): Promise<NarratedAudio | undefined> {
    const { narrator, closed } = this.#session()
    const promised = this.#promised.get(key)
    // Not of this server, but perhaps of the one before its restart.
    if (promised === undefined) return narrator.find(key, format)
    const audio = await narrator.narrate(promised.script, { scope: closed, gone })
    this.#forgetModules(promised.waiting)
    return audio
  }

  failed(key: string, error: unknown): { readonly status: number; readonly message: string } {
    const message = explain(error, this.#promised.get(key)?.file ?? 'The source')
    // A server that closes is no failure to be told about.
    if (error instanceof ServerClosedError) return { status: 503, message }
    this.#server.config.logger.error(message, { timestamp: true })
    return { status: 502, message }
  }

  /** The next load of the page finds the length. The page itself is left alone: it is being listened to. */
  #forgetModules(ids: Set<string>): void {
    for (const id of ids) {
      for (const { moduleGraph } of Object.values(this.#server.environments)) {
        const module = moduleGraph.getModuleById(id)
        if (module !== undefined) moduleGraph.invalidateModule(module)
      }
    }
    ids.clear()
  }
}
