import { frameBytes, type PcmFormat } from '../audio/index.ts'

/** Maximum bytes of silence to hold back until it is clear whether it is an edge. Longer silence is content and stays. */
export const EDGE_MAX_BYTES: number = 4 * 1024 * 1024

/** Largest silent sample in 16 bits: about -60 dB of full scale. */
const SILENT = 32

/**
 * Clips the silence at the edges of one piece of speech. Audio between the first and the last sound stays unchanged.
 */
export class EdgeClipper {
  readonly #format: PcmFormat
  readonly #clipStart: boolean
  #heard = false
  /** Whether the current silence is too long to be an edge. */
  #passing = false
  #held: Uint8Array[] = []
  #heldBytes = 0

  /** @param clipStart Clips the silence before the first sound */
  constructor(format: PcmFormat, clipStart: boolean) {
    this.#format = format
    this.#clipStart = clipStart
  }

  /** Takes whole frames. @returns the frames that certainly stay */
  push(pcm: Uint8Array): Uint8Array[] {
    const first = this.#heard ? 0 : soundStart(pcm, this.#format)
    const end = soundEnd(pcm, this.#format)
    if (end === 0) return this.#silence(pcm)
    const from = this.#heard || !this.#clipStart ? 0 : first
    const before = !this.#heard && this.#clipStart ? [] : this.#held
    this.#heard = true
    this.#passing = false
    this.#held = []
    this.#heldBytes = 0
    const stays = [...before, pcm.subarray(from, end)]
    return end < pcm.length ? [...stays, ...this.#silence(pcm.subarray(end))] : stays
  }

  /**
   * Ends the piece.
   * @param clipEnd Clips the silence after the last sound
   */
  end(clipEnd: boolean): Uint8Array[] {
    return clipEnd ? [] : this.#held
  }

  #silence(pcm: Uint8Array): Uint8Array[] {
    if (this.#passing || (!this.#heard && !this.#clipStart)) return [pcm]
    this.#held.push(pcm)
    this.#heldBytes += pcm.length
    if (this.#heldBytes <= EDGE_MAX_BYTES) return []
    const held = this.#held
    this.#heard = true
    this.#passing = true
    this.#held = []
    this.#heldBytes = 0
    return held
  }
}

/** Makes silence, in parts of at most 64 KiB. */
export function* silence(format: PcmFormat, seconds: number): Generator<Uint8Array, void, undefined> {
  const frame = frameBytes(format)
  let bytes = Math.round(seconds * format.sampleRate) * frame
  const part = new Uint8Array(Math.min(bytes, Math.max(1, Math.floor(65_536 / frame)) * frame))
  for (; bytes > 0; bytes -= part.length) yield part.slice(0, Math.min(bytes, part.length))
}

/** Offset of the first frame with a sound, or the end. */
function soundStart(pcm: Uint8Array, format: PcmFormat): number {
  const step = format.bitDepth / 8
  let at = 0
  while (at < pcm.length && isSilent(pcm, at + step, step)) at += step
  return at - (at % frameBytes(format))
}

/** End of the last frame with a sound, or the beginning. */
function soundEnd(pcm: Uint8Array, format: PcmFormat): number {
  const step = format.bitDepth / 8
  let end = pcm.length
  while (end > 0 && isSilent(pcm, end, step)) end -= step
  return Math.ceil(end / frameBytes(format)) * frameBytes(format)
}

/**
 * Whether the sample that ends at an offset is silent. Its highest 16 bits decide (interface: PCM is little-endian).
 */
function isSilent(pcm: Uint8Array, end: number, step: number): boolean {
  const high = ((pcm[end - 1] ?? 0) << 24) >> 16
  const sample = step > 1 ? high | (pcm[end - 2] ?? 0) : high
  return sample >= -SILENT && sample <= SILENT
}
