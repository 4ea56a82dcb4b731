// The part of AudioWorkletGlobalScope that is used here; TypeScript's own libraries do not have it.

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

declare function registerProcessor(
  name: string,
  processor: new (options: { readonly processorOptions?: unknown }) => AudioWorkletProcessor,
): void

/** Frames per second of the audio context: only in a worklet. */
declare const sampleRate: number
