/** Loudness of samples, in dB below full scale. */
export function levelOf(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return 10 * Math.log10(sum / Math.max(1, samples.length) / 0x80_00 ** 2 + 1e-12)
}

/** The samples, so many dB louder. */
export function scaled(samples: Int16Array, decibels: number): Int16Array {
  const factor = 10 ** (decibels / 20)
  return samples.map((sample) => Math.max(-0x80_00, Math.min(0x7f_ff, Math.round(sample * factor))))
}

/** The samples at a level, in dB below full scale. */
export function atLevel(samples: Int16Array, level: number): Int16Array {
  return scaled(samples, level - levelOf(samples))
}

/** Sounds at the same time, as long as the longest. */
export function mixed(...sounds: readonly Int16Array[]): Int16Array {
  const mix = new Int16Array(Math.max(...sounds.map(({ length }) => length)))
  for (const sound of sounds) {
    for (const [index, sample] of sound.entries())
      mix[index] = Math.max(-0x80_00, Math.min(0x7f_ff, (mix[index] ?? 0) + sample))
  }
  return mix
}

/** Sounds one after the other. */
export function joined(...sounds: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(sounds.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const sound of sounds) {
    all.set(sound, at)
    at += sound.length
  }
  return all
}

/** A sound that is repeated for so many samples. */
export function repeated(sound: Int16Array, length: number): Int16Array {
  return Int16Array.from({ length }, (_, index) => sound[index % sound.length] ?? 0)
}

/** The noise of a room or of a fan, the same in each run. */
export function noise(length: number, level: number): Int16Array {
  let seed = 7
  const next = (): number => {
    seed = (seed * 16_807) % 2_147_483_647
    return seed / 1_073_741_823 - 1
  }
  return atLevel(
    Int16Array.from({ length }, () => (next() + next() + next()) * 3000),
    level,
  )
}

/** Samples that are averaged before sounds are compared. */
const STEP = 4
/** Least correlation of a sound with what holds it. */
const ALIKE = 0.6

/** Whether a recording holds a sound, also beside softer ones. */
export function holds(recording: Int16Array, sound: Int16Array): boolean {
  const [all, part] = [averaged(recording), averaged(sound)]
  const power = powerOf(part)
  for (let at = 0; at + part.length <= all.length; at += 1) {
    const here = all.subarray(at, at + part.length)
    let product = 0
    for (const [index, sample] of part.entries()) product += sample * (here[index] ?? 0)
    if (product > ALIKE * Math.sqrt(power * powerOf(here))) return true
  }
  return false
}

function averaged(samples: Int16Array): Float64Array {
  return Float64Array.from({ length: Math.floor(samples.length / STEP) }, (_, index) =>
    samples.subarray(index * STEP, (index + 1) * STEP).reduce((sum, sample) => sum + sample, 0),
  )
}

function powerOf(samples: Float64Array): number {
  let power = 0
  for (const sample of samples) power += sample ** 2
  return power
}

/** The sound without silence at its ends. */
export function trimmed(samples: Int16Array): Int16Array {
  const isLoud = (sample: number): boolean => Math.abs(sample) >= 300
  return samples.slice(samples.findIndex(isLoud), samples.findLastIndex(isLoud) + 1)
}
