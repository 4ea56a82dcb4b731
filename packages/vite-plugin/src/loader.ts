import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { isAbsolute, relative } from 'node:path'
import * as vite from 'vite'
import { audioSeconds, extensionOf, mediaType } from './audio/index.ts'
import { sectionsOf } from './captions.ts'
import type { DevNarrations } from './dev/dev-audio.ts'
import { InvalidNarrationError } from './errors.ts'
import { displayName, parseModuleId } from './modules.ts'
import { assetName, finishedModule, type NarrationModule, plannedModule, SILENT } from './narration.ts'
import type { LocalService } from './narrator/narrator.ts'
import type { NarrationOptions } from './options.ts'
import { pageKey } from './script.ts'
import type { Sessions } from './sessions.ts'
import { DEFAULT_FORMAT, type Page, PageReader } from './source/page.ts'

/** Loads narration modules: with placeholders for the audio in a build, with its future address in dev. */
export class Loader {
  readonly #sessions: Sessions
  readonly #narrations: DevNarrations
  readonly #pages: PageReader
  #watcher: vite.FSWatcher | undefined

  /** @param narrations Narrations that dev pages may request. The loader adds to it. */
  constructor(options: NarrationOptions, sessions: Sessions, narrations: DevNarrations, local?: LocalService) {
    this.#sessions = sessions
    this.#narrations = narrations
    this.#pages = new PageReader(options, local)
  }

  /** Watches the sources of a dev server, which itself watches only its root. */
  watchWith(watcher: vite.FSWatcher): void {
    this.#watcher = watcher
  }

  /**
   * The code of a narration module.
   * @throws InvalidNarrationError when the source cannot be narrated
   */
  async load(context: vite.Rolldown.PluginContext, id: string): Promise<string> {
    const { environment } = context
    const { texts, recordings, build } = this.#sessions.of(environment)
    texts.set(id, undefined)
    recordings.delete(id)
    const { file, query } = parseModuleId(id) ?? { file: id, query: '' }
    const isBuild = environment.mode === 'build'
    if (isBuild) context.addWatchFile(file)
    // A dev server may be open to a network: like `?raw`, this must not read what Vite itself would not serve.
    else if (!vite.isFileLoadingAllowed(environment.getTopLevelConfig(), vite.normalizePath(file))) {
      throw new InvalidNarrationError(
        'Vite may not serve it. Add its folder to server.fs.allow, or remove it from server.fs.deny',
      )
      // Not `addWatchFile()`: it would update the module after each edit, also of a code block.
    } else if (isOutside(environment.config.root, file)) this.#watcher?.add(file)
    const page = await this.page(environment, file, query, () =>
      isBuild ? readFileSync(file, 'utf8') : readFile(file, 'utf8'),
    )
    // A build compares no module with what it was.
    if (!isBuild) texts.set(id, signature(page))
    if (page.recording !== undefined) {
      context.addWatchFile(page.recording)
      recordings.set(id, vite.normalizePath(page.recording))
    }
    if (page.script === undefined && page.recording === undefined)
      return finishedModule({ ...factsOf(page), ...SILENT })
    if (!isBuild) return finishedModule(await this.register(environment, page, id))
    const name = assetName(id)
    build.add({ name, shownName: displayName(page.source, query), file, page })
    return plannedModule(name, factsOf(page))
  }

  /** Reads a page, and logs what could not be read of it. @throws InvalidNarrationError */
  async page(
    environment: vite.Environment,
    file: string,
    query: string,
    content: () => string | Promise<string>,
  ): Promise<Page> {
    const source = vite.normalizePath(relative(environment.config.root, file))
    const { notes } = this.#sessions.of(environment).narrator
    const page = await this.#pages.read({ file, query, source }, content, notes)
    for (const problem of page.problems) environment.logger.warn(problem)
    if (page.script === undefined && page.recording === undefined && page.text === '') {
      environment.logger.warn(`${source} has no text besides code and markup, so its narration is empty`)
    }
    return page
  }

