// The part of WebAssembly's JavaScript interface that is used here, typed: TypeScript has it in its DOM library only.

interface Memory {
  readonly buffer: ArrayBuffer
}

interface MemoryPrototype {
  grow: (this: Memory, pages: number) => number
}

const PAGE_BYTES = 64 * 1024

/**
 * From now on no WebAssembly memory of this process grows beyond so many bytes, whatever its module allows: a program
 * sees memory that it cannot have.
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
