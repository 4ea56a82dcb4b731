/** Frames per second: one frame is 20 ms. */
export const FRAMES_PER_SECOND = 50

/** Sound this much above the room, in dB, may be speech. */
const START_HEIGHT = 14
/** Speech continues down to this height above the room: the ends of words are soft. */
const STAY_HEIGHT = 9
/** Level of a room before it is known, in dB below full scale. */
const USUAL_ROOM = -48
/** The quietest room that counts. Below it is the noise of the microphone itself. */
const QUIETEST_ROOM = -58
/** A room as loud as speech: a user must be heard over any music. */
const LOUDEST_ROOM = -26
/** Level of samples that are all zero: a muted microphone, which tells nothing about the room. */
const MUTED = -100
/** Frames in an average: a gap between sounds. */
const SMOOTHED_FRAMES = 3
/** The past that tells the room, in blocks of half a second: longer than a speaker's breath. */
const BLOCK_FRAMES = FRAMES_PER_SECOND / 2
const BLOCKS = 12

/** Tells sound from the room, by loudness. The room is the quietest moment of the last six seconds. */
export class SoundGate {
  readonly #last: number[] = []
  readonly #blocks: { low: number; frames: number }[] = []
  #isOpen = false

  /** Level of the room, in dB below full scale. */
  get room(): number {
    const lowest = this.#blocks.length === 0 ? USUAL_ROOM : Math.min(...this.#blocks.map(({ low }) => low))
    return Math.min(Math.max(lowest, QUIETEST_ROOM), LOUDEST_ROOM)
  }

  /** @param level Of the next frame, in dB below full scale. @returns Whether it is sound */
  push(level: number): boolean {
    if (level <= MUTED) return (this.#isOpen = false)
    this.#isOpen = level > this.room + (this.#isOpen ? STAY_HEIGHT : START_HEIGHT)
    this.#remember(level)
    return this.#isOpen
  }

  #remember(level: number): void {
    this.#last.push(level)
    if (this.#last.length < SMOOTHED_FRAMES) return
    if (this.#last.length > SMOOTHED_FRAMES) this.#last.shift()
    const smoothed = this.#last.reduce((sum, value) => sum + value, 0) / SMOOTHED_FRAMES
    const block = this.#blocks.at(-1)
    if (block !== undefined && block.frames < BLOCK_FRAMES) {
      block.low = Math.min(block.low, smoothed)
      block.frames += 1
      return
    }
    this.#blocks.push({ low: smoothed, frames: 1 })
    if (this.#blocks.length > BLOCKS) this.#blocks.shift()
  }
}

/** Loudness of 16-bit samples, in dB below full scale. Zeros are -100. */
export function levelOf(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  const power = sum / Math.max(samples.length, 1) / 0x80_00 ** 2
  return power < 1e-10 ? MUTED : 10 * Math.log10(power)
}
