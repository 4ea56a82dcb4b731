import { ApiError, mayRepeat, SvcAudioError } from '@svc-audio/core'
import { ofStore, SpeechToolError, type Spent } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'
import type { RunKey, RunScope } from './run-context.ts'

/** Words for the model. */
const WORDS: Readonly<Record<Spent['unit'], string>> = {
  characters: 'characters of speech',
  audioSeconds: 'seconds of transcribed audio',
}

/** Counts and limits the use of each run, and of each user and day. */
export class Budget {
  readonly #unit: Spent['unit']
  readonly #maxPerRun: number | undefined
  readonly #maxPerDay: number | undefined
  readonly #daily: ResolvedOptions['dailyBudget']
  readonly #uses: RunUses

  /** @param uses Shared by the budgets of all units. */
  constructor(unit: Spent['unit'], options: ResolvedOptions, uses: RunUses) {
    const { maxCharactersPerRun, maxAudioSecondsPerRun, dailyBudget } = options
    const isText = unit === 'characters'
    this.#unit = unit
    this.#maxPerRun = isText ? maxCharactersPerRun : maxAudioSecondsPerRun
    this.#daily = dailyBudget
    this.#maxPerDay = isText ? dailyBudget?.maxCharacters : dailyBudget?.maxAudioSeconds
    this.#uses = uses
  }

  /**
   * Takes an amount and sends the request. Returns the amount if the request certainly cost nothing.
   * @throws SpeechToolError `budget_exceeded` or `store_failed` before the request, or the error of the request
   */
  async spend<Result>(scope: RunScope, amount: number, request: () => PromiseLike<Result>): Promise<Result> {
    await this.#take(scope, amount)
    try {
      return await request()
    } catch (error) {
      if (isUnbilled(error)) await this.count(scope, -amount)
      throw error
    }
  }

  /** Counts an amount after the request, negative for one that was not spent in the end. It never fails. */
  async count(scope: RunScope, amount: number): Promise<void> {
    if (amount === 0) return
    this.#use(scope, amount)
    try {
      const day = await this.#addToDay(scope, amount)
      this.#note(scope, 0, day)
    } catch {
      // The result is paid for: a store that cannot count it must not take it away.
    }
  }

  /** What a call has spent. */
  spentBy({ run, spending }: Pick<RunScope, 'run' | 'spending'>): Spent {
    return spending.spent ?? { unit: this.#unit, call: 0, run: this.#uses.of(run)[this.#unit] }
  }

  async #take(scope: RunScope, amount: number): Promise<void> {
    const used = this.#uses.of(scope.run)[this.#unit]
    if (this.#maxPerRun !== undefined && used + amount > this.#maxPerRun) {
      throw exceeded(`In this run you may use ${this.#maxPerRun} ${WORDS[this.#unit]}`, this.#maxPerRun - used)
    }
    // Before the store is asked, so that calls at the same time see it.
    this.#use(scope, amount)
    try {
      await this.#takeOfDay(scope, amount)
    } catch (error) {
      this.#use(scope, -amount)
      throw error
    }
  }

  async #takeOfDay(scope: RunScope, amount: number): Promise<void> {
    const day = await ofStore(() => this.#addToDay(scope, amount))
    if (day === undefined || this.#maxPerDay === undefined || day <= this.#maxPerDay) {
      return this.#note(scope, 0, day)
    }
    await ofStore(() => this.#addToDay(scope, -amount))
    const left = this.#maxPerDay - (day - amount)
    const seconds = Math.ceil((endOfDay().getTime() - Date.now()) / 1000)
    throw exceeded(`This user may use ${this.#maxPerDay} ${WORDS[this.#unit]} a day`, left, seconds)
  }

  /** @returns The total of the user's day; `undefined` without a daily budget of this unit */
  async #addToDay({ access: { user } }: RunScope, amount: number): Promise<number | undefined> {
    if (this.#daily === undefined || this.#maxPerDay === undefined) return undefined
    const expiresAt = endOfDay()
    const date = new Date(expiresAt.getTime() - 1).toISOString().slice(0, 10)
    const owner = user === undefined ? 'all' : `user/${encodeURIComponent(user)}`
    return this.#daily.store.add(`${this.#unit}/${date}/${owner}`, amount, { expiresAt })
  }

  #use(scope: RunScope, amount: number): void {
    this.#uses.of(scope.run)[this.#unit] += amount
    this.#note(scope, amount, scope.spending.spent?.day)
  }

  #note({ run, spending }: RunScope, amount: number, day: number | undefined): void {
    spending.spent = {
      unit: this.#unit,
      call: (spending.spent?.call ?? 0) + amount,
      run: this.#uses.of(run)[this.#unit],
      ...(day === undefined ? {} : { day }),
    }
  }
}

/** Midnight in UTC: the day of every machine. */
function endOfDay(): Date {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + 1))
}

function exceeded(rule: string, left: number, retryAfterSeconds?: number): SpeechToolError {
  const rest = Math.floor(left)
  const message =
    rest <= 0
      ? `${rule}, and none are left. Do not call this tool again: tell the user.`
      : `${rule}, and ${rest} are left. Use less, or tell the user.`
  return new SpeechToolError('budget_exceeded', message, { retryAfterSeconds })
}

/** Statuses of a gateway that lost the answer of the service. */
const UNKNOWN_OUTCOME: ReadonlySet<number> = new Set([502, 504])

/** Errors of a request that was not sent completely. `SpeechToolError` is a store that failed in the middle. */
const NEVER_COMPLETE: ReadonlySet<string> = new Set(['ConfigurationError', 'InvalidRequestError', 'SpeechToolError'])

/**
 * Whether a failed request certainly cost nothing: the service refused it or never got it whole. A lost answer, a
 * deadline and an abort may be billed.
 */
function isUnbilled(error: unknown): boolean {
  if (!SvcAudioError.isInstance(error)) return false
  if (ApiError.isInstance(error)) return !UNKNOWN_OUTCOME.has(error.status)
  return mayRepeat(error) || NEVER_COMPLETE.has(error.name)
}

/** What a run has used so far. */
interface RunUse {
  characters: number
  audioSeconds: number
}

/** Largest number of runs that are counted by id. Runs that are named by objects end with their objects. */
const MAX_RUNS = 10_000

/** The use of each run of this process. */
export class RunUses {
  readonly #byObject = new WeakMap<object, RunUse>()
  readonly #byId = new Map<string, RunUse>()

  /** The use of a run, to read and to add to. All names of a run lead to the same one from now on. */
  of(run: RunKey | undefined): RunUse {
    const keys = namesOf(run)
    const [use = { characters: 0, audioSeconds: 0 }, ...others] = new Set(keys.flatMap((key) => this.#get(key) ?? []))
    // Calls of one run came under separate names until this call has shown that they belong together.
    for (const other of others) {
      use.characters += other.characters
      use.audioSeconds += other.audioSeconds
    }
    for (const key of keys) this.#set(key, use)
    return use
  }

  #get(key: string | object): RunUse | undefined {
    return typeof key === 'string' ? this.#byId.get(key) : this.#byObject.get(key)
  }

  #set(key: string | object, use: RunUse): void {
    if (typeof key !== 'string') return void this.#byObject.set(key, use)
    this.#byId.delete(key)
    this.#byId.set(key, use)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MAX_RUNS && oldest !== undefined) this.#byId.delete(oldest)
  }
}

/** Calls that name no run are one run. */
function namesOf(run: RunKey | undefined): readonly (string | object)[] {
  if (!Array.isArray(run)) return [run ?? '']
  return run.length === 0 ? [''] : run
}
