import { frameBytes, type PcmFormat } from '../streaming/pcm-format.ts'

/** Silence that is held back until it shows whether it is an edge, in bytes; a longer one is content and stays. */
export const EDGE_MAX_BYTES: number = 4 * 1024 * 1024

/** A sample up to this share of full scale is silence: about -60 dB, in 16 bits. */
const SILENT = 32

/**
 * Clips the silence at the edges of one piece of speech; what is between its first and its last sound is never touched.
 */
export class EdgeClipper {
  readonly #format: PcmFormat
  readonly #clipStart: boolean
  #heard = false
  /** Whether the current silence is too long to be an edge. */
  #passing = false
  #held: Uint8Array[] = []
  #heldBytes = 0

  /** @param clipStart Whether the silence before the first sound goes. */
  constructor(format: PcmFormat, clipStart: boolean) {
    this.#format = format
    this.#clipStart = clipStart
  }

  /** Takes whole frames. @returns What is certain to stay. */
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
   * The piece is over.
   * @param clipEnd Whether the silence behind the last sound goes.
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

/** Silence of a length, in parts of at most 64 KiB. */
export function* silence(format: PcmFormat, seconds: number): Generator<Uint8Array, void, undefined> {
  const frame = frameBytes(format)
  let bytes = Math.round(seconds * format.sampleRate) * frame
  const part = new Uint8Array(Math.min(bytes, Math.max(1, Math.floor(65_536 / frame)) * frame))
  for (; bytes > 0; bytes -= part.length) yield part.slice(0, Math.min(bytes, part.length))
}

/** Where the first frame with a sound begins, or the end. */
function soundStart(pcm: Uint8Array, format: PcmFormat): number {
  const step = format.bitDepth / 8
  let at = 0
  while (at < pcm.length && isSilent(pcm, at + step, step)) at += step
  return at - (at % frameBytes(format))
}

/** Where the last frame with a sound ends, or the beginning. */
function soundEnd(pcm: Uint8Array, format: PcmFormat): number {
  const step = format.bitDepth / 8
  let end = pcm.length
  while (end > 0 && isSilent(pcm, end, step)) end -= step
  return Math.ceil(end / frameBytes(format)) * frameBytes(format)
}

/** Whether the sample that ends at a place is silent: its highest 16 bits decide (interface: PCM is little-endian). */
function isSilent(pcm: Uint8Array, end: number, step: number): boolean {
  const high = ((pcm[end - 1] ?? 0) << 24) >> 16
  const sample = step > 1 ? high | (pcm[end - 2] ?? 0) : high
  return sample >= -SILENT && sample <= SILENT
}
