import { fileURLToPath } from 'node:url'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { RootsListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

/** The folders that a client names as its roots. They are requested once, and again when the client says that they changed. */
export class ClientRoots {
  readonly #server: Server
  #known: readonly string[] | undefined

  constructor(server: Server) {
    this.#server = server
    server.setNotificationHandler(RootsListChangedNotificationSchema, () => {
      this.#known = undefined
    })
  }

  /** Paths of the roots. None if the client has no roots or does not answer. */
  async list(signal: AbortSignal): Promise<readonly string[]> {
    if (this.#server.getClientCapabilities()?.roots === undefined) return []
    this.#known ??= await this.#request(signal)
    return this.#known ?? []
  }

  async #request(signal: AbortSignal): Promise<readonly string[] | undefined> {
    try {
      const { roots } = await this.#server.listRoots({}, { signal })
      return roots.flatMap(({ uri }) => pathsOf(uri))
    } catch {
      signal.throwIfAborted()
      // The next call asks again.
      return undefined
    }
  }
}

function pathsOf(uri: string): string[] {
  try {
    return [fileURLToPath(uri)]
  } catch {
    return []
  }
}
