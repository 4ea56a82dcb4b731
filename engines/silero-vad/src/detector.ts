/** Samples that the graph judges at a time: 32 ms at 16 kHz. */
export const SILERO_FRAME_SAMPLES = 512

/** Samples before a frame that the graph hears again. */
const CONTEXT_SAMPLES = 64
const STATE_DIMS = [2, 1, 128]
const STATE_SIZE = 256
/** Numbers of the graph are samples between -1 and 1. */
const FULL_SCALE = 0x80_00
/** The largest step between two samples of digital silence and of what is too slow to hear. */
const STILL = 3

/** What the detector reads of a tensor. */
export interface SileroTensor {
  /** The numbers, row by row. */
  readonly data: ArrayLike<number | bigint>
}

/** The graph in an ONNX Runtime: of Node, of a worker or of a page. */
export interface SileroGraph<Tensor extends SileroTensor> {
  /** Makes an input. */
  readonly tensor: (type: 'float32' | 'int64', data: Float32Array | BigInt64Array, dims: readonly number[]) => Tensor
  /** Computes the outputs. One call at a time. */
  readonly run: (inputs: Readonly<Record<string, Tensor>>) => Promise<Readonly<Record<string, Tensor>>>
}

/**
 * Silero VAD 6: tells speech from silence, noise and music, frame by frame, in one recording. It takes about a hundredth of
 * the time of the sound.
 */
export class SileroDetector<Tensor extends SileroTensor = SileroTensor> {
  readonly #graph: SileroGraph<Tensor>
  readonly #rate: Tensor
  readonly #context = new Float32Array(CONTEXT_SAMPLES)
  #state: Tensor

  /** @param graph The content of `sileroVadFile`, loaded. Several detectors may share one, and take turns. */
  constructor(graph: SileroGraph<Tensor>) {
    this.#graph = graph
    this.#rate = graph.tensor('int64', BigInt64Array.of(16_000n), [])
    this.#state = this.#emptyState()
  }

  /**
   * Judges the next frame. Frames come in their order, and one at a time.
   * @param frame {@link SILERO_FRAME_SAMPLES} samples of 16 kHz, mono. The caller may use it again.
   * @returns the probability of speech, 0 to 1
   * @throws Error of the runtime
   */
  async judge(frame: Int16Array): Promise<number> {
    if (isStill(frame)) {
      // Hours of silence cost nothing. Its end sounds like the start of a recording.
      this.reset()
      return 0
    }
    const input = new Float32Array(CONTEXT_SAMPLES + SILERO_FRAME_SAMPLES)
    input.set(this.#context)
    for (const [index, sample] of frame.entries()) input[CONTEXT_SAMPLES + index] = sample / FULL_SCALE
    this.#context.set(input.subarray(-CONTEXT_SAMPLES))
    const { output, stateN } = await this.#graph.run({
      input: this.#graph.tensor('float32', input, [1, input.length]),
      state: this.#state,
      sr: this.#rate,
    })
    if (stateN !== undefined) this.#state = stateN
    return Number(output?.data[0] ?? 0)
  }

  /** Forgets all frames: the next one begins a recording. */
  reset(): void {
    this.#context.fill(0)
    this.#state = this.#emptyState()
  }

  #emptyState(): Tensor {
    return this.#graph.tensor('float32', new Float32Array(STATE_SIZE), STATE_DIMS)
  }
}

/** Whether nobody hears anything in a frame: about 80 dB below the loudest sound. */
function isStill(frame: Int16Array): boolean {
  let before = frame[0] ?? 0
  for (const sample of frame) {
    if (Math.abs(sample - before) > STILL) return false
    before = sample
  }
  return true
}
