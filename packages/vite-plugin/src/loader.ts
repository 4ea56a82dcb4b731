import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import * as vite from 'vite'
import { recordingSeconds } from './build/emit.ts'
import { assetName, finishedModule, type NarrationModule, plannedModule } from './build/placeholders.ts'
import type { PendingAsset } from './build/pending-asset.ts'
import { captionsPath, audioPath } from './dev/paths.ts'
import type { DevNarrations } from './dev/dev-narrations.ts'
import { sectionsOf } from './captions/captions.ts'
import { mediaType } from './media-type.ts'
import { pageKey } from './narrator/script.ts'
import type { NarrationOptions } from './options.ts'
import { InvalidNarrationError } from './request/invalid-narration-error.ts'
import { displayName, parseModuleId } from './request/module-id.ts'
import type { Sessions } from './sessions.ts'
import { type Page, PageReader } from './source/read-page.ts'

/** Loads narration modules: with placeholders for the audio in a build, with its future address in dev. */
export class Loader {
  readonly #sessions: Sessions
  readonly #narrations: DevNarrations
  readonly pages: PageReader

  /** @param narrations Narrations that dev pages may request. The loader adds to it. */
  constructor(options: NarrationOptions, sessions: Sessions, narrations: DevNarrations) {
    this.#sessions = sessions
    this.#narrations = narrations
    this.pages = new PageReader(options)
  }

  /**
   * The code of a narration module.
   * @throws InvalidNarrationError when the source cannot be narrated
   */
  async load(context: vite.Rolldown.PluginContext, id: string): Promise<string> {
    const { environment } = context
    const { texts, recordings, build, narrator } = this.#sessions.of(environment)
    texts.set(id, undefined)
    recordings.delete(id)
    const { file, query } = parseModuleId(id) ?? { file: id, query: '' }
    const { root } = environment.config
    const request = this.pages.request(file, query)
    const isBuild = environment.mode === 'build'
    if (isBuild) context.addWatchFile(file)
    // A dev server may be open to a network: like `?raw`, this must not read what Vite itself would not serve.
    else if (!vite.isFileLoadingAllowed(environment.getTopLevelConfig(), vite.normalizePath(file))) {
      throw new InvalidNarrationError(
        'Vite may not serve it. Add its folder to server.fs.allow, or remove it from server.fs.deny',
      )
    }
    const source = vite.normalizePath(relative(root, file))
    const page = await this.pages.read(
      request,
      isBuild ? readFileSync(file, 'utf8') : await readFile(file, 'utf8'),
      source,
      narrator.notes,
    )
    // A build compares no module with what it was.
    if (!isBuild) texts.set(id, signature(page))
    warnOf(environment, page)
    if (page.script === undefined && page.recording === undefined) {
      return finishedModule({
        ...factsOf(page),
        src: '',
        captions: '',
        durationSeconds: undefined,
        bytes: undefined,
        sections: [],
      })
    }
    if (page.recording !== undefined) {
      context.addWatchFile(page.recording)
      recordings.set(id, vite.normalizePath(page.recording))
    }
    if (!isBuild) return finishedModule(await this.register(environment, page, id))
    const asset: PendingAsset = { name: assetName(id), shownName: displayName(source, query), file, page }
    build.add(asset)
    return plannedModule(asset.name, factsOf(page))
  }

  /** Whether a module would equal its last load: same text, title, language and audio. */
  async isSame(environment: vite.Environment, id: string, content: string): Promise<boolean> {
    const before = this.#sessions.find(environment)?.texts.get(id)
    const { file, query } = parseModuleId(id) ?? { file: id, query: '' }
    try {
      const source = vite.normalizePath(relative(environment.config.root, file))
      return signature(await this.pages.read(this.pages.request(file, query), content, source)) === before
    } catch {
      return false // the load of the module reports the error
    }
  }

  /**
   * A narration in dev. Makes no call: the page gets the address of the audio, and its length if it is cached.
   * @param id Module that is invalidated when the audio exists, so that the next load has the length.
   */
  async register(environment: vite.Environment, page: Page, id?: string): Promise<NarrationModule> {
    const { base, server } = environment.getTopLevelConfig()
    const prefix = `${server.origin ?? ''}${base}`
    const facts = factsOf(page)
    if (page.recording !== undefined) {
      const audio = await readFile(page.recording)
      const extension = page.recording.replace(/^.*\./s, '').toLowerCase()
      const path = encodeURI(vite.normalizePath(page.recording)).replace(/[?#]/g, encodeURIComponent)
      const src = `${prefix}@fs/${path.replace(/^\//, '')}`
      const durationSeconds = recordingSeconds(extension, audio)
      return { ...facts, src, captions: '', durationSeconds, bytes: audio.byteLength, sections: [] }
    }
    const { script } = page
    if (script === undefined) {
      return { ...facts, src: '', captions: '', durationSeconds: undefined, bytes: undefined, sections: [] }
    }
    const { key, waiting } = this.#narrations.narration(script)
    const cached = await this.#sessions.of(environment).narrator.cached(script)
    if (cached === undefined && id !== undefined) waiting.add(id)
    return {
      ...facts,
      src: prefix + audioPath(key, script.format),
      captions: prefix + captionsPath(key),
      durationSeconds: cached?.durationSeconds,
      bytes: cached?.bytes,
      sections: cached === undefined ? [] : sectionsOf(script.segments, cached.places, cached.durationSeconds),
    }
  }
}

/** Logs what could not be read of a page, and that a page has no speakable text. */
export function warnOf({ logger }: vite.Environment, { problems, script, recording, text, source }: Page): void {
  for (const problem of problems) logger.warn(problem)
  if (script !== undefined || recording !== undefined || text !== '') return
  logger.warn(`${source} has no text besides code and markup, so its narration is empty`)
}

function factsOf(page: Page): Pick<NarrationModule, 'type' | 'characters' | 'text' | 'title' | 'language'> {
  const { characters, text, title, language } = page
  return { type: mediaType(page), characters, text, title, language }
}

/** Everything that shapes the module of a page or its audio. */
function signature({ script, recording, text, title, language }: Page): string {
  return JSON.stringify([script === undefined ? '' : pageKey(script), recording, text, title, language])
}
