/** Samples of the slower side on each side of the filter. More is sharper, and later. */
const REACH = 12
/** Share of the band that passes. The rest is the slope of the filter. */
const PASS = 0.92

/**
 * Changes the rate of a stream of mono samples, by a windowed sinc. Pieces join without a seam. Frequencies above half of
 * the lower rate are removed.
 */
export class Resampler {
  readonly #step: number
  readonly #phases: number
  readonly #reach: number
  readonly #kernels: Float32Array[]
  #history: Float32Array
  /** Position of the next output sample in the history, in `1 / phases` of an input sample. */
  #position: number

  /** Rates in hertz. */
  constructor(from: number, to: number) {
    const divisor = greatestCommonDivisor(from, to)
    this.#step = from / divisor
    this.#phases = to / divisor
    const cutoff = Math.min(1, to / from) * PASS
    this.#reach = Math.ceil(REACH / Math.min(1, to / from))
    this.#kernels = Array.from({ length: this.#phases }, (_, phase) =>
      kernel(phase / this.#phases, this.#reach, cutoff),
    )
    this.#history = new Float32Array(this.#reach)
    this.#position = this.#reach * this.#phases
  }

  /**
   * Takes the next samples.
   * @returns The samples that are complete. The filter holds back up to 12 samples of the slower rate: push as many zeros
   *   at the end to get them.
   */
  push(samples: Float32Array): Float32Array<ArrayBuffer> {
    const input = new Float32Array(this.#history.length + samples.length)
    input.set(this.#history)
    input.set(samples, this.#history.length)
    const last = (input.length - this.#reach) * this.#phases
    const count = Math.max(0, Math.ceil((last - this.#position) / this.#step))
    const output = new Float32Array(count)
    for (let index = 0; index < count; index += 1) {
      output[index] = this.#sampleAt(input, this.#position)
      this.#position += this.#step
    }
    const used = Math.max(0, Math.floor(this.#position / this.#phases) - this.#reach)
    this.#history = input.slice(used)
    this.#position -= used * this.#phases
    return output
  }

  #sampleAt(input: Float32Array, position: number): number {
    const weights = this.#kernels[position % this.#phases] ?? []
    const start = Math.floor(position / this.#phases) - this.#reach
    let sum = 0
    for (let tap = 0; tap < weights.length; tap += 1) sum += (input[start + tap] ?? 0) * (weights[tap] ?? 0)
    return sum
  }
}

/** Weights of the inputs around an output that lies `offset` after the middle one. Their sum is 1. */
function kernel(offset: number, reach: number, cutoff: number): Float32Array {
  const weights = Float32Array.from({ length: 2 * reach }, (_, tap) => {
    const distance = tap - reach - offset
    const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / reach)
    return Math.abs(distance) >= reach ? 0 : sinc(distance * cutoff) * window
  })
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

function sinc(x: number): number {
  return x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
