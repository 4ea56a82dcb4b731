import { isDeepStrictEqual } from 'node:util'
import type { Environment } from 'vite'
import { Narrator, type NarratorOptions } from './narrator/narrator.ts'
import type { NarrationOptions } from './options.ts'
import { resolveSettings } from './settings.ts'

/** The dev server closed while audio was made for it. */
export class ServerClosedError extends Error {
  override readonly name = 'ServerClosedError' as const
}

/** One environment (client, ssr, …) of a build or of a dev server, from its first narration to its end. */
export interface Session {
  readonly narrator: Narrator
  /** Address of the service. */
  readonly baseUrl: string
  /** Aborts when the dev server closes. A build has no such end: what it began is finished for the next one. */
  readonly closed: AbortSignal
  /** Aborts when a narration of the build has failed, so that no more are begun for it. */
  readonly failed: AbortSignal
  /** What each module said when it was last loaded, by module id; `undefined` where loading failed. */
  readonly texts: Map<string, string | undefined>
}

interface OpenSession extends Session {
  readonly settings: NarratorOptions
  readonly closing: AbortController
  readonly failing: AbortController
}

/**
 * The open sessions of one plugin instance. Environments with the same settings share a narrator, and with it the limit on
 * calls; its connections are freed when the last of them ends.
 */
export class Sessions {
  readonly #options: NarrationOptions
  readonly #open = new Map<Environment, OpenSession>()

  constructor(options: NarrationOptions) {
    this.#options = options
  }

  /**
   * The session of an environment, begun if need be.
   * @throws ConfigurationError when there is no address of the service
   */
  of(environment: Environment): Session {
    const open = this.#open.get(environment)
    if (open !== undefined) return open
    const settings = resolveSettings(this.#options, environment.getTopLevelConfig())
    const same = [...this.#open.values()].find((session) => isDeepStrictEqual(session.settings, settings))
    const closing = new AbortController()
    const failing = new AbortController()
    const session: OpenSession = {
      narrator: same?.narrator ?? new Narrator(settings),
      baseUrl: settings.baseUrl,
      closed: closing.signal,
      failed: failing.signal,
      texts: new Map(),
      settings,
      closing,
      failing,
    }
    this.#open.set(environment, session)
    return session
  }

  /** What a module said when it was last loaded in an environment. */
  lastText(environment: Environment, id: string): string | undefined {
    return this.#open.get(environment)?.texts.get(id) ?? undefined
  }

  /** The narration modules that an environment has loaded. */
  loaded(environment: Environment): readonly string[] {
    return [...(this.#open.get(environment)?.texts.keys() ?? [])]
  }

  /** A narration of this build has failed, and the build with it. */
  fail(environment: Environment): void {
    this.#open.get(environment)?.failing.abort(new Error('Another narration has failed'))
  }

  /** Ends a session. Resolves when its connections are free, unless others still use them. */
  async end(environment: Environment): Promise<void> {
    const session = this.#open.get(environment)
    if (session === undefined) return
    this.#open.delete(environment)
    if (environment.mode === 'dev') session.closing.abort(new ServerClosedError('The dev server has closed'))
    const stillUsed = [...this.#open.values()].some(({ narrator }) => narrator === session.narrator)
    if (!stillUsed) await session.narrator.close()
  }
}
