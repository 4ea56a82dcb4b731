/** The power of the frequencies in a piece of sound, from 0 to half of its rate. Its tables are computed once. */
export class Spectrum {
  readonly #size: number
  readonly #window: Float64Array
  readonly #cosines: Float64Array
  readonly #sines: Float64Array
  readonly #order: Uint16Array
  readonly #real: Float64Array
  readonly #imaginary: Float64Array

  /** @param size Samples of a piece: a power of two. */
  constructor(size: number) {
    this.#size = size
    const half = size / 2
    const angle = (index: number): number => (2 * Math.PI * index) / size
    this.#window = Float64Array.from({ length: size }, (_, index) => 0.5 - 0.5 * Math.cos(angle(index)))
    this.#cosines = Float64Array.from({ length: half }, (_, index) => Math.cos(angle(index)))
    this.#sines = Float64Array.from({ length: half }, (_, index) => -Math.sin(angle(index)))
    this.#order = new Uint16Array(size)
    for (let index = 1; index < size; index += 1)
      this.#order[index] = ((this.#order[index >> 1] ?? 0) >> 1) | (index & 1 ? half : 0)
    this.#real = new Float64Array(size)
    this.#imaginary = new Float64Array(size)
  }

  /**
   * Looks at a piece, through a Hann window.
   * @param samples As many as the size.
   * @param powers One more than half as many: the result.
   */
  measure(samples: Float32Array, powers: Float64Array): void {
    for (let index = 0; index < this.#size; index += 1) {
      const from = this.#order[index] ?? 0
      this.#real[index] = (samples[from] ?? 0) * (this.#window[from] ?? 0)
    }
    this.#imaginary.fill(0)
    for (let width = 1; width < this.#size; width *= 2) this.#combine(width)
    for (let bin = 0; bin < powers.length; bin += 1)
      powers[bin] = (this.#real[bin] ?? 0) ** 2 + (this.#imaginary[bin] ?? 0) ** 2
  }

  /** Joins neighbours of so many frequencies: a step of the fast Fourier transform of Cooley and Tukey. */
  #combine(width: number): void {
    const real = this.#real
    const imaginary = this.#imaginary
    const stride = this.#size / (2 * width)
    for (let start = 0; start < this.#size; start += 2 * width) {
      for (let offset = 0; offset < width; offset += 1) {
        const cosine = this.#cosines[offset * stride] ?? 0
        const sine = this.#sines[offset * stride] ?? 0
        const low = start + offset
        const high = low + width
        const turnedReal = (real[high] ?? 0) * cosine - (imaginary[high] ?? 0) * sine
        const turnedImaginary = (real[high] ?? 0) * sine + (imaginary[high] ?? 0) * cosine
        real[high] = (real[low] ?? 0) - turnedReal
        imaginary[high] = (imaginary[low] ?? 0) - turnedImaginary
        real[low] = (real[low] ?? 0) + turnedReal
        imaginary[low] = (imaginary[low] ?? 0) + turnedImaginary
      }
    }
  }
}
