/** Interval of progress lines, in milliseconds. */
const EVERY_MS = 5000

/** Prints the progress of a build's calls. */
export class Progress {
  readonly #say: (line: string) => void
  readonly #calls: number
  readonly #characters: number
  readonly #timer: NodeJS.Timeout
  #doneCalls = 0
  #doneCharacters = 0

  /**
   * @param say Prints a line.
   * @param calls Planned calls.
   * @param characters Characters of the planned calls.
   */
  constructor(say: (line: string) => void, calls: number, characters: number, everyMs: number = EVERY_MS) {
    this.#say = say
    this.#calls = calls
    this.#characters = characters
    say(`narration: ${count(calls, 'call')} to make, ${count(characters, 'character')}`)
    this.#timer = setInterval(() => this.#tell(), everyMs)
    this.#timer.unref()
  }

  /** Counts a finished call. */
  done(characters: number): void {
    this.#doneCalls += 1
    this.#doneCharacters += characters
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #tell(): void {
    const calls = `${format(this.#doneCalls)} of ${count(this.#calls, 'call')}`
    this.#say(`narration: ${calls}, ${format(this.#doneCharacters)} of ${count(this.#characters, 'character')}`)
  }
}

/** A number with its unit in the singular or plural. */
export function count(number: number, unit: string, plural = `${unit}s`): string {
  return `${format(number)} ${number === 1 ? unit : plural}`
}

function format(number: number): string {
  // No `toLocaleString`: loading a locale takes longer than the rest of a warm build's report.
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',')
}
