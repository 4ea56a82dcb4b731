import { readFile } from 'node:fs/promises'
import { pathToFileURL } from 'node:url'
import { onnxRuntimeFiles } from '@svc-audio/onnx-runtime'
import { expect, test } from 'vitest'

test('the build brings a WebAssembly module, the JavaScript that runs it, and no other file is needed', async () => {
  const ort: unknown = await import(pathToFileURL(onnxRuntimeFiles.module).href)
  expect(ort).toMatchObject({ InferenceSession: expect.any(Function), Tensor: expect.any(Function) })
  const wasm = await readFile(onnxRuntimeFiles.wasm)
  expect(wasm.subarray(0, 4).toString('latin1')).toBe('\0asm')
})
