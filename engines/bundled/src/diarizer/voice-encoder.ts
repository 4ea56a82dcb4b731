import { readFile } from 'node:fs/promises'
import type { SpeechPiece } from '@svc-audio/engine-ports/listening'
import type { Graph, OnnxRuntime } from '../onnx/runtime.ts'
import { BANDS, FRAME_SAMPLES, MelMeter } from './mel.ts'

/** Frames of a usual window: 1.6 s. */
const WINDOW_FRAMES = 160

/** Samples of a usual window. */
export const WINDOW_SAMPLES: number = WINDOW_FRAMES * FRAME_SAMPLES

/**
 * Frames that are heard of a window: its middle. With all of it, a fifth more work finds as many speakers as often. The
 * half of each window that the next one has too would double the work for the same.
 */
const HEARD_FRAMES = 130

/** A shorter sound says nothing about a voice. */
const LEAST_FRAMES = 10

/** The encoder hears no less: a shorter call is repeated. */
const LEAST_HEARD_FRAMES = 100

/** Windows that are encoded at once: more need more memory, and are hardly faster. */
const BATCH = 4

/** The voice in one window of a recording. */
export interface EncodedVoice extends SpeechPiece {
  /** A direction: voices of one speaker point to similar ones. */
  readonly voice: Float64Array
}

/** Encodes voices by CAM++, in windows of about 1.6 s. */
export class VoiceEncoder {
  readonly #runtime: OnnxRuntime
  readonly #graph: Graph
  readonly #meter = new MelMeter()

  private constructor(runtime: OnnxRuntime, graph: Graph) {
    this.#runtime = runtime
    this.#graph = graph
  }

  /**
   * Loads the graph.
   * @param file Its path. `campplusFile` of `@svc-audio/campplus` is one.
   * @throws EngineFailedError when it is not a graph
   */
  static async load(runtime: OnnxRuntime, file: string): Promise<VoiceEncoder> {
    return new VoiceEncoder(runtime, await runtime.open(await readFile(file)))
  }

  /**
   * Encodes the speech of an utterance.
   * @param samples The utterance, with the silence around its speech.
   * @param speech The place of the speech, in samples from the start of the utterance.
   * @returns One voice for each window, in samples from the start of the utterance; none when the speech is too short
   */
  async encode(samples: Int16Array, speech: SpeechPiece): Promise<readonly EncodedVoice[]> {
    const first = Math.ceil(speech.startSample / FRAME_SAMPLES)
    const count = Math.floor(speech.endSample / FRAME_SAMPLES) - first
    if (count < LEAST_FRAMES) return []
    const bands = this.#meter.measure(samples)
    const windows = windowsOf(first, count)
    // Equally long, as the graph needs them.
    const length = Math.min(...windows.map(({ start, end }) => end - start), HEARD_FRAMES)
    const heard = windows.map(({ start, end }) => {
      const from = start + Math.floor((end - start - length) / 2)
      return withoutMean(bands.subarray(from * BANDS, (from + length) * BANDS))
    })
    const voices: Float64Array[] = []
    for (let at = 0; at < heard.length; at += BATCH) voices.push(...(await this.#run(heard.slice(at, at + BATCH))))
    return windows.map(({ start, end }, index) => ({
      startSample: start * FRAME_SAMPLES,
      endSample: end * FRAME_SAMPLES,
      voice: voices[index] ?? new Float64Array(),
    }))
  }

  async #run(heard: readonly Float32Array[]): Promise<Float64Array[]> {
    const size = Math.max(heard[0]?.length ?? 0, LEAST_HEARD_FRAMES * BANDS)
    const bands = new Float32Array(heard.length * size)
    for (const [index, part] of heard.entries())
      for (let at = 0; at < size; at += 1) bands[index * size + at] = part[at % part.length] ?? 0
    const { voice } = await this.#graph.run({
      bands: this.#runtime.tensor('float32', bands, [heard.length, size / BANDS, BANDS]),
    })
    const numbers = Float64Array.from(voice?.data ?? [], Number)
    const length = numbers.length / heard.length
    return heard.map((_, index) => numbers.slice(index * length, (index + 1) * length))
  }
}

/** Equal windows from the first frame to the last, near the usual length. */
function windowsOf(first: number, count: number): { readonly start: number; readonly end: number }[] {
  const windows = Math.max(Math.round(count / WINDOW_FRAMES), 1)
  const limit = (index: number): number => first + Math.round((count * index) / windows)
  return Array.from({ length: windows }, (_, index) => ({ start: limit(index), end: limit(index + 1) }))
}

/** Takes the mean of each band away: a microphone and a level add the same to all frames. */
function withoutMean(frames: Float32Array): Float32Array {
  const means = new Float64Array(BANDS)
  for (const [at, value] of frames.entries()) means[at % BANDS] = (means[at % BANDS] ?? 0) + value
  const count = frames.length / BANDS
  return frames.map((value, at) => value - (means[at % BANDS] ?? 0) / count)
}
