import type { SileroGraph, SileroTensor } from '@svc-audio/silero-vad/detector'

/** A graph that ONNX Runtime has loaded. */
interface Session {
  run(inputs: Readonly<Record<string, SileroTensor>>): Promise<Readonly<Record<string, SileroTensor>>>
}

/** The part of ONNX Runtime that is used: the module of `@svc-audio/onnx-runtime`, in Node or in a page. */
export interface OnnxRuntime {
  readonly Tensor: new (
    type: 'float32' | 'int64',
    data: Float32Array | BigInt64Array,
    dims: readonly number[],
  ) => SileroTensor
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Session> }
  readonly env: { readonly wasm: { numThreads?: number; wasmBinary?: Uint8Array } }
}

/**
 * Loads Silero VAD. Its detectors take turns, because the runtime computes one frame at a time.
 * @param runtime With the content of its WebAssembly file as `wasmBinary`.
 * @throws Error of the runtime when the model is not a graph
 */
export async function loadGraph(runtime: OnnxRuntime, model: Uint8Array): Promise<SileroGraph<SileroTensor>> {
  runtime.env.wasm.numThreads = 1
  const session = await runtime.InferenceSession.create(model, { executionProviders: ['wasm'], logSeverityLevel: 3 })
  let last: Promise<unknown> = Promise.resolve()
  return {
    tensor: (type, data, dims) => new runtime.Tensor(type, data, dims),
    run: (inputs) => {
      const result = last.then(() => session.run(inputs))
      last = result.catch(() => {})
      return result
    },
  }
}
