import { expect, test } from 'vitest'

import { limitWasmMemory } from './wasm-core.ts'

const PAGE = 65_536

interface TestMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

test('a memory grows up to the limit and no page beyond', () => {
  // TypeScript knows WebAssembly only with its DOM library.
  const { Memory } = Reflect.get(globalThis, 'WebAssembly') as {
    readonly Memory: new (options: { initial: number; maximum: number }) => TestMemory
  }
  limitWasmMemory(10 * PAGE)
  const memory = new Memory({ initial: 1, maximum: 1000 })
  expect(memory.grow(4)).toBe(1)
  expect(memory.grow(5)).toBe(5)
  expect(() => memory.grow(1)).toThrow(RangeError)
  expect(() => memory.grow(500)).toThrow(RangeError)
  expect(memory.buffer.byteLength).toBe(10 * PAGE)
  expect(memory.grow(0)).toBe(10)
})
