import { hash } from 'node:crypto'
import { constants, copyFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join, relative } from 'node:path'
import type { Environment, Rolldown } from 'vite'
import { audioSeconds, extensionOf } from '../audio/index.ts'
import { captionsOf, sectionsOf } from '../captions.ts'
import { exitCodeOf, formatError, noteExitCode } from '../errors.ts'
import { assetsIn, fillPlaceholders, type LateFields, SILENT } from '../narration.ts'
import type { Narrator } from '../narrator/narrator.ts'
import { type NarrationOptions, reportPath } from '../options.ts'
import { Collector } from './collect.ts'
import { BuildCosts } from './costs.ts'
import { narrateAll, type Outcome, pageName, type PendingAsset, PlanError } from './narrate-all.ts'
import { clearPainted, outputOf } from './output.ts'
import type { ReportRow } from './report.ts'

export type { PendingAsset } from './narrate-all.ts'

/** Maximum pages read in parallel with `emit: 'copy'`. Each holds some megabytes of audio. */
const COPY_READERS = 4
/** Maximum pages read in parallel with `emit: 'bundle'`. The bundler holds their audio anyway. */
const READERS = 32

/** What the builds of one plugin share: the costs, and the collection of stale entries. */
export class Builds {
  readonly #options: NarrationOptions
  readonly #costs: BuildCosts
  readonly #collector: Collector = new Collector()

  constructor(options: NarrationOptions) {
    this.#options = options
    this.#costs = new BuildCosts(options)
  }

  /** Opens the build of an environment. */
  open(environment: Environment, narrator: Narrator): BuildRun {
    const run = new BuildRun(narrator, this.#options, this.#collector, this.#costs)
    narrator.onRepeat = (fault) => this.#costs.repeated(fault)
    if (environment.mode === 'build') run.begin(environment)
    return run
  }

  /** The build of an environment has ended. The last one prints the table. */
  end(environment: Environment): void {
    this.#costs.end(environment)
  }

  /** Whether this build, or the one that has just ended, made calls. */
  get hasCalled(): boolean {
    return this.#costs.hasCalled
  }

  /** Removes stale entries after a build that omits environments. */
  collect(): Promise<void> {
    return this.#collector.collect()
  }
}

/**
 * The narrations of one environment's build. Loading a module adds an asset. Audio is made when all chunks are rendered:
 * all characters are counted before the first call, and unused narrations cost no call.
 */
export class BuildRun {
  readonly #narrator: Narrator
  readonly #options: NarrationOptions
  readonly #collector: Collector
  readonly #costs: BuildCosts
  readonly #assets = new Map<string, PendingAsset>()
  /** Plans of HTML entries. No chunk refers to them. */
  readonly #always = new Set<string>()
  readonly #late = new Map<string, LateFields>()
  /** Files that replace their stand-ins in the bundle, by their names there. */
  readonly #copies = new Map<string, string>()
  #making: Promise<void> | undefined

  constructor(narrator: Narrator, options: NarrationOptions, collector: Collector, costs: BuildCosts) {
    this.#narrator = narrator
    this.#costs = costs
    this.#options = options
    this.#collector = collector
  }

  /** Starts an output. Assets belong to one output. */
  begin(environment: Environment): void {
    const config = environment.getTopLevelConfig()
    noteExitCode(undefined)
    this.#costs.begin(environment, { ...outputOf(config), report: reportPath(this.#options, config) })
    this.#late.clear()
    this.#copies.clear()
    this.#making = undefined
  }

  /** Adds an asset. A watched build still has the assets of unchanged modules. */
  add(asset: PendingAsset, isAlways = false): void {
    this.#assets.set(asset.name, asset)
    if (isAlways) this.#always.add(asset.name)
  }

