/**
 * Message to the player. `audio` adds one array per channel to the queue, `end` follows the last audio, `flush` empties
 * the queue for another position, `pause` holds the position, and `stop` ends the player.
 */
export type PlayerInput =
  | { readonly type: 'audio'; readonly channels: readonly Float32Array[] }
  | { readonly type: 'flush'; readonly generation: number }
  | { readonly type: 'pause'; readonly paused: boolean }
  | { readonly type: 'end' }
  | { readonly type: 'stop' }

/** Message from the player. */
export interface PlayerOutput {
  /** `start`: the first sample plays. `position`: regularly. `end`: all was played. */
  readonly type: 'start' | 'position' | 'end'
  /** The number of the last `flush`. Reports from before a flush have an older one. */
  readonly generation: number
  /** Frames played since the flush. */
  readonly played: number
  /** Frames in the queue. */
  readonly queued: number
  /** Frames of silence since the flush, because audio was late. */
  readonly starved: number
  /** When the worklet sent it, as `Date.now()`. The page may be busy when it arrives. */
  readonly at: number
}

/** Reports per second. The eye follows no more, and the queue is filled often enough. */
const REPORT_RATE = 25

/** Seconds of silence at the end. Without them, suspending the context would cut audio that the device still plays. */
const TAIL_SECONDS = 0.2

/** Plays received audio in order, and silence while the queue is empty. */
class PlayerProcessor extends AudioWorkletProcessor {
  #queue: (readonly Float32Array[])[] = []
  #queued = 0
  /** Played frames of the first chunk in the queue. */
  #offset = 0
  #played = 0
  #starved = 0
  #generation = 0
  #sinceReport = 0
  #paused = false
  #ended = false
  #stopped = false
  #started = false
  #tail = TAIL_SECONDS * sampleRate

  constructor() {
    super()
    this.port.addEventListener('message', ({ data }: MessageEvent<PlayerInput>) => this.#take(data))
    this.port.start()
  }

  process(_inputs: Float32Array[][], [output = []]: Float32Array[][]): boolean {
    if (this.#stopped) return false
    if (this.#paused) return true
    const frames = output[0]?.length ?? 0
    const filled = this.#play(output, frames)
    if (filled > 0 && !this.#started) {
      this.#started = true
      this.#report('start')
    }
    if (this.#ended && this.#queued === 0) return this.#finish(frames)
    if (this.#started) this.#starved += frames - filled
    this.#sinceReport += frames
    if (this.#sinceReport >= sampleRate / REPORT_RATE) this.#report('position')
    return true
  }

  #take(message: PlayerInput): void {
    if (message.type === 'stop') this.#stopped = true
    else if (message.type === 'end') this.#ended = true
    else if (message.type === 'pause') this.#paused = message.paused
    else if (message.type === 'flush') this.#flush(message.generation)
    else {
      this.#queue.push(message.channels)
      this.#queued += message.channels[0]?.length ?? 0
    }
  }

  #flush(generation: number): void {
    this.#queue = []
    this.#queued = 0
    this.#offset = 0
    this.#played = 0
    this.#starved = 0
    this.#started = false
    this.#ended = false
    this.#tail = TAIL_SECONDS * sampleRate
    this.#generation = generation
  }

  #play(output: readonly Float32Array[], frames: number): number {
    let filled = 0
    while (filled < frames && this.#queue.length > 0) filled += this.#fill(output, filled)
    this.#played += filled
    this.#queued -= filled
    return filled
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

  /** Plays the tail. The player stays: a seek may follow. */
  #finish(frames: number): boolean {
    if (this.#tail <= 0) return true
    this.#tail -= frames
    if (this.#tail <= 0) this.#report('end')
    return true
  }

  #report(type: PlayerOutput['type']): void {
    this.#sinceReport = 0
    const message: PlayerOutput = {
      type,
      generation: this.#generation,
      played: this.#played,
      queued: this.#queued,
      starved: this.#starved,
      at: Date.now(),
    }
    this.port.postMessage(message, [])
  }
}

registerProcessor('player', PlayerProcessor)
