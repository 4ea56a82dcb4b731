/*
 * Types for the used part of WebAssembly's JavaScript interface. TypeScript has them only in its DOM library, which
 * would let this program use a browser's globals by mistake.
 */

/** Compiled code. It cannot leave its process. Threads of one process share code compiled from the same bytes. */
export interface WasmModule {
  /** Tells a module from other objects: an `instanceof` fails between threads. */
  readonly [Symbol.toStringTag]: 'WebAssembly.Module'
}

/** A running copy of a module, with separate memory. */
export interface WasmInstance {
  /**
   * Functions, memories and tables by their names. Read them with {@link exportedMemory} and {@link
   * exportedProcedure}.
   */
  readonly exports: Readonly<Record<string, unknown>>
}

/** A module's memory. Growth replaces `buffer`, so read it again at each use. */
export interface WasmMemory {
  /** The bytes now. A view of an earlier buffer is detached after growth. */
  readonly buffer: ArrayBuffer
}

interface WebAssemblyInterface {
  readonly Instance: new (module: WasmModule, imports: object) => WasmInstance
  readonly Memory: abstract new () => WasmMemory
  readonly compile: (this: void, bytes: Uint8Array) => Promise<WasmModule>
}

// Untyped here, although every Node.js has it: see above.
const { compile, Instance, Memory }: WebAssemblyInterface = Reflect.get(globalThis, 'WebAssembly')

/** Compiles a binary. Rejects with a `CompileError` when it is not one. */
export async function compileWasm(bytes: Uint8Array): Promise<WasmModule> {
  return compile(bytes)
}

/**
 * Makes an instance, on this thread, at once. Throws a `LinkError` when an import is missing.
 * @param imports Functions and memories for the module, by import module and name.
 */
export function instantiateWasm(module: WasmModule, imports: object): WasmInstance {
  return new Instance(module, imports)
}

/** Returns the memory that an instance exports by this name. Throws a TypeError when it exports none. */
export function exportedMemory(instance: WasmInstance, name: string): WasmMemory {
  const memory = instance.exports[name]
  if (!(memory instanceof Memory)) throw new TypeError(`The WebAssembly module exports no memory named ${name}`)
  return memory
}

/**
 * Returns the function without arguments that an instance exports by this name. Throws a TypeError when it exports
 * none.
 */
export function exportedProcedure(instance: WasmInstance, name: string): () => void {
  const procedure = instance.exports[name]
  if (typeof procedure !== 'function') throw new TypeError(`The WebAssembly module exports no function named ${name}`)
  return () => {
    procedure()
  }
}
