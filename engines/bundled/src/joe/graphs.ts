import { readFile } from 'node:fs/promises'
import { FRAME_SAMPLES, FRAME_VALUES, type JoeFiles, NOISE } from '@svc-audio/joe-en'
import { EngineFailedError } from '@svc-audio/engine-ports'
import { type Graph, loadRuntime, type OnnxRuntime, type RuntimeChoice, type Tensor } from '../onnx/runtime.ts'

/** Frames of sound, one after the other: each has {@link FRAME_VALUES} numbers. */
export type Frames = Float32Array<ArrayBuffer>

/** The voice on this thread. */
export interface Voice {
  /** What runs it. */
  readonly runtime: OnnxRuntime['name']
  /**
   * Makes frames of phonemes.
   * @param numbers The phonemes, as `toNumbers` returns them.
   * @param stretch How much longer than plain the speech is.
   */
  plan(numbers: readonly number[], stretch: number): Promise<Frames>
  /**
   * Makes samples of frames: 256 of each but the neighbours.
   * @param before Frames at the start, and `after` at the end, that are neighbours only.
   */
  sound(frames: Frames, before: number, after: number): Promise<Int16Array<ArrayBuffer>>
}

/** Loads the voice. It takes about a second on a quiet machine. */
export async function loadVoice(files: JoeFiles, choice: RuntimeChoice): Promise<Voice> {
  const runtime = await loadRuntime(choice)
  const open = async (path: string): Promise<Graph> => runtime.open(await readFile(path))
  const [planning, sounding] = [await open(files.plan), await open(files.sound)]
  return {
    runtime: runtime.name,
    async plan(numbers, stretch) {
      const { frames } = await planning.run({
        input: runtime.tensor('int64', BigInt64Array.from(numbers, BigInt), [1, numbers.length]),
        input_lengths: runtime.tensor('int64', BigInt64Array.of(BigInt(numbers.length)), [1]),
        scales: runtime.tensor('float32', Float32Array.of(NOISE.sound, stretch, NOISE.lengths), [3]),
      })
      return turned(floats(frames), FRAME_VALUES)
    },
    async sound(frames, before, after) {
      const count = frames.length / FRAME_VALUES
      const { samples } = await sounding.run({
        frames: runtime.tensor('float32', turned(frames, count), [1, FRAME_VALUES, count]),
      })
      return toPcm(floats(samples).subarray(before * FRAME_SAMPLES, (count - after) * FRAME_SAMPLES))
    },
  }
}

function floats(tensor: Tensor | undefined): Float32Array {
  if (tensor?.data instanceof Float32Array) return tensor.data
  throw new EngineFailedError('The graph of the voice gave no numbers')
}

/** Turns rows into columns. @param rows Their number */
function turned(values: Float32Array, rows: number): Frames {
  const columns = values.length / rows
  const result = new Float32Array(values.length)
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      result[column * rows + row] = values[row * columns + column] ?? 0
    }
  }
  return result
}

function toPcm(samples: Float32Array): Int16Array<ArrayBuffer> {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * 32_767))
}
