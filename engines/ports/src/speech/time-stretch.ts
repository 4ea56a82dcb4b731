/** Length of a window, in seconds: two or three periods of a low voice. */
const WINDOW_SECONDS = 0.04

/** How far a window may move to fit the sound before it, in seconds: a period of a low voice. */
const SEARCH_SECONDS = 0.012

/** Samples between two compared ones. Speech has little above a quarter of the sample rate. */
const STEP = 3

/**
 * Changes the speed of speech and keeps its pitch: overlapping windows of the samples, each moved to where it continues
 * the sound before it (WSOLA). Samples may arrive in pieces of any length.
 */
export class TimeStretch {
  readonly #speed: number
  readonly #hop: number
  readonly #search: number
  readonly #fade: Float32Array
  #held = new Int16Array(0)
  /** Position of {@link TimeStretch.#held} in the input, and of the next window, in samples. */
  #start = 0
  #next = 0
  /** Where the last window continues in the input. `undefined` before the first one. */
  #natural: number | undefined
  #tail: Float32Array
  #made = 0
  #given = 0

  /** @param speed 2 makes the speech half as long. */
  constructor(speed: number, sampleRate: number) {
    this.#speed = speed
    this.#hop = Math.round((WINDOW_SECONDS * sampleRate) / 2)
    this.#search = Math.round(SEARCH_SECONDS * sampleRate)
    this.#tail = new Float32Array(this.#hop)
    this.#fade = Float32Array.from(
      { length: this.#hop },
      (_, at) => 0.5 - 0.5 * Math.cos((Math.PI * (at + 0.5)) / this.#hop),
    )
  }

  /** Returns the samples that these complete. */
  push(samples: Int16Array): Int16Array {
    this.#given += samples.length
    const held = new Int16Array(this.#held.length + samples.length)
    held.set(this.#held)
    held.set(samples, this.#held.length)
    this.#held = held
    return this.#make()
  }

  /** Returns the rest, after the last samples. */
  end(): Int16Array {
    const total = Math.round(this.#given / this.#speed)
    // Silence lets the last windows end.
    const padding = new Int16Array(4 * this.#hop + 2 * this.#search)
    const given = this.#given
    const max = total - this.#made
    const rest = this.push(padding)
    this.#given = given
    return rest.subarray(0, Math.max(0, max))
  }

  #make(): Int16Array {
    const parts: number[] = []
    const reach = 2 * this.#hop + this.#search
    while (Math.max(Math.round(this.#next), this.#natural ?? 0) + reach <= this.#start + this.#held.length) {
      const at = this.#natural === undefined ? 0 : this.#bestNear(Math.round(this.#next), this.#natural)
      const offset = at - this.#start
      for (let index = 0; index < this.#hop; index += 1) {
        const rise = this.#natural === undefined ? 1 : (this.#fade[index] ?? 0)
        parts.push(Math.round((this.#tail[index] ?? 0) + rise * (this.#held[offset + index] ?? 0)))
        this.#tail[index] = (1 - (this.#fade[index] ?? 0)) * (this.#held[offset + this.#hop + index] ?? 0)
      }
      this.#natural = at + this.#hop
      this.#next += this.#hop * this.#speed
      this.#drop()
    }
    this.#made += parts.length
    return Int16Array.from(parts, (value) => Math.max(-32_768, Math.min(32_767, value)))
  }

  /** The position near `target` whose sound is most alike to that at `natural`. */
  #bestNear(target: number, natural: number): number {
    const from = Math.max(this.#start, target - this.#search)
    let [best, max] = [target, -Infinity]
    for (let at = from; at <= target + this.#search; at += STEP) {
      let [product, energy] = [0, 1]
      for (let index = 0; index < this.#hop; index += STEP) {
        const sample = this.#held[at - this.#start + index] ?? 0
        product += sample * (this.#held[natural - this.#start + index] ?? 0)
        energy += sample * sample
      }
      const likeness = product / Math.sqrt(energy)
      if (likeness > max) [best, max] = [at, likeness]
    }
    return best
  }

  #drop(): void {
    const needed = Math.min(Math.round(this.#next) - this.#search, this.#natural ?? 0)
    const extra = Math.min(needed - this.#start, this.#held.length)
    if (extra < 16_000) return
    this.#held = this.#held.slice(extra)
    this.#start += extra
  }
}
