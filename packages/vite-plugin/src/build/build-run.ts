import { relative } from 'node:path'
import type { Environment, Rolldown } from 'vite'
import { formatError } from '../format-error.ts'
import type { Narrator } from '../narrator/narrator.ts'
import { reportPath } from '../settings.ts'
import type { NarrationOptions } from '../options.ts'
import type { BuildCosts } from './build-costs.ts'
import { type Copy, emitNarration, emitRecording, type LateFields, SILENT } from './emit.ts'
import type { Collector } from './collect.ts'
import { type Outcome, narrateAll, pageName, PlanError } from './narrate-all.ts'
import { fillPlaceholders, inString, plansIn } from './placeholders.ts'
import type { PendingAsset } from './pending-asset.ts'
import type { ReportRow } from './report.ts'
import { sayTo } from './say.ts'

/** Maximum pages read in parallel with `emit: 'copy'`. Each holds some megabytes of audio. */
const COPY_READERS = 4
/** Maximum pages read in parallel with `emit: 'bundle'`. The bundler holds their audio anyway. */
const READERS = 32

/**
 * The narrations of one environment's build. Loading a module adds an asset. Audio is made when all chunks are rendered:
 * all characters are counted before the first call, and unused narrations cost no call.
 */
export class BuildRun {
  /** Input of {@link copyAudio}. */
  readonly copies: Copy[] = []
  readonly #narrator: Narrator
  readonly #options: NarrationOptions
  readonly #collector: Collector
  readonly #costs: BuildCosts
  readonly #assets = new Map<string, PendingAsset>()
  /** Plans of HTML entries. No chunk refers to them. */
  readonly #always = new Set<string>()
  readonly #late = new Map<string, LateFields>()
  #making: Promise<void> | undefined

  constructor(narrator: Narrator, options: NarrationOptions, collector: Collector, costs: BuildCosts) {
    this.#narrator = narrator
    this.#costs = costs
    this.#options = options
    this.#collector = collector
  }

  /** Adds an asset. A watched build still has the assets of unchanged modules. */
  add(asset: PendingAsset, isAlways = false): void {
    this.#assets.set(asset.name, asset)
    if (isAlways) this.#always.add(asset.name)
  }

  /** The fields of a narration, empty before its audio exists. */
  late(asset: string): LateFields {
    return this.#late.get(asset) ?? SILENT
  }

  /** Starts an output. Assets belong to one output. */
  begin(environment: Environment): void {
    const config = environment.getTopLevelConfig()
    this.#costs.begin(environment, sayTo(config), reportPath(this.#options, config))
    this.#late.clear()
    this.copies.splice(0)
    this.#making = undefined
  }

  /** Fills the placeholders in code or in a page. */
  async fill(context: Rolldown.PluginContext, code: string, all: () => Iterable<string>): Promise<string | undefined> {
    const used = plansIn(code)
    if (used.size === 0) return undefined
    await this.make(context, all)
    // Another plugin may have added placeholders to the chunk since.
    const late = [...used].filter((name) => !this.#late.has(name))
    if (late.length > 0) await this.#make(context, late)
    return fillPlaceholders(code, (name, field) => {
      const value = this.late(name)[field]
      return typeof value === 'string' ? value : inString(value)
    })
  }

  /**
   * Makes the audio, once for each output.
   * @param all Code of all chunks.
   */
  make(context: Rolldown.PluginContext, all: () => Iterable<string>): Promise<void> {
    this.#making ??= this.#make(context, [...this.#always, ...[...all()].flatMap((code) => Array.from(plansIn(code)))])
    return this.#making
  }

  /** Removes stale entries from the cache, if the options say so. */
  async collect(environment: Environment): Promise<void> {
    const { collect = false, mode } = this.#options
    if (!collect || mode === 'dry-run' || environment.config.build.watch !== null) return
    await this.#collector.written({ environment, cache: this.#narrator.store.cache, assets: this.#assets })
  }

  async #make(context: Rolldown.PluginContext, names: readonly string[]): Promise<void> {
    const assets = [...new Set(names)].flatMap((name) => this.#assets.get(name) ?? [])
    const { mode, onFailure } = this.#options
    const { logger } = context.environment.getTopLevelConfig()
    // A build that writes no files has no stand-in to replace.
    const emit = context.environment.config.build.write ? (this.#options.emit ?? 'copy') : 'bundle'
    const narrator = this.#narrator
    const recordings: ReportRow[] = []
    const take = async (outcome: Outcome): Promise<void> => {
      const { asset, warning, row } = outcome
      if (warning !== undefined)
        logger.warn(
          `${formatError(warning, asset.page.source)}; ${row.state === 'stale' ? 'its last audio is used' : 'it has no audio'}`,
        )
      this.#late.set(asset.name, emitNarration(context, outcome, emit, narrator.store.cache, this.copies))
    }
    try {
      for (const asset of assets.filter(({ page }) => page.recording !== undefined)) {
        const fields = await emitRecording(context, asset, emit, this.copies).catch((error: unknown) => {
          throw new PlanError(asset, error)
        })
        this.#late.set(asset.name, fields)
        recordings.push(recordingRow(asset, fields))
      }
      const readers = emit === 'copy' ? COPY_READERS : READERS
      const rows = await narrateAll(assets, { narrator, mode, onFailure, costs: this.#costs, readers, take })
      this.#costs.add([...recordings, ...rows])
    } catch (error) {
      this.#costs.fail()
      if (!(error instanceof PlanError)) throw error
      // `this.error` keeps the id of the module; a bare throw would lose it.
      const file = relative(context.environment.config.root, error.asset.file)
      context.error({ id: error.asset.file, message: formatError(error.cause, file) })
    }
  }
}

function recordingRow(asset: PendingAsset, { durationSeconds, bytes }: LateFields): ReportRow {
  return { source: pageName(asset), state: 'recording', durationSeconds, bytes, calls: 0, characters: 0 }
}
