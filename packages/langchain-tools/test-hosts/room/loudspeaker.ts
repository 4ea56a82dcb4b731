/** A loudspeaker in real time: it plays what it was given while it is not paused. */
export class Loudspeaker {
  #given = 0
  #position = 0
  #isPaused = false
  #lookedAt = performance.now()

  /** Seconds of the current answer that were played. */
  get playedSeconds(): number {
    const now = performance.now()
    if (!this.#isPaused) this.#position = Math.min(this.#given, this.#position + (now - this.#lookedAt) / 1000)
    this.#lookedAt = now
    return this.#position
  }

  /** Whether everything was played. */
  get isEmpty(): boolean {
    return this.playedSeconds >= this.#given
  }

  /** Adds audio of the current answer. */
  add(seconds: number): void {
    void this.playedSeconds
    this.#given += seconds
  }

  /** Holds the position. */
  pause(): void {
    void this.playedSeconds
    this.#isPaused = true
  }

  /** Continues. */
  resume(): void {
    void this.playedSeconds
    this.#isPaused = false
  }

  /** Drops all audio: the next answer counts from 0. */
  clear(): void {
    this.#given = 0
    this.#position = 0
    this.#isPaused = false
    this.#lookedAt = performance.now()
  }
}
