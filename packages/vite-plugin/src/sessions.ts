import { isDeepStrictEqual } from 'node:util'
import type { Environment } from 'vite'
import { Builds, type BuildRun } from './build/build.ts'
import { type LocalService, Narrator, type NarratorOptions } from './narrator/narrator.ts'
import { type NarrationOptions, notesFile, resolveSettings } from './options.ts'
import { readerVersion } from './source/document.ts'
import { WarmNotes } from './warm-notes.ts'

/** The dev server closed while audio was made for it. */
export class ServerClosedError extends Error {
  override readonly name = 'ServerClosedError' as const
}

/** One environment (client, ssr, …) of a build or of a dev server, from its first narration to its end. */
export interface Session {
  readonly narrator: Narrator
  /** Aborts when the dev server closes. Never aborts in a build: calls in flight are finished for the next build. */
  readonly closed: AbortSignal
  /** Signature of each module at its last load, by module id; `undefined` after a failed load. */
  readonly texts: Map<string, string | undefined>
  /** The recording that each module uses, by module id. */
  readonly recordings: Map<string, string>
  readonly build: BuildRun
}

interface OpenSession extends Session {
  readonly settings: NarratorOptions
  readonly closing: AbortController
}

/**
 * The open sessions of one plugin instance. Environments with the same settings share a narrator and its limit on calls. The
 * last of them closes its connections.
 */
export class Sessions {
  readonly builds: Builds
  readonly #options: NarrationOptions
  readonly #local: LocalService | undefined
  readonly #open = new Map<Environment, OpenSession>()

  /** @param local The service of this machine, if the options ask for it. */
  constructor(options: NarrationOptions, local?: LocalService) {
    this.#options = options
    this.#local = local
    this.builds = new Builds(options)
  }

  /** The session of an environment. Opens it if needed. */
  of(environment: Environment): Session {
    const open = this.#open.get(environment)
    if (open !== undefined) return open
    const config = environment.getTopLevelConfig()
    const settings = resolveSettings(this.#options, config, this.#local)
    const same = [...this.#open.values()].find((session) => isDeepStrictEqual(session.settings, settings))
    const closing = new AbortController()
    const narrator = same?.narrator ?? new Narrator(settings, new WarmNotes(notesFile(config), readerVersion()))
    const session: OpenSession = {
      narrator,
      closed: closing.signal,
      texts: new Map(),
      recordings: new Map(),
      build: this.builds.open(environment, narrator),
      settings,
      closing,
    }
    this.#open.set(environment, session)
    return session
  }

  /** The session of an environment, if it has one. */
  find(environment: Environment): Session | undefined {
    return this.#open.get(environment)
  }

  /** Ends a session. Closes its connections unless another session uses them. */
  async end(environment: Environment): Promise<void> {
    const session = this.#open.get(environment)
    if (session === undefined) return
    this.builds.end(environment)
    // A watched build keeps its assets.
    const isWatched = environment.mode === 'build' && environment.config.build.watch !== null
    if (!isWatched) this.#open.delete(environment)
    if (environment.mode === 'dev') session.closing.abort(new ServerClosedError('The dev server has closed'))
    const stillUsed = [...this.#open.values()].some((one) => one !== session && one.narrator === session.narrator)
    if (!stillUsed) await session.narrator.close()
  }
}
