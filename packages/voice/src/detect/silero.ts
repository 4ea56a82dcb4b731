import { ConfigurationError } from '@svc-audio/core'
import type { SileroDetector } from '@svc-audio/silero-vad'
import { loadGraph, type OnnxRuntime } from './silero-graph.ts'
import type { SpeechDetection, SpeechDetector } from './speech-detector.ts'

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
    open: async () => (await (loading ??= load().catch(forget)))(),
  }
}

/** The graph, which all microphones share. */
let loading: Promise<() => SpeechDetector> | undefined

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
  readonly SileroDetector: typeof SileroDetector
  readonly graph: string
  readonly module: string
  readonly wasm: string
}

async function findFiles(): Promise<Files | undefined> {
  try {
    const [{ sileroVadFile: graph, SileroDetector: detector }, { onnxRuntimeFiles }] = await Promise.all([
      import('@svc-audio/silero-vad'),
      import('@svc-audio/onnx-runtime'),
    ])
    return { SileroDetector: detector, graph, ...onnxRuntimeFiles }
  } catch {
    return undefined
  }
}

/** The graph. Microphones take turns, because it computes one frame at a time. */
async function load(): Promise<() => SpeechDetector> {
  const files = await findFiles()
  if (files === undefined) throw new ConfigurationError(`The detector of speech is not installed. ${INSTALL}`)
  // Runtimes without files can load the rest of this package.
  const [{ readFile }, { pathToFileURL }] = await Promise.all([import('node:fs/promises'), import('node:url')])
  // A file, which has no types.
  const runtime: OnnxRuntime = await import(pathToFileURL(files.module).href)
  runtime.env.wasm.wasmBinary ??= await readFile(files.wasm)
  const graph = await loadGraph(runtime, await readFile(files.graph))
  return () => new files.SileroDetector(graph)
}
