/** Frames of 20 ms in which an echo may come back: the device, the room and the network of the microphone. */
const ECHO_FRAMES = 25
/** Frames for which the guard stays open after a voice that passed: gaps between words. */
const STAY_FRAMES = 25
/** Frames for which audio that goes to the player counts as playing, until the player reports it. */
const EXPECTED_FRAMES = 10
/** A voice must be this much louder than the echo. */
const HEIGHT = 2
/** Loudness of the microphone's own noise. */
const NOISE = 0.003
/** While nothing plays, a voice is this much louder than the room. */
const ROOM_HEIGHT = 4
/** How fast the room is followed upwards. A quieter frame is the room at once. */
const ROOM_RISE = 1.01
/** How much of an echo is expected before one was heard. Browsers remove more of it. */
const FIRST_COUPLING = 0.1
/** Less than this share of an answer is lost in the noise of the room. */
const LEAST_COUPLING = 0.005
/** How fast the coupling follows what does not pass: within a second. */
const LEARNING = 0.02
/** How fast it follows what passes: within many seconds, because that is a voice, unless it never ends. */
const SLOW_LEARNING = 0.002

/**
 * Tells the user's voice from the echo of the answer, by loudness: while the answer plays, the microphone is silent unless
 * it is clearly louder than what the loudspeaker can cause. It learns how much of the answer comes back. It is a second
 * line behind the browser's own echo cancellation.
 */
export class EchoGuard {
  readonly #played: number[] = []
  #coupling = FIRST_COUPLING
  #open = 0
  #room = NOISE
  #expected = { level: 0, frames: 0 }

  /**
   * Audio goes to the player, and may be heard before the player reports it: the first frames of an answer are guarded.
   * @param level Its loudest moment, full scale is 1.
   */
  expect(level: number): void {
    this.#expected = {
      level: Math.max(level, this.#expected.frames > 0 ? this.#expected.level : 0),
      frames: EXPECTED_FRAMES,
    }
  }

  /**
   * @param microphone Loudness of the frame, full scale is 1.
   * @param played Loudness of what plays at this time.
   * @returns Whether the frame may be the user
   */
  push(microphone: number, played: number): boolean {
    const { level, frames } = this.#expected
    this.#expected = { level, frames: frames - 1 }
    this.#played.push(Math.max(played, frames > 0 ? level : 0))
    if (this.#played.length > ECHO_FRAMES) this.#played.shift()
    const loudest = Math.max(...this.#played)
    if (loudest < NOISE) {
      this.#room = Math.max(NOISE, Math.min(microphone, this.#room * ROOM_RISE))
      // Only a voice keeps the guard open when an answer begins: the echo comes with its first sample.
      this.#open = microphone > this.#room * ROOM_HEIGHT ? STAY_FRAMES : this.#open - 1
      return true
    }
    const passes = microphone > Math.max(NOISE * HEIGHT, loudest * this.#coupling * HEIGHT)
    this.#open = passes ? STAY_FRAMES : this.#open - 1
    const change = (microphone / loudest - this.#coupling) * (passes ? SLOW_LEARNING : LEARNING)
    this.#coupling = Math.max(LEAST_COUPLING, this.#coupling + change)
    return this.#open > 0
  }
}

/** Loudness of the loudest piece of 16-bit PCM, full scale is 1. @param size Samples of a piece. */
export function loudestOf(pcm: ArrayBuffer, size: number): number {
  const view = new DataView(pcm)
  const samples = Math.floor(pcm.byteLength / 2)
  let loudest = 0
  for (let start = 0; start < samples; start += size) {
    const end = Math.min(samples, start + size)
    let squares = 0
    for (let at = Math.ceil(start); at < end; at += 1) squares += (view.getInt16(at * 2, true) / 0x80_00) ** 2
    loudest = Math.max(loudest, Math.sqrt(squares / size))
  }
  return loudest
}
