import { CostRefusedError } from '../errors.ts'
import type { NarrationMode } from '../narrator/narrator.ts'
import type { Output, Paint, Say } from './output.ts'
import { type Calls, costOf, count, number, reportLines, type ReportRow, totalOf, writeReport } from './report.ts'

/** Characters from which a build without `maxCharacters` makes no call: about an hour of speech. */
export const UNASKED_CHARACTERS = 50_000
/** Interval of progress lines, in milliseconds. */
const PROGRESS_MS = 5000
/** Interval of a progress line that replaces itself, in milliseconds. */
const PAINT_MS = 1000

/** Time without an answer that a progress line tells, in milliseconds. */
const SILENCE_MS = 30_000

/** Options of {@link BuildCosts}. */
export interface BuildCostsOptions {
  readonly maxCharacters?: number | undefined
  readonly pricePerMillion?: number | undefined
  /** A service of this machine takes only time. */
  readonly service?: 'local' | undefined
  readonly mode?: NarrationMode | undefined
}

/**
 * What a build costs, over all its environments: some frameworks build the client and the server at the same time, others
 * one after the other. Each call is announced, limited and listed once.
 */
export class BuildCosts {
  readonly #options: BuildCostsOptions
  readonly #running = new Set<object>()
  /** Characters of each planned call, by its key. */
  readonly #planned = new Map<string, number>()
  readonly #rows = new Map<string, ReportRow>()
  /** Pages of earlier tables, by what they said. A page without calls is listed once, and so is a page of a dry run. */
  readonly #told = new Map<string, string>()
  /** Repeated calls, by what went wrong. */
  readonly #repeated = new Map<string, number>()
  #progress: Progress | undefined
  #hasCalled = false
  #say: Say = () => undefined
  #paint: Paint | undefined
  #report: string | undefined

  constructor(options: BuildCostsOptions) {
    this.#options = options
  }