  /**
   * A narration in dev. Makes no call: the page gets the address of the audio, and its length if it is cached.
   * @param id Module that is invalidated when the audio exists, so that the next load has the length.
   */
  async register(environment: vite.Environment, page: Page, id?: string): Promise<NarrationModule> {
    const { base, server } = environment.getTopLevelConfig()
    const prefix = `${server.origin ?? ''}${base}`
    const facts = { ...factsOf(page), ...SILENT }
    const { script, recording } = page
    if (recording !== undefined) {
      const audio = await readFile(recording)
      const path = encodeURI(vite.normalizePath(recording)).replace(/[?#]/g, encodeURIComponent)
      const src = `${prefix}@fs/${path.replace(/^\//, '')}`
      return { ...facts, src, durationSeconds: audioSeconds(extensionOf(recording), audio), bytes: audio.byteLength }
    }
    if (script === undefined) return facts
    const cached = await this.#sessions.of(environment).narrator.cached(script)
    const { audio, captions } = this.#narrations.add(script, cached === undefined ? id : undefined)
    const addresses = { src: prefix + audio, captions: prefix + captions }
    if (cached === undefined) return { ...facts, ...addresses }
    const { durationSeconds, bytes, places } = cached
    return {
      ...facts,
      ...addresses,
      durationSeconds,
      bytes,
      sections: sectionsOf(script.segments, places, durationSeconds),
    }
  }

  /**
   * Modules that an edit updates: those of an edited recording; of an edited source, those whose text has changed, so an edit
   * of a code block sends no update for them. `undefined` for other files.
   */
  async updated(
    environment: vite.DevEnvironment,
    { file, type, modules, read }: Pick<vite.HotUpdateOptions, 'file' | 'type' | 'modules' | 'read'>,
  ): Promise<vite.EnvironmentModuleNode[] | undefined> {
    const { texts, recordings } = this.#sessions.find(environment) ?? {}
    const loaded = (ids: readonly string[]): vite.EnvironmentModuleNode[] =>
      ids.flatMap((id) => environment.moduleGraph.getModuleById(id) ?? [])
    const played = [...(recordings ?? [])].flatMap(([id, recording]) => (recording === file ? [id] : []))
    if (played.length > 0) return [...modules, ...loaded(played)]
    const narrations = loaded([...(texts?.keys() ?? [])].filter((id) => parseModuleId(id)?.file === file))
    if (type !== 'update' || narrations.length === 0) return undefined
    const updated = new Set(modules)
    for (const module of narrations) {
      updated.delete(module)
      if (module.id === null || !(await this.#isSame(environment, module.id, read))) updated.add(module)
    }
    return [...updated]
  }

  /** Whether a module would equal its last load: same text, title, language and audio. */
  async #isSame(environment: vite.Environment, id: string, content: () => string | Promise<string>): Promise<boolean> {
    const before = this.#sessions.find(environment)?.texts.get(id)
    const { file, query } = parseModuleId(id) ?? { file: id, query: '' }
    const source = vite.normalizePath(relative(environment.config.root, file))
    try {
      return signature(await this.#pages.read({ file, query, source }, content)) === before
    } catch {
      return false // the load of the module reports the error
    }
  }
}

function isOutside(folder: string, file: string): boolean {
  const path = relative(folder, file)
  return path.startsWith('..') || isAbsolute(path)
}

function factsOf(page: Page): Pick<NarrationModule, 'type' | 'characters' | 'text' | 'title' | 'language' | 'guid'> {
  const { characters, text, title, language, guid, script, recording } = page
  // A page without audio has the type of the default format.
  const type = mediaType(recording === undefined ? (script?.format ?? DEFAULT_FORMAT) : extensionOf(recording))
  return { type, characters, text, title, language, guid }
}

/** Everything that shapes the module of a page or its audio. */
function signature({ script, recording, text, title, language, guid }: Page): string {
  return JSON.stringify([script === undefined ? '' : pageKey(script), recording, text, title, language, guid])
}
