import { isUnbilled } from '../errors/is-unbilled.ts'
import { SpeechToolError } from '../errors/speech-tool-error.ts'

/** Largest number of runs that are counted by id. */
const MAX_RUNS = 10_000

/** Counts and limits the use of each run. */
export class RunBudget {
  readonly #max: number | undefined
  readonly #unit: string
  readonly #byObject = new WeakMap<object, number>()
  readonly #byId = new Map<string, number>()

  /** @param unit For the model, e.g. `characters of speech`. */
  constructor(max: number | undefined, unit: string) {
    this.#max = max
    this.#unit = unit
  }

  /**
   * Takes an amount before it is spent.
   * @throws SpeechToolError `budget_exceeded`
   */
  take(run: string | object | undefined, amount: number): void {
    if (this.#max === undefined) return
    const used = this.#used(run)
    if (used + amount > this.#max) {
      const left = Math.max(0, Math.floor(this.#max - used))
      const message = `This conversation may use ${this.#max} ${this.#unit}, and ${left} are left. Use less, or tell the user.`
      throw new SpeechToolError('budget_exceeded', message)
    }
    this.add(run, amount)
  }

  /**
   * Takes an amount and sends the request. Returns the amount if the request certainly cost nothing.
   * @throws SpeechToolError `budget_exceeded` before the request, or the error of the request
   */
  async spend<Result>(
    run: string | object | undefined,
    amount: number,
    request: () => PromiseLike<Result>,
  ): Promise<Result> {
    this.take(run, amount)
    try {
      return await request()
    } catch (error) {
      if (isUnbilled(error)) this.add(run, -amount)
      throw error
    }
  }

  /** Counts an amount, negative for one that was not spent in the end. */
  add(run: string | object | undefined, amount: number): void {
    if (this.#max === undefined) return
    const used = this.#used(run) + amount
    if (typeof run === 'object') {
      this.#byObject.set(run, used)
      return
    }
    const id = run ?? ''
    this.#byId.delete(id)
    this.#byId.set(id, used)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MAX_RUNS && oldest !== undefined) this.#byId.delete(oldest)
  }

  #used(run: string | object | undefined): number {
    return (typeof run === 'object' ? this.#byObject.get(run) : this.#byId.get(run ?? '')) ?? 0
  }
}