  /** An environment begins. The last one writes the file `report`: see the option. */
  begin(
    environment: object,
    { say, paint, report }: Pick<Output, 'say'> & Partial<Output> & { readonly report?: string | undefined },
  ): void {
    if (this.#running.size === 0) this.#hasCalled = false
    this.#running.add(environment)
    this.#say = say
    this.#paint = paint
    this.#report = report
  }

  /**
   * Plans calls. Calls that another environment has planned do not count again.
   * @param missing Characters of each missing segment, by its key.
   * @param mayCall Whether the calls will be made. They are announced then.
   * @throws CostRefusedError when the build would send more than `maxCharacters`, or very much without it
   */
  plan(missing: ReadonlyMap<string, number>, mayCall: boolean): void {
    const fresh = new Map([...missing].filter(([key]) => !this.#planned.has(key)))
    this.planDry(fresh)
    const all = totalOf(this.#planned)
    const { maxCharacters, service } = this.#options
    const size = `${all.characters} characters in ${number(all.calls)} calls${this.#price(all)}`
    if (maxCharacters !== undefined && all.characters > maxCharacters) {
      throw new CostRefusedError(
        `maxCharacters is ${maxCharacters}, and this build would send ${size}: ` +
          "raise it, or list the characters of each page with mode: 'dry-run'",
      )
    }
    if (!mayCall) return
    if (maxCharacters === undefined && service === undefined && all.characters > UNASKED_CHARACTERS) {
      throw new CostRefusedError(
        `maxCharacters is missing, and this build would send ${size}: ` +
          `a build over ${number(UNASKED_CHARACTERS)} characters needs narration({ maxCharacters }). ` +
          "List the characters of each page with mode: 'dry-run'",
      )
    }
    if (fresh.size === 0) return
    this.#hasCalled = true
    this.#progress ??= new Progress((line) => this.#say(line, true), this.#paint)
    const total = totalOf(fresh)
    this.#progress.announce(total, this.#price(total))
  }

  /** Whether this build, or the one that has just ended, made calls. */
  get hasCalled(): boolean {
    return this.#hasCalled
  }

  /** Plans the calls of a dry run, which makes none. */
  planDry(missing: ReadonlyMap<string, number>): void {
    for (const [key, characters] of missing) this.#planned.set(key, characters)
  }

  /** Counts a finished call. */
  done(characters: number): void {
    this.#progress?.done(characters)
  }

  /** Adds the pages of an environment to the table. */
  add(rows: readonly ReportRow[]): void {
    for (const row of rows) {
      const before = this.#rows.get(row.source)
      this.#rows.set(row.source, before === undefined ? row : merged(before, row))
    }
  }

  /** The build fails: prints what it has cost. */
  fail(): void {
    this.#tellRepeated()
    this.#progress?.stop()
    this.#progress = undefined
    this.#rows.clear()
  }

  /** An environment ends. The last one prints the table. */
  end(environment: object): void {
    if (!this.#running.delete(environment) || this.#running.size > 0) return
    this.#progress?.end()
    this.#progress = undefined
    const all = [...this.#rows.values()].toSorted((a, b) => (a.source < b.source ? -1 : 1))
    if (this.#report !== undefined && all.length > 0) writeReport(this.#report, all)
    const isDry = this.#options.mode === 'dry-run'
    const rows = all.filter((row) => (row.calls > 0 && !isDry) || this.#told.get(row.source) !== toldOf(row))
    for (const row of rows) this.#told.set(row.source, toldOf(row))
    const total = rows.some(({ state }) => state === 'planned') ? totalOf(this.#planned) : undefined
    this.#rows.clear()
    this.#planned.clear()
    this.#tellRepeated()
    if (rows.length === 0) return
    const isCost = isDry || rows.some(({ calls }) => calls > 0)
    for (const line of reportLines(rows, this.#options.pricePerMillion, total)) this.#say(line, isCost)
  }

  /** Counts a call that is repeated. @param fault Name of the error. */
  repeated(fault: string): void {
    this.#repeated.set(fault, (this.#repeated.get(fault) ?? 0) + 1)
  }

  /** Tells which calls were repeated, and why. */
  #tellRepeated(): void {
    if (this.#repeated.size === 0) return
    const all = [...this.#repeated.values()].reduce((sum, one) => sum + one, 0)
    const faults = [...this.#repeated].map(([fault, times]) => `${number(times)} ${faultText(fault)}`)
    this.#repeated.clear()
    this.#say(`narration: ${count(all, 'call was', 'calls were')} repeated: ${faults.join(', ')}`, true)
  }

  #price({ characters }: Calls): string {
    const { pricePerMillion } = this.#options
    return pricePerMillion === undefined ? '' : `, cost ${costOf(characters, pricePerMillion)}`
  }
}

/** What a table says of a page, apart from its audio. */
function toldOf({ calls, characters }: ReportRow): string {
  return calls === 0 ? '' : `${calls} ${characters}`
}

/** What went wrong with a call, in a few words. */
function faultText(fault: string): string {
  if (fault.startsWith('ConnectionError')) return 'after a broken connection'
  if (fault.startsWith('TimeoutError')) return 'without an answer'
  return `after ${fault.replace(/^ApiError ?/, '') || 'an error'} of the service`
}

/** A page of two environments. Each call was made for one of them. A dry run plans the same calls for both. */
function merged(one: ReportRow, other: ReportRow): ReportRow {
  const [costly, cheap] = one.calls >= other.calls ? [one, other] : [other, one]
  if (costly.state === 'planned') return costly
  return { ...costly, calls: costly.calls + cheap.calls, characters: costly.characters + cheap.characters }
}

/** Shows the progress of a build's calls: in one line that replaces itself, or in a line every few seconds. */
class Progress {
  readonly #say: (line: string) => void
  readonly #paint: Paint | undefined
  readonly #timer: NodeJS.Timeout
  readonly #all = { calls: 0, characters: 0 }
  readonly #done = { calls: 0, characters: 0 }
  #silent = 0

  constructor(say: (line: string) => void, paint: Paint | undefined) {
    this.#say = say
    this.#paint = paint
    const show = paint ?? say
    const interval = paint === undefined ? PROGRESS_MS : PAINT_MS
    this.#timer = setInterval(() => {
      // Between two environments nothing is in flight, and Vite shows lines of its own.
      const isIdle = this.#done.calls === this.#all.calls
      if (isIdle && paint !== undefined) return
      this.#silent = isIdle ? 0 : this.#silent + interval
      const waiting = this.#silent < SILENCE_MS ? '' : `. No answer for ${number(this.#silent / 1000)} s`
      show(`narration: ${this.#state}${waiting}`)
    }, interval)
    this.#timer.unref()
  }

  /** Prints planned calls with their price, and adds them to the total. */
  announce({ calls, characters }: Calls, price: string): void {
    this.#all.calls += calls
    this.#all.characters += characters
    this.#say(`narration: ${count(calls, 'call')} to make, ${count(characters, 'character')}${price}`)
  }

  done(characters: number): void {
    this.#silent = 0
    this.#done.calls += 1
    this.#done.characters += characters
    if (this.#done.calls === this.#all.calls) this.#paint?.('')
  }

  end(): void {
    clearInterval(this.#timer)
    this.#paint?.('')
  }

  /** Ends before all calls are made. Prints those that are paid for. */
  stop(): void {
    this.end()
    if (this.#done.calls > 0) this.#say(`narration: stopped after ${this.#state}. The cache has their audio`)
  }

  get #state(): string {
    const calls = `${number(this.#done.calls)} of ${count(this.#all.calls, 'call')}`
    return `${calls}, ${number(this.#done.characters)} of ${count(this.#all.characters, 'character')}`
  }
}
