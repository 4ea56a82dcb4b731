import { encodeWav, type PcmFormat } from '@svc-audio/core/streaming'
import type { Level } from './level.ts'
import { closeMicrophone, openMicrophone } from './microphone.ts'
import { floatsToPcm16 } from './pcm-floats.ts'
import type { RecorderOutput } from './recorder-messages.ts'
// oxlint-disable-next-line import/default -- Vite makes the module: the worklet, built, and its address
import workletUrl from './recorder.worklet.ts?worker&url'
import { SpeechPieces } from './speech-pieces.ts'

/** Longest recording, in seconds. It stays in memory until the upload: at most 10 MB per minute. */
export const MAX_RECORDING_SECONDS = 300

/** Listeners of a recording. */
export interface RecordingOptions {
  /** Id of the microphone. Without it, or when it is gone, the browser's own choice. */
  readonly device?: string
  /** Called while the recording runs. */
  readonly onLevel: (level: Level, seconds: number) => void
  /** Called with each piece of speech, a WAV, after its pause. */
  readonly onPiece?: (wav: Blob) => void
}

/** A WAV recording from the microphone. Every service reads WAV. */
export class Recording {
  readonly #context: AudioContext
  readonly #node: AudioWorkletNode
  readonly #chunks: Uint8Array[] = []
  readonly #pieces: SpeechPieces
  #microphone: MediaStream
  #source: MediaStreamAudioSourceNode
  #frames = 0

  private constructor(context: AudioContext, microphone: MediaStream, { onLevel, onPiece }: RecordingOptions) {
    this.#context = context
    this.#microphone = microphone
    this.#pieces = new SpeechPieces(context.sampleRate, (pcm) => onPiece?.(this.#wav(pcm)))
    this.#node = new AudioWorkletNode(context, 'recorder', { numberOfOutputs: 0 })
    this.#node.port.addEventListener('message', ({ data }: MessageEvent<RecorderOutput>) => {
      const pcm = floatsToPcm16(data.samples)
      this.#chunks.push(pcm)
      this.#frames += data.samples.length
      this.#pieces.push(pcm, data.level)
      onLevel(data.level, this.#frames / context.sampleRate)
    })
    this.#node.port.start()
    this.#source = context.createMediaStreamSource(microphone)
    this.#source.connect(this.#node)
  }

  /**
   * Asks for the microphone and begins.
   * @throws DOMException `NotAllowedError` or `NotFoundError`
   */
  static async begin(options: RecordingOptions): Promise<Recording> {
    const microphone = await openMicrophone(options.device)
    // Use the microphone's sample rate: some browsers do not resample here.
    const context = new AudioContext()
    try {
      await context.audioWorklet.addModule(workletUrl)
      await context.resume()
      return new Recording(context, microphone, options)
    } catch (error) {
      await release(context, microphone)
      throw error
    }
  }

  /** Continues with another microphone. @throws DOMException; the recording then continues with the one before */
  async use(device: string): Promise<void> {
    const microphone = await openMicrophone(device)
    try {
      const source = this.#context.createMediaStreamSource(microphone)
      this.#source.disconnect()
      this.#source = source
      this.#source.connect(this.#node)
    } catch (error) {
      closeMicrophone(microphone)
      throw error
    }
    closeMicrophone(this.#microphone)
    this.#microphone = microphone
  }

  /** Ends the recording and releases the microphone. @returns The WAV file. */
  async finish(): Promise<Blob> {
    this.#pieces.end()
    await release(this.#context, this.#microphone)
    return this.#wav(this.#chunks)
  }

  #wav(pcm: readonly Uint8Array[]): Blob {
    const format: PcmFormat = { sampleRate: this.#context.sampleRate, channels: 1, bitDepth: 16 }
    return new Blob([encodeWav(format, pcm)], { type: 'audio/wav' })
  }
}

async function release(context: AudioContext, microphone: MediaStream): Promise<void> {
  closeMicrophone(microphone)
  await context.close()
}
