import { relative } from 'node:path'
import type { Environment, Rolldown } from 'vite'
import { explain } from '../explain.ts'
import type { Narrator } from '../narrator/narrator.ts'
import type { NarrationOptions } from '../options.ts'
import { type Copy, emitNarration, emitRecording, type LateFields, SILENT } from './emit.ts'
import type { Collector } from './collect.ts'
import { type Outcome, narrateAll, pageName, PlanError } from './narrate-all.ts'
import { fillPlaceholders, inString, plansIn } from './placeholders.ts'
import type { Plan } from './plan.ts'
import { reportLines, type ReportRow } from './report.ts'

/** Maximum pages read in parallel with `emit: 'copy'`. Each holds some megabytes of audio. */
const COPY_READERS = 4
/** Maximum pages read in parallel with `emit: 'bundle'`. The bundler holds their audio anyway. */
const READERS = 32

/**
 * The narrations of one environment's build. Loading a module adds a plan. Audio is made when all chunks are rendered:
 * all characters are counted before the first call, and unused narrations cost no call.
 */
export class BuildRun {
  /** Input of {@link copyAudio}. */
  readonly copies: Copy[] = []
  readonly #narrator: Narrator
  readonly #options: NarrationOptions
  readonly #collector: Collector
  readonly #plans = new Map<string, Plan>()
  /** Plans of HTML entries. No chunk refers to them. */
  readonly #always = new Set<string>()
  readonly #late = new Map<string, LateFields>()
  #making: Promise<void> | undefined

  constructor(narrator: Narrator, options: NarrationOptions, collector: Collector) {
    this.#narrator = narrator
    this.#options = options
    this.#collector = collector
  }

  /** Adds a plan. A watched build still has the plans of unchanged modules. */
  add(plan: Plan, isAlways = false): void {
    this.#plans.set(plan.name, plan)
    if (isAlways) this.#always.add(plan.name)
  }

  /** The fields of a narration, empty before its audio exists. */
  late(plan: string): LateFields {
    return this.#late.get(plan) ?? SILENT
  }

  /** Starts an output. Assets belong to one output. */
  begin(): void {
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
    await this.#collector.written({ environment, cache: this.#narrator.store.cache, plans: this.#plans })
  }

  async #make(context: Rolldown.PluginContext, names: readonly string[]): Promise<void> {
    const plans = [...new Set(names)].flatMap((name) => this.#plans.get(name) ?? [])
    const { mode, maxCharacters, onFailure } = this.#options
    const { logger } = context.environment.getTopLevelConfig()
    // A build that writes no files has no stand-in to replace.
    const emit = context.environment.config.build.write ? (this.#options.emit ?? 'copy') : 'bundle'
    const narrator = this.#narrator
    const recordings: ReportRow[] = []
    const take = async (outcome: Outcome): Promise<void> => {
      const { plan, warning, row } = outcome
      if (warning !== undefined)
        logger.warn(
          `${explain(warning, plan.page.source)}; ${row.state === 'stale' ? 'its last audio is used' : 'it has no audio'}`,
        )
      this.#late.set(plan.name, emitNarration(context, outcome, emit, narrator.store.cache, this.copies))
    }
    try {
      for (const plan of plans.filter(({ page }) => page.recording !== undefined)) {
        const fields = await emitRecording(context, plan, emit, this.copies).catch((error: unknown) => {
          throw new PlanError(plan, error)
        })
        this.#late.set(plan.name, fields)
        recordings.push(recordingRow(plan, fields))
      }
      const readers = emit === 'copy' ? COPY_READERS : READERS
      const say = (line: string): void => logger.info(line)
      const rows = await narrateAll(plans, { narrator, mode, maxCharacters, onFailure, say, readers, take })
      tell(context.environment, [...recordings, ...rows], this.#options.pricePerMillion)
    } catch (error) {
      if (!(error instanceof PlanError)) throw error
      // `this.error` keeps the id of the module; a bare throw would lose it.
      const file = relative(context.environment.config.root, error.plan.file)
      context.error({ id: error.plan.file, message: explain(error.cause, file) })
    }
  }
}

/** Prints the closing table. A build of several environments prints each page once. */
function tell(environment: Environment, rows: readonly ReportRow[], pricePerMillion: number | undefined): void {
  const config = environment.getTopLevelConfig()
  const told = TOLD.get(config) ?? new Set<string>()
  TOLD.set(config, told)
  const fresh = rows.filter((row) => row.calls > 0 || !told.has(row.source))
  for (const row of rows) told.add(row.source)
  if (fresh.length === 0) return
  const sorted = fresh.toSorted((a, b) => (a.source < b.source ? -1 : 1))
  for (const line of reportLines(sorted, pricePerMillion)) config.logger.info(line)
}

const TOLD = new WeakMap<object, Set<string>>()

function recordingRow(plan: Plan, { durationSeconds, bytes }: LateFields): ReportRow {
  return { source: pageName(plan), state: 'recording', durationSeconds, bytes, calls: 0, characters: 0 }
}
