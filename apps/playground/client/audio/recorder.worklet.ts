/** Loudness of audio at a moment. Full scale is 1. */
export interface Level {
  /** Root mean square: the loudness. */
  readonly rms: number
  /** Largest sample. */
  readonly peak: number
}

/** Message from the recorder: the next samples from -1 to 1, and their level. */
export interface RecorderOutput {
  readonly samples: Float32Array
  readonly level: Level
}

/** Sample blocks per second, each with its level. */
const RATE = 25

/** Posts the microphone's samples, mixed to one channel. */
class RecorderProcessor extends AudioWorkletProcessor {
  #blocks: Float32Array[] = []
  #length = 0
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
    this.#length += mono.length
    if (this.#length < sampleRate / RATE) return true
    const samples = new Float32Array(this.#length)
    let offset = 0
    for (const block of this.#blocks) {
      samples.set(block, offset)
      offset += block.length
    }
    this.#blocks = []
    this.#length = 0
    const message: RecorderOutput = { samples, level: levelOf(samples) }
    this.port.postMessage(message, [samples.buffer])
    return true
  }
}

function levelOf(samples: Float32Array): Level {
  let [squares, peak] = [0, 0]
  for (const sample of samples) {
    squares += sample * sample
    peak = Math.max(peak, Math.abs(sample))
  }
  return { rms: Math.sqrt(squares / samples.length), peak }
}

registerProcessor('recorder', RecorderProcessor)
