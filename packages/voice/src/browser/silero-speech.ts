import { SileroDetector, type SileroGraph, type SileroTensor } from '@svc-audio/silero-vad/detector'
import { findOptionFault, type OptionRule, text } from '#options'
import { loadGraph, type OnnxRuntime } from '../detect/silero-graph.ts'
import type { SpeechDetection } from '../detect/speech-detector.ts'

/** Where a page finds the files of {@link sileroSpeech}: addresses of its own server. */
export interface SileroAddresses {
  /** `dist/files/ort.mjs` of `@svc-audio/onnx-runtime`: a module. */
  readonly module: string
  /** `dist/files/ort-wasm-simd-threaded.wasm` of `@svc-audio/onnx-runtime`: 14 MB. */
  readonly wasm: string
  /** `files/silero_vad_16k_op15.onnx` of `@svc-audio/silero-vad`: 1.3 MB. */
  readonly graph: string
}

const RULES: Readonly<Record<keyof SileroAddresses, OptionRule>> = { module: text, wasm: text, graph: text }

/**
 * Silero VAD in the page, for `speech` of `VoiceClient`: music, coughs, keys and machines never leave the page. The files
 * are loaded once per page, at the first `open()`; call it early to have them when the user wants to talk.
 *
 * `open()` rejects with an Error that names the address which could not be loaded. The next call loads it again.
 * @throws TypeError naming the field
 */
export function sileroSpeech(addresses: SileroAddresses): SpeechDetection {
  const fault = findOptionFault(addresses, RULES, 'sileroSpeech()')
  if (fault !== undefined) throw new TypeError(fault.message)
  let loading: Promise<SileroGraph<SileroTensor>> | undefined
  const forget = (error: unknown): never => {
    loading = undefined
    throw error
  }
  return {
    name: 'Silero VAD',
    open: async () => new SileroDetector(await (loading ??= load(addresses).catch(forget))),
  }
}

async function load({ module, wasm, graph }: SileroAddresses): Promise<SileroGraph<SileroTensor>> {
  const [runtime, binary, model] = await Promise.all([importRuntime(module), bytesOf(wasm), bytesOf(graph)])
  runtime.env.wasm.wasmBinary ??= binary
  return loadGraph(runtime, model)
}

async function importRuntime(address: string): Promise<OnnxRuntime> {
  try {
    // An address, which has no types, and which bundlers leave alone.
    return await import(/* @vite-ignore */ /* webpackIgnore: true */ new URL(address, location.href).href)
  } catch (error) {
    throw new Error(`The detector of speech could not be loaded: ${address}`, { cause: error })
  }
}

async function bytesOf(address: string): Promise<Uint8Array> {
  const response = await fetch(address).catch((error: unknown) => {
    throw new Error(`The detector of speech could not be loaded: ${address}`, { cause: error })
  })
  if (!response.ok)
    throw new Error(`The detector of speech could not be loaded: ${address} answered ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}
