import { LevelWindow } from './level.ts'
import type { PlayerInput, PlayerOutput } from './player-messages.ts'

/** Levels per second. The eye follows no more. */
const LEVEL_RATE = 25

/** Seconds of silence at the end. Without them, suspending the context would cut audio that the device still plays. */
const TAIL_SECONDS = 0.2

/** Plays received audio in order, and silence while the queue is empty. It ends after the last audio. */
class PlayerProcessor extends AudioWorkletProcessor {
  readonly #queue: (readonly Float32Array[])[] = []
  readonly #window = new LevelWindow(sampleRate / LEVEL_RATE)
  /** Played frames of the first chunk in the queue. */
  #offset = 0
  #played = 0
  #ended = false
  #stopped = false
  #tail = TAIL_SECONDS * sampleRate

  constructor() {
    super()
    this.port.addEventListener('message', ({ data }: MessageEvent<PlayerInput>) => {
      if (data.type === 'end') this.#ended = true
      else if (data.type === 'stop') this.#stopped = true
      else if ((data.channels[0]?.length ?? 0) > 0) this.#queue.push(data.channels)
    })
    this.port.start()
  }

  process(_inputs: Float32Array[][], [output = []]: Float32Array[][]): boolean {
    if (this.#stopped) return false
    const frames = output[0]?.length ?? 0
    let filled = 0
    while (filled < frames && this.#queue.length > 0) filled += this.#fill(output, filled)
    if (filled > 0) {
      if (this.#played === 0) this.#send({ type: 'start' })
      this.#played += filled
    }
    const level = this.#window.push(output[0] ?? new Float32Array(0))
    if (level !== undefined) this.#send({ type: 'level', level, playedFrames: this.#played })
    if (this.#queue.length > 0 || !this.#ended) return true
    this.#tail -= frames
    if (this.#tail > 0) return true
    this.#send({ type: 'end', playedFrames: this.#played })
    return false
  }

  /** Copies from the first chunk. @returns the number of frames */
  #fill(output: readonly Float32Array[], at: number): number {
    const [chunk = []] = this.#queue
    const length = chunk[0]?.length ?? 0
    const count = Math.min(length - this.#offset, (output[0]?.length ?? 0) - at)
    for (const [index, channel] of output.entries()) {
      channel.set((chunk[index] ?? chunk[0])?.subarray(this.#offset, this.#offset + count) ?? [], at)
    }
    this.#offset += count
    if (this.#offset === length) {
      this.#queue.shift()
      this.#offset = 0
    }
    return count
  }

  #send(message: PlayerOutput): void {
    this.port.postMessage(message, [])
  }
}

registerProcessor('player', PlayerProcessor)
