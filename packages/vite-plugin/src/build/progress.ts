/** Interval of progress lines, in milliseconds. */
const EVERY_MS = 5000

/** Prints the progress of a build's calls. */
export class Progress {
  readonly #say: (line: string) => void
  readonly #timer: NodeJS.Timeout
  #calls = 0
  #characters = 0
  #doneCalls = 0
  #doneCharacters = 0

  /** @param say Prints a line. */
  constructor(say: (line: string) => void, everyMs: number = EVERY_MS) {
    this.#say = say
    this.#timer = setInterval(() => this.#tell(), everyMs)
    this.#timer.unref()
  }

  /**
   * Prints planned calls, and adds them to the total.
   * @param price The price of the calls as it is printed.
   */
  announce(calls: number, characters: number, price = ''): void {
    this.#calls += calls
    this.#characters += characters
    this.#say(`narration: ${count(calls, 'call')} to make, ${count(characters, 'character')}${price}`)
  }

  /** Counts a finished call. */
  done(characters: number): void {
    this.#doneCalls += 1
    this.#doneCharacters += characters
  }

  end(): void {
    clearInterval(this.#timer)
  }

  /** Ends before all calls are made. Prints those that are paid for. */
  stop(): void {
    this.end()
    if (this.#doneCalls > 0) this.#say(`narration: stopped after ${this.#state()}. The cache has their audio`)
  }

  #tell(): void {
    this.#say(`narration: ${this.#state()}`)
  }

  #state(): string {
    const calls = `${number(this.#doneCalls)} of ${count(this.#calls, 'call')}`
    return `${calls}, ${number(this.#doneCharacters)} of ${count(this.#characters, 'character')}`
  }
}

/** A number with its unit in the singular or plural. */
export function count(value: number, unit: string, plural = `${unit}s`): string {
  return `${number(value)} ${value === 1 ? unit : plural}`
}

/** A number with commas between its thousands. */
export function number(value: number): string {
  // No `toLocaleString`: loading a locale takes longer than the rest of a warm build's report.
  return String(value).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
