/*
 * The part of WebAssembly's JavaScript interface that is used here, typed. TypeScript has it only in its DOM library,
 * which would let this program use a browser's globals by mistake.
 */

/** Compiled code. It cannot leave its process; what threads of one process compile from the same bytes they share. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module'
}

/** A running copy of a module, with a memory of its own. */
export interface WasmInstance {
  readonly exports: Readonly<Record<string, unknown>>
}

/** A module's memory. `buffer` is replaced when the memory grows, so it must be read again at each use. */
export interface WasmMemory {
  readonly buffer: ArrayBuffer
}

interface WebAssemblyInterface {
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance
  readonly Memory: abstract new () => WasmMemory
  readonly compile: (this: void, bytes: Uint8Array) => Promise<WasmModule>
}

// untyped here, though every Node.js has it: see above
const { compile, Instance, Memory }: WebAssemblyInterface = Reflect.get(globalThis, 'WebAssembly')

/** Compiles a binary. Rejects with a `CompileError` when it is not one. */
export async function compileWasm(bytes: Uint8Array): Promise<WasmModule> {
  return compile(bytes)
}

/**
 * Makes an instance, on this thread, at once. Throws a `LinkError` when an import is missing.
 * @param imports Functions and memories lent to the module, by import module and name.
 */
export function instantiateWasm(module: WasmModule, imports: object): WasmInstance {
  return new Instance(module, imports)
}

/** The memory that an instance exports by this name. Throws a TypeError when it exports none. */
export function exportedMemory(instance: WasmInstance, name: string): WasmMemory {
  const memory = instance.exports[name]
  if (!(memory instanceof Memory)) throw new TypeError(`The WebAssembly module exports no memory named ${name}`)
  return memory
}

/** The function without arguments that an instance exports by this name. Throws a TypeError when it exports none. */
export function exportedProcedure(instance: WasmInstance, name: string): () => void {
  const procedure = instance.exports[name]
  if (typeof procedure !== 'function') throw new TypeError(`The WebAssembly module exports no function named ${name}`)
  return () => {
    procedure()
  }
}
