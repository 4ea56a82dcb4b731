import { readFile } from 'node:fs/promises'
import type { SpeechDetector } from '@svc-audio/engine-ports'
import { SileroDetector, type SileroGraph } from '@svc-audio/silero-vad'
import type { OnnxRuntime, Tensor } from '../onnx/runtime.ts'

/** Makes detectors over one graph. Frames of two detectors must not be judged at the same time. */
export type OpenDetector = () => SpeechDetector

/**
 * Loads Silero VAD.
 * @param file Path of the graph. `sileroVadFile` of `@svc-audio/silero-vad` is one.
 * @throws EngineFailedError when it is not a graph
 */
export async function loadSilero(runtime: OnnxRuntime, file: string): Promise<OpenDetector> {
  const graph = await runtime.open(await readFile(file))
  const loaded: SileroGraph<Tensor> = {
    tensor: (type, data, dims) => runtime.tensor<'float32' | 'int64'>(type, data, dims),
    run: (inputs) => graph.run(inputs),
  }
  return () => new SileroDetector(loaded)
}
