import { fileURLToPath } from 'node:url'

/** Paths of the files of this package. */
export interface OnnxRuntimeFiles {
  /** The JavaScript of onnxruntime-web: an ES module. Set `env.wasm.wasmBinary` to the content of `wasm`. */
  readonly module: string
  /** The WebAssembly module: operators on the processor, with SIMD. 14 MB. */
  readonly wasm: string
}

const path = (name: string): string => fileURLToPath(new URL(`../dist/files/${name}`, import.meta.url))

/** ONNX Runtime in WebAssembly. */
export const onnxRuntimeFiles: OnnxRuntimeFiles = {
  module: path('ort.mjs'),
  wasm: path('ort-wasm-simd-threaded.wasm'),
}
