import { encodeWav } from '@svc-audio/core/streaming'
import type { Level } from './level.ts'
import { floatsToPcm16 } from './pcm-floats.ts'
import type { RecorderOutput } from './recorder-messages.ts'
// oxlint-disable-next-line import/default -- Vite makes the module: the worklet, built, and its address
import workletUrl from './recorder.worklet.ts?worker&url'

/** Longest recording, in seconds. It stays in memory until the upload: at most 10 MB per minute. */
export const MAX_RECORDING_SECONDS = 300

/** Called while a recording runs. */
export type RecordingListener = (level: Level, seconds: number) => void

/** A WAV recording from the microphone. Every service reads WAV. */
export class Recording {
  readonly #context: AudioContext
  readonly #microphone: MediaStream
  readonly #chunks: Uint8Array[] = []
  #frames = 0

  private constructor(context: AudioContext, microphone: MediaStream, listener: RecordingListener) {
    this.#context = context
    this.#microphone = microphone
    const node = new AudioWorkletNode(context, 'recorder', { numberOfOutputs: 0 })
    node.port.addEventListener('message', ({ data }: MessageEvent<RecorderOutput>) => {
      this.#chunks.push(floatsToPcm16(data.samples))
      this.#frames += data.samples.length
      listener(data.level, this.#frames / context.sampleRate)
    })
    node.port.start()
    context.createMediaStreamSource(microphone).connect(node)
  }

  /**
   * Asks for the microphone and begins.
   * @throws DOMException `NotAllowedError` or `NotFoundError`
   */
  static async begin(listener: RecordingListener): Promise<Recording> {
    const microphone = await navigator.mediaDevices.getUserMedia({ audio: true })
    // Use the microphone's sample rate: some browsers do not resample here.
    const context = new AudioContext()
    try {
      await context.audioWorklet.addModule(workletUrl)
      await context.resume()
      return new Recording(context, microphone, listener)
    } catch (error) {
      await release(context, microphone)
      throw error
    }
  }

  /** Ends the recording and releases the microphone. @returns The WAV file. */
  async finish(): Promise<Blob> {
    const format = { sampleRate: this.#context.sampleRate, channels: 1, bitDepth: 16 }
    await release(this.#context, this.#microphone)
    return new Blob([encodeWav(format, this.#chunks)], { type: 'audio/wav' })
  }
}

async function release(context: AudioContext, microphone: MediaStream): Promise<void> {
  for (const track of microphone.getTracks()) track.stop()
  await context.close()
}