  /**
   * Fills the placeholders in code.
   * @param all Code of all chunks: their narrations are made at the first call.
   * @returns `undefined` for code without placeholders
   */
  async fill(context: Rolldown.PluginContext, code: string, all: () => Iterable<string>): Promise<string | undefined> {
    const used = assetsIn(code)
    if (used.size === 0) return undefined
    await this.make(context, all)
    // Another plugin may have added placeholders to the chunk since.
    const late = [...used].filter((name) => !this.#late.has(name))
    if (late.length > 0) await this.#make(context, late)
    return this.filled(code)
  }

  /** Code or a page with the values of its placeholders. They are empty before the audio exists. */
  filled(code: string): string {
    return fillPlaceholders(code, (name) => this.#late.get(name) ?? SILENT)
  }

  /**
   * Makes the audio, once for each output.
   * @param all Code of all chunks.
   */
  make(context: Rolldown.PluginContext, all: () => Iterable<string>): Promise<void> {
    this.#making ??= this.#make(context, [...this.#always, ...[...all()].flatMap((code) => Array.from(assetsIn(code)))])
    return this.#making
  }

  /**
   * The bundle is written: replaces the stand-ins by the audio, and removes stale entries from the cache, if the options say
   * so.
   * @param folder Output folder; `undefined` for a bundle that has none.
   * @param bundle The written files. A server's build has no assets.
   */
  async written(environment: Environment, folder: string | undefined, bundle: object): Promise<void> {
    for (const [fileName, from] of folder === undefined ? [] : this.#copies) {
      // A clone where the file system supports it. Never a link: a change to the built site must not change the cache.
      if (fileName in bundle) copyFileSync(from, join(folder ?? '', fileName), constants.COPYFILE_FICLONE)
    }
    const { collect = false, mode } = this.#options
    if (!collect || mode === 'dry-run' || environment.config.build.watch !== null) return
    await this.#collector.written({ environment, cache: this.#narrator.cache, assets: this.#assets })
  }

  async #make(context: Rolldown.PluginContext, names: readonly string[]): Promise<void> {
    const assets = [...new Set(names)].flatMap((name) => this.#assets.get(name) ?? [])
    const { mode, onFailure } = this.#options
    const { config } = context.environment
    const { logger } = context.environment.getTopLevelConfig()
    // A build that writes no files has no stand-in to replace.
    const isCopied = config.build.write && this.#options.emit !== 'bundle'
    const recordings: ReportRow[] = []
    const take = async (outcome: Outcome): Promise<void> => {
      const { asset, warning, row } = outcome
      if (warning !== undefined) {
        clearPainted()
        const remains = row.state === 'stale' ? 'its last audio is used' : 'it has no audio'
        logger.warn(`${formatError(warning, asset.page.source)}; ${remains}`)
      }
      this.#late.set(asset.name, this.#emit(context, outcome, isCopied))
    }
    try {
      for (const asset of assets) {
        if (asset.page.recording === undefined) continue
        const fields = await this.#emitRecording(context, asset, asset.page.recording, isCopied)
        this.#late.set(asset.name, fields)
        const { durationSeconds, bytes } = fields
        recordings.push({
          source: pageName(asset),
          state: 'recording',
          durationSeconds,
          bytes,
          calls: 0,
          characters: 0,
        })
      }
      const options = { narrator: this.#narrator, mode, onFailure, costs: this.#costs, take }
      const rows = await narrateAll(assets, { ...options, readers: isCopied ? COPY_READERS : READERS })
      this.#costs.add([...recordings, ...rows])
    } catch (error) {
      this.#costs.fail()
      noteExitCode(exitCodeOf(error instanceof PlanError ? error.cause : error))
      if (!(error instanceof PlanError)) throw error
      // `this.error` keeps the id of the module; a bare throw would lose it.
      const { file } = error.asset
      context.error({ id: file, message: formatError(error.cause, relative(config.root, file)) })
    }
  }

  /** Adds a narration to the bundle, with its captions. */
  #emit(context: Rolldown.PluginContext, { asset, page, segments }: Outcome, isCopied: boolean): LateFields {
    const { script, language } = asset.page
    if (page === undefined || script === undefined) return SILENT
    const { audio, bytes, durationSeconds, places, sha256, key } = page
    const from = isCopied ? this.#narrator.cache.path(key, script.format) : undefined
    return {
      src: this.#emitAudio(context, asset, script.format, { audio, sha256: () => sha256, from }),
      captions: assetUrl(emitAsset(context, asset, 'vtt', captionsOf(segments, places, language))),
      durationSeconds,
      bytes,
      sections: sectionsOf(segments, places, durationSeconds),
    }
  }

  /** Adds a recording to the bundle. @throws PlanError for a file that cannot be read */
  async #emitRecording(
    context: Rolldown.PluginContext,
    asset: PendingAsset,
    recording: string,
    isCopied: boolean,
  ): Promise<LateFields> {
    const audio = await readFile(recording).catch((error: unknown) => {
      throw new PlanError(asset, error)
    })
    const extension = extensionOf(recording)
    const source = { audio: () => audio, sha256: () => hash('sha256', audio), from: isCopied ? recording : undefined }
    return {
      ...SILENT,
      src: this.#emitAudio(context, asset, extension, source),
      bytes: audio.byteLength,
      durationSeconds: audioSeconds(extension, audio),
    }
  }

  /**
   * Adds audio to the bundle. With `from`, the hash of the audio stands in for it until the bundle is written: the address
   * still changes with it, and the bundler holds no audio.
   */
  #emitAudio(
    context: Rolldown.PluginContext,
    asset: PendingAsset,
    extension: string,
    source: { readonly audio: () => Uint8Array; readonly sha256: () => string; readonly from: string | undefined },
  ): string {
    const { audio, sha256, from } = source
    const reference = emitAsset(context, asset, extension, from === undefined ? audio() : `${sha256()}\n`)
    if (from !== undefined) this.#copies.set(context.getFileName(reference), from)
    return assetUrl(reference)
  }
}

function emitAsset(
  context: Rolldown.PluginContext,
  { shownName }: PendingAsset,
  extension: string,
  source: Uint8Array | string,
): string {
  const [file = ''] = shownName.split('?', 1)
  const name = `${basename(file, extname(file))}.${extension}`
  const originalFileName = extension === 'vtt' ? `${shownName}#captions` : shownName
  return context.emitFile({ type: 'asset', name, originalFileName, source })
}

/** Vite replaces this when it renders the chunk, with the address for `base` and the environment. */
function assetUrl(reference: string): string {
  return `__VITE_ASSET__${reference}__`
}
