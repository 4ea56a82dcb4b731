import FFT from 'fft.js'

/** The power of the frequencies in a piece of sound, from 0 to half of its rate. Its tables are computed once. */
export class Spectrum {
  readonly #transform: FFT
  readonly #window: Float64Array
  readonly #windowed: Float64Array
  /** Real and imaginary part of each frequency in turn. */
  readonly #found: Float64Array

  /** @param size Samples of a piece: a power of two. */
  constructor(size: number) {
    this.#transform = new FFT(size)
    this.#window = Float64Array.from({ length: size }, (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / size))
    this.#windowed = new Float64Array(size)
    this.#found = new Float64Array(2 * size)
  }

  /**
   * Looks at a piece, through a Hann window.
   * @param samples As many as the size.
   * @param powers One more than half as many: the result.
   */
  measure(samples: Float32Array, powers: Float64Array): void {
    for (const [index, factor] of this.#window.entries()) this.#windowed[index] = (samples[index] ?? 0) * factor
    this.#transform.realTransform(this.#found, this.#windowed)
    for (let bin = 0; bin < powers.length; bin += 1)
      powers[bin] = (this.#found[2 * bin] ?? 0) ** 2 + (this.#found[2 * bin + 1] ?? 0) ** 2
  }
}
