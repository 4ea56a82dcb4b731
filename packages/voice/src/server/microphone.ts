import { type PcmFormat, pcmSeconds } from '@svc-audio/core/audio'

/** Milliseconds without a frame after which the microphone counts as silent. A network may hold frames for less. */
const GAP = 400
/** Milliseconds of silence in a piece. */
const PIECE = 100

/**
 * Audio of a client on its way to the pipeline. When no frames come, it is silent in the pace of the clock: a microphone
 * that is muted or gone ends an utterance as silence does. It refuses more than its limit, so that memory stays bounded.
 */
export class Microphone implements AsyncIterable<Uint8Array> {
  readonly #format: PcmFormat
  readonly #maxSeconds: number
  #queue: Uint8Array[] = []
  #seconds = 0
  #ended = false
  #hasBegun = false
  #wake: (() => void) | undefined

  /** @param maxSeconds Maximum seconds of audio that wait for the reader. */
  constructor(format: PcmFormat, maxSeconds: number) {
    this.#format = format
    this.#maxSeconds = maxSeconds
  }

  /** @returns Whether there was room. */
  push(audio: Uint8Array): boolean {
    if (this.#ended) return true
    const seconds = pcmSeconds(this.#format, audio.byteLength)
    if (this.#seconds + seconds > this.#maxSeconds) return false
    this.#queue.push(audio)
    this.#seconds += seconds
    this.#hasBegun = true
    this.#wake?.()
    return true
  }

  /** No more comes. What waits is still read. */
  end(): void {
    this.#ended = true
    this.#wake?.()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    let isSilent = false
    for (;;) {
      const audio = this.#queue.shift()
      if (audio !== undefined) {
        this.#seconds -= pcmSeconds(this.#format, audio.byteLength)
        isSilent = false
        yield audio
      } else if (this.#ended) {
        return
      } else if (!(await this.#comes(isSilent ? PIECE : GAP)) && this.#hasBegun) {
        yield new Uint8Array(Math.round((this.#format.sampleRate * (isSilent ? PIECE : GAP)) / 1000) * 2)
        isSilent = true
      }
    }
  }

  /** Waits for audio or the end. @returns Whether it came in time */
  async #comes(milliseconds: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => resolve(false), milliseconds)
    this.#wake = () => resolve(true)
    const hasCome = await promise
    this.#wake = undefined
    clearTimeout(timer)
    return hasCome
  }
}
