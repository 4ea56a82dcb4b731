/** The part of sherpa-onnx-node that the child process uses. The package has no types of its own. */
declare module 'sherpa-onnx-node' {
  interface Stream {
    acceptWaveform(wave: Wave): void
    setOption(key: string, value: string): void
  }
  interface Wave {
    readonly samples: Float32Array
    readonly sampleRate: number
  }
  class OfflineTts {
    constructor(config: object)
    readonly sampleRate: number
    readonly numSpeakers: number
    generate(request: {
      readonly text: string
      readonly sid?: number
      readonly speed?: number
      readonly generationConfig?: object
      readonly enableExternalBuffer: boolean
    }): Wave
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
  class Vad {
    constructor(config: object, bufferSeconds: number)
    acceptWaveform(samples: Float32Array): void
    flush(): void
    isEmpty(): boolean
    front(enableExternalBuffer: boolean): { readonly start: number; readonly samples: Float32Array }
    pop(): void
    reset(): void
  }
  class OfflinePunctuation {
    constructor(config: object)
    addPunct(text: string): string
  }
  class OnlinePunctuation {
    constructor(config: object)
    addPunct(text: string): string
  }
  interface EmbeddingStream extends Stream {
    inputFinished(): void
  }
  class SpeakerEmbeddingExtractor {
    constructor(config: object)
    createStream(): EmbeddingStream
    isReady(stream: EmbeddingStream): boolean
    compute(stream: EmbeddingStream, enableExternalBuffer: boolean): Float32Array
  }
  function readWave(path: string, enableExternalBuffer: boolean): Wave
  const sherpa: {
    readWave: typeof readWave
    OfflineTts: typeof OfflineTts
    OfflineRecognizer: typeof OfflineRecognizer
    Vad: typeof Vad
    OfflinePunctuation: typeof OfflinePunctuation
    OnlinePunctuation: typeof OnlinePunctuation
    SpeakerEmbeddingExtractor: typeof SpeakerEmbeddingExtractor
  }
  export default sherpa
}
