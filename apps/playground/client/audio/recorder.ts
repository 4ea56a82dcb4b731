import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import type { Level, RecorderOutput } from './level.ts'
import { closeMicrophone, openMicrophone } from './microphone.ts'
import { floatsToPcm16 } from './pcm-floats.ts'
// oxlint-disable-next-line import/default -- Vite makes the module: the worklet, built, and its address
import workletUrl from './recorder.worklet.ts?worker&url'

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

/** A silence of this length ends a piece, in seconds. */
const PAUSE_SECONDS = 0.6

/** Longest piece, in seconds: its text comes while the speaker still speaks. */
const MAX_SECONDS = 10

/** Silence that is stored before the first word of a piece, in seconds. */
const LEAD_SECONDS = 0.4

/** Root mean square of silence: absolute, and as a share of the loudest moment so far. */
const QUIET = 0.004
const QUIET_SHARE = 0.12

/** Cuts a recording at its pauses into pieces that can be recognized while the recording continues. */
export class SpeechPieces {
  readonly #sampleRate: number
  readonly #onPiece: (pcm: readonly Uint8Array[]) => void
  #chunks: Uint8Array[] = []
  // Counted in samples: sums of seconds are inexact.
  #length = 0
  #silence = 0
  #loudest = 0
  #hasSpeech = false

  /** @param onPiece Called with the samples of each piece that has speech. */
  constructor(sampleRate: number, onPiece: (pcm: readonly Uint8Array[]) => void) {
    this.#sampleRate = sampleRate
    this.#onPiece = onPiece
  }

  /** Adds the next 16-bit samples, with their level. */
  push(pcm: Uint8Array, { rms }: Level): void {
    const samples = pcm.byteLength / 2
    this.#chunks.push(pcm)
    this.#length += samples
    this.#loudest = Math.max(this.#loudest, rms)
    const isQuiet = rms < Math.max(QUIET, this.#loudest * QUIET_SHARE)
    this.#silence = isQuiet ? this.#silence + samples : 0
    if (!isQuiet) this.#hasSpeech = true
    if (!this.#hasSpeech) this.#dropSilence()
    else if (this.#lasts(this.#silence, PAUSE_SECONDS) || this.#lasts(this.#length, MAX_SECONDS)) this.end()
  }

  /** Gives the piece that has begun: the recording ends. */
  end(): void {
    if (this.#hasSpeech) this.#onPiece(this.#chunks)
    this.#chunks = []
    this.#length = 0
    this.#silence = 0
    this.#hasSpeech = false
  }

  #lasts(samples: number, seconds: number): boolean {
    return samples >= Math.round(seconds * this.#sampleRate)
  }

  #dropSilence(): void {
    const lead = Math.round(LEAD_SECONDS * this.#sampleRate)
    while (this.#length > lead) this.#length -= (this.#chunks.shift()?.byteLength ?? 0) / 2
  }
}
