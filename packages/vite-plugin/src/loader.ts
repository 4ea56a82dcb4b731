import { basename, extname, relative } from 'node:path'
import { isFileLoadingAllowed, normalizePath, type Rolldown } from 'vite'
import { FORMATS } from './audio/formats.ts'
import type { Promised } from './dev/dev-audio.ts'
import { AUDIO_PATH } from './dev/middleware.ts'
import { InvalidNarrationError } from './request/invalid-narration-error.ts'
import { displayName, parseModuleId } from './request/module-id.ts'
import type { Narration } from './narration.ts'
import { parseNarrationRequest } from './request/narration-request.ts'
import { cacheKey, type Script } from './narrator/cache-key.ts'
import type { NarrationOptions } from './options.ts'
import { writeScript } from './script.ts'
import type { Session, Sessions } from './sessions.ts'

/** Loads the modules of narrations: with finished audio in a build, with a promise of it in dev. */
export class Loader {
  readonly #options: NarrationOptions
  readonly #sessions: Sessions
  readonly #promised: Map<string, Promised>

  /** @param promised What dev pages may ask for, by key; it is filled in here. */
  constructor(options: NarrationOptions, sessions: Sessions, promised: Map<string, Promised>) {
    this.#options = options
    this.#sessions = sessions
    this.#promised = promised
  }

  /**
   * The narration that a module id asks for.
   * @throws InvalidNarrationError, ConfigurationError, and in a build the errors of {@link Narrator.narrate}
   */
  async load(context: Rolldown.PluginContext, id: string): Promise<Narration> {
    const { environment } = context
    const session = this.#sessions.of(environment)
    session.texts.set(id, undefined)
    const { file, query } = parseModuleId(id) ?? { file: id, query: '' }
    const request = parseNarrationRequest(file, query)
    const isBuild = environment.mode === 'build'
    if (isBuild) context.addWatchFile(request.file)
    // A dev server may be open to a network: like `?raw`, this must not read what Vite itself would not serve.
    else if (!isFileLoadingAllowed(environment.getTopLevelConfig(), normalizePath(request.file))) {
      throw new InvalidNarrationError('Vite may not serve it: see server.fs.allow and server.fs.deny')
    }
    const script = await writeScript(request, this.#options, session.baseUrl)
    session.texts.set(id, script.text)
    const { type } = FORMATS[script.response_format]
    const made = isBuild ? await build(context, session, id, script) : await this.#promise(context, session, id, script)
    return { ...made, type, text: script.text }
  }

  /** Makes no call: the page is told where the audio will be, and how long it is if it is there already. */
  async #promise(
    { environment }: Rolldown.PluginContext,
    { narrator }: Session,
    id: string,
    script: Script,
  ): Promise<Pick<Narration, 'src' | 'durationSeconds'>> {
    const { base, server, root } = environment.getTopLevelConfig()
    const key = cacheKey(script)
    const promised = this.#promised.get(key) ?? { script, file: shownName(root, id), waiting: new Set<string>() }
    this.#promised.set(key, promised)
    const cached = await narrator.cached(script)
    if (cached === undefined) promised.waiting.add(id)
    return {
      src: `${server.origin ?? ''}${base}${AUDIO_PATH}${key}.${script.response_format}`,
      durationSeconds: cached?.durationSeconds,
    }
  }
}

async function build(
  context: Rolldown.PluginContext,
  { narrator, closed, failed }: Session,
  id: string,
  script: Script,
): Promise<Pick<Narration, 'src' | 'durationSeconds'>> {
  const made = await narrator.narrate(script, { scope: closed, gone: failed }).catch((error: unknown) => {
    if (!failed.aborted || error !== failed.reason) throw error
    return undefined
  })
  // The build has failed elsewhere, and that is the error to be read: this one needs none, and its module no audio.
  if (made === undefined) return { src: '', durationSeconds: undefined }
  const { audio, durationSeconds } = made
  const originalFileName = shownName(context.environment.config.root, id)
  const [file = ''] = originalFileName.split('?', 1)
  const name = `${basename(file, extname(file))}.${script.response_format}`
  const reference = context.emitFile({ type: 'asset', name, originalFileName, source: audio })
  // Vite puts the address here when it renders the chunk: right under any `base`, and in every environment.
  return { src: `__VITE_ASSET__${reference}__`, durationSeconds }
}

/** A module id as the user wrote it, from the site's root. It names the asset in a manifest, one for each variant. */
function shownName(root: string, id: string): string {
  const { file, query } = parseModuleId(id) ?? { file: id, query: '' }
  return displayName(normalizePath(relative(root, file)), query)
}
