/*
 * The part of WebAssembly's JavaScript interface that is used here, typed. TypeScript has it only in its DOM library,
 * which would let this program use a browser's globals by mistake.
 */

/** Compiled code: made once, shared with worker threads by `workerData`. */
export interface WasmModule {
  readonly [Symbol.toStringTag]: 'WebAssembly.Module'
}

/** A running copy of a module, with a memory of its own. */
export interface WasmInstance {
  readonly exports: object
}

interface WebAssemblyInterface {
  readonly compile: (this: void, bytes: Uint8Array) => Promise<WasmModule>
  readonly instantiate: (this: void, module: WasmModule, imports: object) => Promise<WasmInstance>
}

// untyped here, though every Node.js has it: see above
const { compile, instantiate }: WebAssemblyInterface = Reflect.get(globalThis, 'WebAssembly')

/** Compiles a binary. Rejects with a `CompileError` when it is not one. */
export async function compileWasm(bytes: Uint8Array): Promise<WasmModule> {
  return compile(bytes)
}

/** Makes an instance. Rejects with a `LinkError` when an import is missing or does not fit. */
export async function instantiateWasm(module: WasmModule, imports: object): Promise<WasmInstance> {
  return instantiate(module, imports)
}
