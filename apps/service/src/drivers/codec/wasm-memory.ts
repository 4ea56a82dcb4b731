// Types for the used part of WebAssembly's JavaScript interface. TypeScript has them only in its DOM library.

interface Memory {
  readonly buffer: ArrayBuffer
}

interface MemoryPrototype {
  grow: (this: Memory, pages: number) => number
}

const PAGE_BYTES = 64 * 1024

/**
 * Limits every WebAssembly memory of this process to that many bytes, whatever its module allows. A program beyond the
 * limit sees a failed allocation.
 */
export function limitWasmMemory(bytes: number): void {
  const { prototype }: { readonly prototype: MemoryPrototype } = Reflect.get(
    Reflect.get(globalThis, 'WebAssembly'),
    'Memory',
  )
  const { grow } = prototype
  prototype.grow = function limited(pages) {
    if (this.buffer.byteLength + pages * PAGE_BYTES > bytes) throw new RangeError(`No memory beyond ${bytes} bytes`)
    return grow.call(this, pages)
  }
}
