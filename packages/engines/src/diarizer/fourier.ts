/** A fast Fourier transform for one size. Its tables are computed once. */
export class Fourier {
  readonly size: number
  readonly #cosines: Float64Array
  readonly #sines: Float64Array
  readonly #reversed: Uint32Array
  readonly #real: Float64Array
  readonly #imaginary: Float64Array

  /** @param size A power of two. */
  constructor(size: number) {
    this.size = size
    const bits = Math.log2(size)
    this.#cosines = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size))
    this.#sines = Float64Array.from({ length: size / 2 }, (_, index) => Math.sin((2 * Math.PI * index) / size))
    this.#reversed = new Uint32Array(size)
    for (let index = 0; index < size; index += 1)
      this.#reversed[index] = ((this.#reversed[index >> 1] ?? 0) >> 1) | ((index & 1) << (bits - 1))
    this.#real = new Float64Array(size)
    this.#imaginary = new Float64Array(size)
  }

  /**
   * Returns the power at frequencies 0 to half the sample rate, in `size / 2 + 1` steps. The next call overwrites it.
   */
  power(signal: Float64Array, into: Float64Array): void {
    for (let index = 0; index < this.size; index += 1) this.#real[this.#reversed[index] ?? 0] = signal[index] ?? 0
    this.#imaginary.fill(0)
    for (let half = 1; half < this.size; half *= 2) this.#combine(half)
    for (let index = 0; index <= this.size / 2; index += 1)
      into[index] = (this.#real[index] ?? 0) ** 2 + (this.#imaginary[index] ?? 0) ** 2
  }

  /** Merges pairs of transforms of size `half` into transforms of twice the size. */
  #combine(half: number): void {
    const real = this.#real
    const imaginary = this.#imaginary
    const step = this.size / (2 * half)
    for (let start = 0; start < this.size; start += 2 * half) {
      for (let offset = 0; offset < half; offset += 1) {
        const cosine = this.#cosines[offset * step] ?? 0
        const sine = this.#sines[offset * step] ?? 0
        const even = start + offset
        const odd = even + half
        const re = (real[odd] ?? 0) * cosine + (imaginary[odd] ?? 0) * sine
        const im = (imaginary[odd] ?? 0) * cosine - (real[odd] ?? 0) * sine
        real[odd] = (real[even] ?? 0) - re
        imaginary[odd] = (imaginary[even] ?? 0) - im
        real[even] = (real[even] ?? 0) + re
        imaginary[even] = (imaginary[even] ?? 0) + im
      }
    }
  }
}
