import { readAdts } from '@svc-audio/core/audio'
import type { Joiner, Place } from './joiner.ts'
import { UnjoinableError } from './unjoinable-error.ts'

/** Joins AAC in ADTS frames, which stand for themselves. Pieces keep the silence of their own encoding. */
export class AdtsJoiner implements Joiner {
  readonly places: Place[] = []
  readonly #body: Uint8Array[] = []
  #rate: number | undefined
  #samples = 0

  add(piece: Uint8Array): Uint8Array {
    const content = readAdts(piece)
    if (content === undefined) throw new UnjoinableError('aac', 'a segment has no ADTS frames')
    this.#rate ??= content.rate
    if (this.#rate !== content.rate)
      throw new UnjoinableError('aac', `one is ${this.#rate} Hz, another ${content.rate} Hz`)
    const startSecond = this.#samples / content.rate
    this.#samples += content.samples
    this.places.push({ startSecond, endSecond: this.#samples / content.rate })
    // The tag, which carries the marking, stays that of the first piece.
    const added = this.#body.length === 0 ? piece.subarray(0, content.end) : piece.subarray(content.start, content.end)
    this.#body.push(added)
    return added
  }

  finish(): Uint8Array {
    return Buffer.concat(this.#body)
  }
}
