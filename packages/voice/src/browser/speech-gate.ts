import { Ear, FRAMES_PER_SECOND } from '../detect/ear.ts'
import type { SpeechDetector } from '../detect/speech-detector.ts'
import { MICROPHONE_RATE } from '../worklet/messages.ts'

/** Frames before speech that pass with it: soft consonants, and the time in which a detector makes up its mind. */
const LEAD_FRAMES = 0.24 * FRAMES_PER_SECOND
/** Frames after speech that pass: more than the pause that ends an utterance, so that the end is not late. */
const STAY_FRAMES = FRAMES_PER_SECOND
/** Frames that wait for the detector. A page that does not keep up sends everything. */
const MAX_WAITING = FRAMES_PER_SECOND / 2

/**
 * Lets speech pass, and sends silence in place of everything else. Nothing is lost or added: while it is closed, it is a
 * quarter of a second behind the microphone, and speech catches up.
 */
export class SpeechGate {
  readonly #ear: Ear
  readonly #send: (pcm: ArrayBuffer) => void
  readonly #held: ArrayBuffer[] = []
  #open = 0
  #waiting = 0
  #isBroken = false
  #work: Promise<void> = Promise.resolve()

  /** @param send Gets 16-bit mono PCM at 16 kHz, frame by frame. */
  constructor(detector: SpeechDetector, send: (pcm: ArrayBuffer) => void) {
    this.#ear = new Ear({ sampleRate: MICROPHONE_RATE, channels: 1, bitDepth: 16 }, detector)
    this.#send = send
  }

  /** A frame of 20 ms. A detector that fails lets everything pass, and the page hears of its error. */
  push(pcm: ArrayBuffer): void {
    this.#waiting += 1
    this.#work = this.#work.then(() => this.#take(pcm))
  }

  async #take(pcm: ArrayBuffer): Promise<void> {
    const isSpeech = await this.#isSpeech(pcm)
    this.#waiting -= 1
    this.#open = isSpeech ? STAY_FRAMES : this.#open - 1
    this.#held.push(pcm)
    if (this.#open > 0) for (const frame of this.#held.splice(0)) this.#send(frame)
    else if (this.#held.length > LEAD_FRAMES) this.#send(new ArrayBuffer(this.#held.shift()?.byteLength ?? 0))
  }

  async #isSpeech(pcm: ArrayBuffer): Promise<boolean> {
    if (this.#isBroken || this.#waiting > MAX_WAITING) return true
    try {
      return (await this.#ear.push(new Int16Array(pcm))).isSpeech
    } catch (error) {
      this.#isBroken = true
      reportError(error)
      return true
    }
  }
}
