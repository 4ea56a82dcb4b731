// The used part of AudioWorkletGlobalScope. TypeScript's libraries do not declare it.

declare abstract class AudioWorkletProcessor {
  readonly port: MessagePort
  abstract process(inputs: Float32Array[][], outputs: Float32Array[][]): boolean
}

declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void

/** Frames per second of the audio context. Exists in worklets only. */
declare const sampleRate: number
