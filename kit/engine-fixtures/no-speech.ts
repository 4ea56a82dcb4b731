import { sine, whiteNoise } from './signals.ts'

/** A signal without a voice: its value, from -1 to 1, by time in seconds. */
export interface NoSpeech {
  readonly name: string
  readonly value: (second: number) => number
}

/**
 * Noise that falls by 3 dB an octave: the sum of random values. Each value changes half as often as the previous one.
 */
function pinkNoise(): () => number {
  const white = whiteNoise(11)
  const rows = Array.from({ length: 12 }, () => 0)
  let count = 0
  return () => {
    count += 1
    const row = Math.min(31 - Math.clz32(count & -count), rows.length - 1)
    rows[row] = white()
    return rows.reduce((sum, one) => sum + one, 0) / 6
  }
}

/** Noise that falls by 6 dB an octave, like wind and traffic. */
function brownNoise(): () => number {
  const white = whiteNoise(7)
  let level = 0
  return () => {
    level = 0.998 * level + 0.04 * white()
    return level
  }
}

/** Telephone keys: a fifth of a second each, then as much silence. */
function dialling(second: number): number {
  const rows = [697, 770, 852, 941]
  const columns = [1209, 1336, 1477]
  const key = Math.floor(second / 0.2)
  if (key % 2 === 1) return 0
  return 0.25 * (sine(rows[(key / 2) % 4] ?? 0, second) + sine(columns[(key / 2) % 3] ?? 0, second))
}

/** Chords of three notes with overtones, half a second each, like an organ's. Struck chords are not here. */
function chords(second: number): number {
  const roots = [220, 174.6, 261.6, 196]
  const root = roots[Math.floor(second / 0.5) % 4] ?? 220
  const note = (hertz: number): number =>
    sine(hertz, second) + 0.5 * sine(2 * hertz, second) + 0.25 * sine(3 * hertz, second)
  return 0.12 * (note(root) + note(root * 1.26) + note(root * 1.5))
}

/** A tune of single notes with vibrato. Each note swells and fades. */
function tune(second: number): number {
  const notes = [440, 493.9, 523.3, 587.3, 659.3, 587.3, 523.3, 493.9]
  const hertz = notes[Math.floor(second / 0.4) % 8] ?? 440
  const phase = 2 * Math.PI * hertz * second + 0.8 * sine(6, second)
  return 0.4 * Math.sin(Math.PI * ((second % 0.4) / 0.4)) * Math.sin(phase)
}

/** Sounds without speech, at several levels. */
export function noSpeech(): NoSpeech[] {
  const white = whiteNoise(3)
  const [pink, brown] = [pinkNoise(), brownNoise()]
  return [
    { name: 'digital silence', value: () => 0 },
    { name: 'a constant offset', value: () => 0.2 },
    { name: 'white noise at -60 dB', value: () => 0.001 * white() },
    { name: 'white noise at -30 dB', value: () => 0.03 * white() },
    { name: 'white noise at 0 dB', value: () => white() },
    { name: 'pink noise at -40 dB', value: () => 0.01 * pink() },
    { name: 'pink noise at -12 dB', value: () => 0.25 * pink() },
    { name: 'brown noise', value: () => 0.5 * brown() },
    { name: 'noise that comes and goes', value: (second) => (second % 1 < 0.5 ? 0.2 * white() : 0) },
    { name: 'noise in bursts, four a second', value: (second) => 0.3 * Math.max(0, sine(4, second)) * white() },
    { name: 'a tone of 100 Hz', value: (second) => 0.4 * sine(100, second) },
    { name: 'a tone of 1,000 Hz', value: (second) => 0.4 * sine(1000, second) },
    {
      name: 'a hum of the mains',
      value: (second) => 0.2 * sine(50, second) + 0.1 * sine(100, second) + 0.05 * sine(150, second),
    },
    { name: 'a ringing tone', value: (second) => (second % 3 < 1 ? 0.2 * (sine(440, second) + sine(480, second)) : 0) },
    { name: 'a busy tone', value: (second) => (second % 0.5 < 0.25 ? 0.4 * sine(425, second) : 0) },
    { name: 'dialling', value: dialling },
    {
      name: 'a siren',
      value: (second) => 0.4 * Math.sin(2 * Math.PI * (800 * second - (300 / 3) * Math.cos(3 * second))),
    },
    { name: 'chords of an organ', value: chords },
    { name: 'a tune', value: tune },
    { name: 'a tune in noise', value: (second) => 0.6 * tune(second) + 0.05 * pink() },
    { name: 'clicks', value: (second) => (second % 0.125 < 0.0003 ? 0.9 : 0) },
    { name: 'a square wave', value: (second) => (sine(150, second) > 0 ? 0.3 : -0.3) },
    { name: 'a saw of 120 Hz', value: (second) => 0.5 * ((second * 120) % 1) - 0.25 },
  ]
}
