// Writes dist/files: the two files of onnxruntime-web that run a graph on one thread. The whole package has 139 MB.
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { onnxRuntimeFiles } from '../src/index.ts'

const source = dirname(createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'))
const { module, wasm } = onnxRuntimeFiles

await mkdir(dirname(wasm), { recursive: true })
// Without the address of a source map, which is not in the package.
const code = await readFile(join(source, 'ort.wasm.bundle.min.mjs'), 'utf8')
await writeFile(module, code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n'))
await copyFile(join(source, 'ort-wasm-simd-threaded.wasm'), wasm)
