// Writes dist/files: the two files of onnxruntime-web that run a graph on one thread. The whole package has 139 MB.
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { onnxRuntimeFiles } from '../src/index.ts'

const source = dirname(createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'))
const { module, wasm } = onnxRuntimeFiles

await mkdir(dirname(wasm), { recursive: true })
await copyFile(join(source, 'ort.wasm.bundle.min.mjs'), module)
await copyFile(join(source, 'ort-wasm-simd-threaded.wasm'), wasm)
