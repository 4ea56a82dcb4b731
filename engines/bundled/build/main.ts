// Writes dist/files: the two files of onnxruntime-web that the engines run, with its license. The package has 139 MB.
import { copyFile, mkdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const dist = dirname(createRequire(import.meta.url).resolve('onnxruntime-web/ort-wasm-simd-threaded.wasm'))
const out = join(import.meta.dirname, '..', 'dist', 'files')

await mkdir(out, { recursive: true })
for (const name of ['ort.wasm.bundle.min.mjs', 'ort-wasm-simd-threaded.wasm']) {
  await copyFile(join(dist, name), join(out, name))
}
// The package has no file with its license.
await copyFile(join(import.meta.dirname, 'LICENSE.onnxruntime.txt'), join(out, 'LICENSE.onnxruntime.txt'))
