import { LevelWindow, type RecorderOutput } from './level.ts'

/** Levels and sample blocks per second. */
const RATE = 25

/** Posts the microphone's samples, mixed to one channel. */
class RecorderProcessor extends AudioWorkletProcessor {
  readonly #window = new LevelWindow(sampleRate / RATE)
  #blocks: Float32Array[] = []
  /** Samples of a block, once the microphone is connected. */
  #block: number | undefined

  process([input = []]: Float32Array[][]): boolean {
    this.#block = input[0]?.length ?? this.#block
    // Without input, the microphone is not connected yet. Later it is silent: Firefox then gives none.
    if (this.#block === undefined) return true
    const mono = new Float32Array(this.#block).map(
      (_, frame) => input.reduce((sum, channel) => sum + (channel[frame] ?? 0), 0) / Math.max(1, input.length),
    )
    this.#blocks.push(mono)
    const level = this.#window.push(mono)
    if (level === undefined) return true
    const samples = new Float32Array(this.#blocks.reduce((sum, block) => sum + block.length, 0))
    let offset = 0
    for (const block of this.#blocks) {
      samples.set(block, offset)
      offset += block.length
    }
    this.#blocks = []
    const message: RecorderOutput = { samples, level }
    this.port.postMessage(message, [samples.buffer])
    return true
  }
}

registerProcessor('recorder', RecorderProcessor)
