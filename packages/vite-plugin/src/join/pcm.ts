/** A sample up to this share of full scale is silence: about -60 dB of 16 bits. */
const SILENT = 32
/** Length of the fade at each edge, in seconds: inaudible, but long enough to avoid a click. */
const FADE_SECONDS = 0.002
/** Length of the windows that loudness is measured in, in seconds. */
const WINDOW_SECONDS = 0.05
/** Smallest corrected difference, as a factor: 1 dB. */
const TOLERATED = 10 ** (1 / 20)
/** Largest correction, as a factor: 9 dB. */
const MOST = 10 ** (9 / 20)
/** Highest sample after a correction: 1 dB below full scale. */
export const PEAK: number = 32_767 * 10 ** (-1 / 20)

/** Layout of 16-bit samples. */
export interface PcmLayout {
  /** Samples per second, in Hz. */
  readonly sampleRate: number
  readonly channels: number
}

/** 16-bit little-endian PCM as numbers; a copy, since bytes need not be aligned. */
export function toSamples(bytes: Uint8Array): Int16Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes.byteLength - (bytes.byteLength % 2))
  // Not `slice()`, which copies nothing of a Buffer.
  copy.set(bytes.subarray(0, copy.byteLength))
  return new Int16Array(copy.buffer)
}

/** The part of a piece between its silent edges, in whole frames. A cut frame at the end is dropped. */
export function withoutEdges(
  piece: Int16Array<ArrayBuffer>,
  channels: number,
  { clipStart, clipEnd }: { readonly clipStart: boolean; readonly clipEnd: boolean },
): Int16Array<ArrayBuffer> {
  const samples = piece.subarray(0, piece.length - (piece.length % channels))
  let start = 0
  let end = samples.length
  while (start < end && Math.abs(samples[start] ?? 0) <= SILENT) start += 1
  // Silence alone is content: it has no edges.
  if (start === end) return samples
  while (end > start && Math.abs(samples[end - 1] ?? 0) <= SILENT) end -= 1
  return samples.subarray(
    clipStart ? start - (start % channels) : 0,
    clipEnd ? Math.ceil(end / channels) * channels : samples.length,
  )
}

/** Fades the edges of a piece, in place. */
export function fadeEdges(samples: Int16Array, { sampleRate, channels }: PcmLayout): void {
  const frames = Math.min(Math.round(FADE_SECONDS * sampleRate), Math.floor(samples.length / channels / 2))
  for (let index = 0; index < frames * channels; index += 1) {
    const share = Math.floor(index / channels) / frames
    samples[index] = Math.round((samples[index] ?? 0) * share)
    const mirrored = samples.length - 1 - index
    samples[mirrored] = Math.round((samples[mirrored] ?? 0) * share)
  }
}

/**
 * Loudness of speech: the root mean square of its louder half, so that pauses do not count. 0 for silence.
 */
export function loudness(samples: Int16Array, { sampleRate, channels }: PcmLayout): number {
  const size = Math.max(1, Math.round(WINDOW_SECONDS * sampleRate) * channels)
  const windows: number[] = []
  for (let from = 0; from < samples.length; from += size) {
    let sum = 0
    const until = Math.min(from + size, samples.length)
    for (let index = from; index < until; index += 1) sum += (samples[index] ?? 0) ** 2
    windows.push(sum / (until - from))
  }
  const louder = windows.toSorted((a, b) => b - a).slice(0, Math.ceil(windows.length / 2))
  return Math.sqrt(louder.reduce((sum, power) => sum + power, 0) / Math.max(1, louder.length))
}

/** Length of the windows that pauses are found in, in seconds. */
export const PAUSE_WINDOW = 0.01
/** Level of a pause, as a share of the loudness of the speech: -30 dB. */
const PAUSE_LEVEL = 10 ** (-30 / 20)

/** Whether each window of {@link PAUSE_WINDOW} seconds is silent. */
export function silentWindows(samples: Int16Array, layout: PcmLayout): boolean[] {
  const size = Math.max(1, Math.round(PAUSE_WINDOW * layout.sampleRate)) * layout.channels
  const limit = Math.max(SILENT, loudness(samples, layout) * PAUSE_LEVEL) ** 2
  const windows: boolean[] = []
  for (let from = 0; from < samples.length; from += size) {
    const until = Math.min(from + size, samples.length)
    let sum = 0
    for (let index = from; index < until; index += 1) sum += (samples[index] ?? 0) ** 2
    windows.push(sum / (until - from) <= limit)
  }
  return windows
}

/** Scales pieces to their median loudness, in place. A silent piece stays. */
export function level(pieces: readonly Int16Array[], layout: PcmLayout): void {
  const levels = pieces.map((piece) => loudness(piece, layout))
  const heard = levels.filter((one) => one > SILENT).toSorted((a, b) => a - b)
  const middle = heard[Math.floor(heard.length / 2)]
  if (middle === undefined) return
  for (const [index, piece] of pieces.entries()) {
    const own = levels[index] ?? 0
    if (own > SILENT) scale(piece, middle / own)
  }
}

function scale(samples: Int16Array, wanted: number): void {
  if (wanted < TOLERATED && wanted > 1 / TOLERATED) return
  let peak = 1
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample))
  const factor = Math.min(Math.max(wanted, 1 / MOST), MOST, Math.max(1, PEAK / peak))
  for (let index = 0; index < samples.length; index += 1) samples[index] = Math.round((samples[index] ?? 0) * factor)
}
