import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { EngineFailedError } from '@svc-audio/engine-ports'
import type { OnnxRuntimeFiles } from '@svc-audio/onnx-runtime'

/** Types of numbers in a {@link Tensor}. */
export interface TensorData {
  /** Numbers of 32 bits. */
  readonly float32: Float32Array
  /** Whole numbers of 64 bits: tokens. */
  readonly int64: BigInt64Array
  /** Whole numbers of 32 bits. */
  readonly int32: Int32Array
  /** 0 or 1. */
  readonly bool: Uint8Array
}

/** An array of numbers with its shape: an input or an output of a graph. */
export interface Tensor<Type extends keyof TensorData = keyof TensorData> {
  /** Type of its numbers. */
  readonly type: Type
  /** The numbers, row by row. */
  readonly data: TensorData[Type]
  /** Length of each dimension. Empty for a single number. */
  readonly dims: readonly number[]
}

/** A loaded graph. One call at a time. */
export interface Graph {
  /** Names of its inputs. */
  readonly inputNames: readonly string[]
  /** Names of its outputs. */
  readonly outputNames: readonly string[]
  /**
   * Computes the outputs.
   * @param outputs Names of those that are needed. @default all of them
   * @throws Error of the runtime when an input is missing or its shape does not fit
   */
  run(inputs: Readonly<Record<string, Tensor>>, outputs?: readonly string[]): Promise<Record<string, Tensor>>
  /** Frees its memory. */
  release(): Promise<void>
}

/** What runs graphs, on this thread. */
export interface OnnxRuntime {
  /** `node` is native code, about three times as fast; `web` is WebAssembly and always there. */
  readonly name: 'node' | 'web'
  /** Makes an input. */
  tensor<Type extends keyof TensorData>(type: Type, data: TensorData[Type], dims: readonly number[]): Tensor<Type>
  /**
   * Loads a graph: the content of an `.onnx` or `.ort` file.
   * @throws EngineFailedError when it is not a graph, or the memory does not suffice
   */
  open(model: Uint8Array): Promise<Graph>
}

/** Which runtime to use: `auto` takes `onnxruntime-node` where it is installed. */
export const RUNTIME_CHOICES = ['auto', 'node', 'web'] as const

/** One of {@link RUNTIME_CHOICES}. */
export type RuntimeChoice = (typeof RUNTIME_CHOICES)[number]

/** What both packages of ONNX Runtime export, as far as it is used here. */
interface Ort {
  readonly Tensor: new <Type extends keyof TensorData>(
    type: Type,
    data: TensorData[Type],
    dims: readonly number[],
  ) => Tensor<Type>
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Graph> }
  readonly env: { readonly wasm: { numThreads?: number; wasmBinary?: Uint8Array } }
}

const ONE_THREAD = { intraOpNumThreads: 1, interOpNumThreads: 1, logSeverityLevel: 3 }

/** Tells which runtime a choice means on this machine, without loading it. */
export function chosenRuntime(choice: RuntimeChoice = 'auto'): OnnxRuntime['name'] {
  if (choice !== 'auto') return choice
  return findNative() === undefined ? 'web' : 'node'
}

/**
 * Loads a runtime. Each thread of a process loads its own.
 * @throws EngineFailedError that names the package when the runtime is not installed
 */
export async function loadRuntime(choice: RuntimeChoice = 'auto'): Promise<OnnxRuntime> {
  const native = choice === 'web' ? undefined : await importNative()
  if (native !== undefined) return runtimeOf('node', native, ONE_THREAD)
  if (choice === 'node') {
    throw new EngineFailedError('onnxruntime-node is not installed. Run `npm install onnxruntime-node`.')
  }
  const { module, wasm } = await findFiles()
  // A file, which has no types.
  const ort: Ort = await import(pathToFileURL(module).href)
  ort.env.wasm.numThreads = 1
  ort.env.wasm.wasmBinary ??= await readFile(wasm)
  return runtimeOf('web', ort, { executionProviders: ['wasm'], logSeverityLevel: 3 })
}

/** Returns the native runtime when it is installed: an optional peer, whose types are not. */
async function importNative(): Promise<Ort | undefined> {
  const path = findNative()
  if (path === undefined) return undefined
  try {
    const { default: ort }: { readonly default: Ort } = await import(pathToFileURL(path).href)
    return ort
  } catch (error) {
    throw new EngineFailedError('onnxruntime-node is installed and does not load.', { cause: error })
  }
}

function findNative(): string | undefined {
  try {
    return createRequire(import.meta.url).resolve('onnxruntime-node')
  } catch {
    return undefined
  }
}

async function findFiles(): Promise<OnnxRuntimeFiles> {
  try {
    return (await import('@svc-audio/onnx-runtime')).onnxRuntimeFiles
  } catch (error) {
    throw new EngineFailedError(
      'The runtime of the bundled engines is not installed. Run `npm install @svc-audio/onnx-runtime`, or name another engine in the file of engines.',
      { cause: error },
    )
  }
}

function runtimeOf(name: OnnxRuntime['name'], ort: Ort, options: object): OnnxRuntime {
  return {
    name,
    tensor: (type, data, dims) => new ort.Tensor(type, data, dims),
    async open(model) {
      try {
        return await ort.InferenceSession.create(model, options)
      } catch (error) {
        throw new EngineFailedError('The graph does not load.', { cause: error })
      }
    },
  }
}
