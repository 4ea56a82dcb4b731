/** The part of sherpa-onnx-node that the child process uses. The package has no types of its own. */
declare module 'sherpa-onnx-node' {
  interface Stream {
    acceptWaveform(wave: { readonly samples: Float32Array; readonly sampleRate: number }): void
  }
  class OfflineTts {
    constructor(config: object)
    readonly sampleRate: number
    readonly numSpeakers: number
    generate(request: {
      readonly text: string
      readonly sid: number
      readonly speed: number
      readonly enableExternalBuffer: boolean
    }): { readonly samples: Float32Array; readonly sampleRate: number }
  }
  class OfflineRecognizer {
    constructor(config: object)
    createStream(): Stream
    setConfig(config: object): void
    decode(stream: Stream): void
    getResult(stream: Stream): {
      readonly text: string
      readonly tokens: string[]
      readonly timestamps: number[]
      readonly lang: string
    }
  }
  const sherpa: { OfflineTts: typeof OfflineTts; OfflineRecognizer: typeof OfflineRecognizer }
  export default sherpa
}
