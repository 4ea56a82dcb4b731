import { ConfigurationError } from '@svc-audio/core'
import { SPEECH_FRAME_SAMPLES, type SpeechDetection, type SpeechDetector } from './speech-detector.ts'

/** Samples before a frame that the graph hears again. */
const CONTEXT_SAMPLES = 64
const STATE_DIMS = [2, 1, 128]
const STATE_SIZE = 256
/** Numbers of the graph are samples between -1 and 1. */
const FULL_SCALE = 0x80_00

/** An array of numbers with its shape. */
interface Tensor {
  readonly data: ArrayLike<number | bigint>
}

type NewTensor = new (type: 'float32' | 'int64', data: Float32Array | BigInt64Array, dims: readonly number[]) => Tensor

interface Graph {
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>
}

/** The part of ONNX Runtime that is used. */
interface Runtime {
  readonly Tensor: NewTensor
  readonly InferenceSession: { create(model: Uint8Array, options: object): Promise<Graph> }
  readonly env: { readonly wasm: { numThreads?: number; wasmBinary?: Uint8Array } }
}

const INSTALL = 'Run `npm install @svc-audio/silero-vad @svc-audio/onnx-runtime`'

/**
 * Silero VAD in WebAssembly, for `speech` of `detectUtterances`: it tells speech from music, coughs, keys and machines. The
 * graph is loaded once per process, and takes about 3 % of the time of the sound. It needs the packages
 * `@svc-audio/silero-vad` and `@svc-audio/onnx-runtime`.
 *
 * `open()` throws a ConfigurationError that names the packages when they are not installed.
 */
export function sileroSpeech(): SpeechDetection {
  return {
    name: 'Silero VAD',
    open: async () => new SileroDetector(await (loading ??= load().catch(forget))),
  }
}

/** The graph, which all microphones share. */
let loading: Promise<LoadedGraph> | undefined

function forget(error: unknown): never {
  loading = undefined
  throw error
}

/** Whether the packages of {@link sileroSpeech} are installed. */
export async function hasSilero(): Promise<boolean> {
  return (await findFiles()) !== undefined
}

/** Files of both packages. */
interface Files {
  readonly graph: string
  readonly module: string
  readonly wasm: string
}

async function findFiles(): Promise<Files | undefined> {
  try {
    const [{ sileroVadFile: graph }, { onnxRuntimeFiles }] = await Promise.all([
      import('@svc-audio/silero-vad'),
      import('@svc-audio/onnx-runtime'),
    ])
    return { graph, ...onnxRuntimeFiles }
  } catch {
    return undefined
  }
}

/** A loaded graph. Microphones take turns, because it computes one frame at a time. */
interface LoadedGraph {
  readonly Tensor: NewTensor
  run(inputs: Readonly<Record<string, Tensor>>): Promise<Readonly<Record<string, Tensor>>>
}

async function load(): Promise<LoadedGraph> {
  const files = await findFiles()
  if (files === undefined) throw new ConfigurationError(`The detector of speech is not installed. ${INSTALL}`)
  // Runtimes without files can load the rest of this package.
  const [{ readFile }, { pathToFileURL }] = await Promise.all([import('node:fs/promises'), import('node:url')])
  // A file, which has no types.
  const runtime: Runtime = await import(pathToFileURL(files.module).href)
  runtime.env.wasm.numThreads = 1
  runtime.env.wasm.wasmBinary ??= await readFile(files.wasm)
  const options = { executionProviders: ['wasm'], logSeverityLevel: 3 }
  const graph = await runtime.InferenceSession.create(await readFile(files.graph), options)
  let last: Promise<unknown> = Promise.resolve()
  return {
    Tensor: runtime.Tensor,
    run: (inputs) => {
      const result = last.then(() => graph.run(inputs))
      last = result.catch(() => {})
      return result
    },
  }
}

class SileroDetector implements SpeechDetector {
  readonly #graph: LoadedGraph
  readonly #rate: Tensor
  readonly #context = new Float32Array(CONTEXT_SAMPLES)
  #state: Tensor

  constructor(graph: LoadedGraph) {
    this.#graph = graph
    this.#rate = new graph.Tensor('int64', BigInt64Array.of(16_000n), [])
    this.#state = this.#emptyState()
  }

  async judge(frame: Int16Array): Promise<number> {
    // Hours of silence cost nothing.
    if (!frame.some((sample) => sample !== 0)) {
      this.reset()
      return 0
    }
    const input = new Float32Array(CONTEXT_SAMPLES + SPEECH_FRAME_SAMPLES)
    input.set(this.#context)
    for (const [index, sample] of frame.entries()) input[CONTEXT_SAMPLES + index] = sample / FULL_SCALE
    this.#context.set(input.subarray(-CONTEXT_SAMPLES))
    const { output, stateN } = await this.#graph.run({
      input: new this.#graph.Tensor('float32', input, [1, input.length]),
      state: this.#state,
      sr: this.#rate,
    })
    if (stateN !== undefined) this.#state = stateN
    return Number(output?.data[0] ?? 0)
  }

  reset(): void {
    this.#context.fill(0)
    this.#state = this.#emptyState()
  }

  #emptyState(): Tensor {
    return new this.#graph.Tensor('float32', new Float32Array(STATE_SIZE), STATE_DIMS)
  }
}
