import { readFile } from 'node:fs/promises'
import type { SpeechPiece } from '@svc-audio/engine-ports/listening'
import type { Graph, OnnxRuntime } from '../onnx/runtime.ts'
import { BANDS, FRAME_SAMPLES, MelMeter } from './mel.ts'
import { logPitchOf } from './voice-print.ts'

/** Frames that the encoder was made for: 1.6 s. */
const WINDOW_FRAMES = 160

/** Samples of a whole window. */
export const WINDOW_SAMPLES: number = WINDOW_FRAMES * FRAME_SAMPLES

/** Frames from one window to the next, about: half a window. */
const STEP_FRAMES = 80

/** A shorter sound says nothing about a voice. */
const LEAST_FRAMES = 10

/** Frames before a stretch that show the noise of the room: 6 s. */
const NOISE_FRAMES = 600

/** The quietest frames are noise. Their mean is a little below that of all noise. */
const NOISE_SHARE = 0.08
const NOISE_FACTOR = 1.3

/** Least share of the power that is voice. */
const LEAST_SHARE = 0.1

/** Power of −30 dB of full scale, to which the encoder's training set all voices. */
const USUAL_POWER = 1e-3

/** Power that is added, so that silence has a level. */
const SILENCE = 1e-12

/** The voice in one window of a recording. */
export interface EncodedVoice extends SpeechPiece {
  /** A direction: voices of one speaker point to similar ones. */
  readonly voice: Float64Array
  /** Logarithm of the median pitch. Unknown in whispers and short calls. */
  readonly logPitch: number | undefined
}

/** Encodes the voices of one recording by GE2E, in windows of 1.6 s that overlap by half. */
export class VoiceEncoder {
  readonly #runtime: OnnxRuntime
  readonly #graph: Graph
  readonly #meter = new MelMeter()
  /** The last frames before the next samples. */
  #past: Float32Array = new Float32Array()

  private constructor(runtime: OnnxRuntime, graph: Graph) {
    this.#runtime = runtime
    this.#graph = graph
  }

  /**
   * Loads the graph.
   * @param file Its path. `ge2eFile` of `@svc-audio/ge2e` is one.
   * @throws EngineFailedError when it is not a graph
   */
  static async load(runtime: OnnxRuntime, file: string): Promise<VoiceEncoder> {
    return new VoiceEncoder(runtime, await runtime.open(await readFile(file)))
  }

  /** Hears samples without speech: the noise of the room. */
  skip(samples: Int16Array): void {
    this.#past = lastOf(this.#past, this.#meter.measure(samples))
  }

  /**
   * Encodes the speech of an utterance.
   * @param samples The utterance, with the noise around its speech.
   * @param speech The place of the speech, in samples from the start of the utterance.
   * @returns One voice for each window, in samples from the start of the utterance; none when the speech is too short
   */
  async encode(samples: Int16Array, speech: SpeechPiece): Promise<readonly EncodedVoice[]> {
    const heard = this.#meter.measure(samples)
    const first = Math.ceil(speech.startSample / FRAME_SAMPLES)
    const last = Math.max(Math.floor(speech.endSample / FRAME_SAMPLES), first)
    const spoken = heard.slice(first * BANDS, last * BANDS)
    const before = lastOf(this.#past, heard.subarray(0, first * BANDS))
    const kept = removeNoise(spoken, noiseOf(joined(before, spoken)))
    this.#past = lastOf(this.#past, heard)
    const windows = windowsOf(last - first).map(({ start, end }) => {
      const power = powerOf(samples.subarray((first + start) * FRAME_SAMPLES, (first + end) * FRAME_SAMPLES))
      return { start, end, factor: USUAL_POWER / (power * kept + SILENCE) }
    })
    if (windows.length === 0) return []
    const mels = new Float32Array(windows.length * WINDOW_FRAMES * BANDS)
    for (const [index, { start, end, factor }] of windows.entries()) {
      const part = spoken.subarray(start * BANDS, end * BANDS)
      // A short call is repeated: the encoder knows no shorter windows.
      for (let at = 0; at < WINDOW_FRAMES * BANDS; at += 1)
        mels[index * WINDOW_FRAMES * BANDS + at] = (part[at % part.length] ?? 0) * factor
    }
    const outputs = await this.#graph.run({
      mels: this.#runtime.tensor('float32', mels, [windows.length, WINDOW_FRAMES, BANDS]),
    })
    const numbers = Float64Array.from(outputs['voice']?.data ?? [], Number)
    const size = numbers.length / windows.length
    return windows.map(({ start, end }, index) => {
      const [startSample, endSample] = [(first + start) * FRAME_SAMPLES, (first + end) * FRAME_SAMPLES]
      const voice = numbers.slice(index * size, (index + 1) * size)
      return { startSample, endSample, voice, logPitch: logPitchOf(samples.subarray(startSample, endSample)) }
    })
  }
}

/** Whole windows at equal steps from the start to the end; one of all frames when there are fewer. */
function windowsOf(frames: number): { readonly start: number; readonly end: number }[] {
  if (frames < LEAST_FRAMES) return []
  const rest = frames - WINDOW_FRAMES
  if (rest <= 0) return [{ start: 0, end: frames }]
  const steps = Math.ceil(rest / STEP_FRAMES)
  return Array.from({ length: steps + 1 }, (_, index) => {
    const start = Math.round((rest * index) / steps)
    return { start, end: start + WINDOW_FRAMES }
  })
}

/** Mean power of samples, 1 for the loudest square wave. */
function powerOf(samples: Int16Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum / samples.length / 32_768 ** 2
}

/** The last {@link NOISE_FRAMES} of two stretches of frames. */
function lastOf(past: Float32Array, next: Float32Array): Float32Array {
  return joined(past, next).slice(-NOISE_FRAMES * BANDS)
}

function joined(first: Float32Array, second: Float32Array): Float32Array {
  const frames = new Float32Array(first.length + second.length)
  frames.set(first)
  frames.set(second, first.length)
  return frames
}

/** The power of the noise in each band. */
function noiseOf(frames: Float32Array): Float64Array {
  const levels = Array.from({ length: frames.length / BANDS }, (_, frame) =>
    frames.subarray(frame * BANDS, (frame + 1) * BANDS).reduce((sum, power) => sum + power, 0),
  )
  const order = [...levels.keys()].toSorted((a, b) => (levels[a] ?? 0) - (levels[b] ?? 0))
  const quiet = order.slice(0, Math.ceil(order.length * NOISE_SHARE))
  return Float64Array.from({ length: BANDS }, (_, band) => {
    const sum = quiet.reduce((total, frame) => total + (frames[frame * BANDS + band] ?? 0), 0)
    return (NOISE_FACTOR * sum) / quiet.length
  })
}

/** Takes noise out of frames. Returns the share of their power that is left, at least a tenth. */
function removeNoise(frames: Float32Array, noise: Float64Array): number {
  let [before, after] = [0, 0]
  for (const [at, power] of frames.entries()) {
    const rest = Math.max(power - (noise[at % BANDS] ?? 0), 0)
    before += power
    after += rest
    frames[at] = rest
  }
  return Math.max(after / before, LEAST_SHARE)
}
