import { encodeWav, type PcmFormat } from '@svc-audio/core/audio'
import { useEffect, useRef, useState } from 'react'
import { useShared } from '../lib/store.ts'
import { useLatest, useStop } from '../shell/panel-context.ts'
import { floatsToPcm16 } from './pcm.ts'
import type { Level, RecorderOutput } from './recorder.worklet.ts'
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
  /** Called when the microphone is unplugged, or loses its permission. */
  readonly onGone: () => void
}

/** A WAV recording from the microphone. Every service reads WAV. */
export class Recording {
  readonly #context: AudioContext
  readonly #node: AudioWorkletNode
  readonly #chunks: Uint8Array[] = []
  readonly #pieces: SpeechPieces
  readonly #onGone: () => void
  #microphone: MediaStream
  #source: MediaStreamAudioSourceNode
  #frames = 0

  private constructor(context: AudioContext, microphone: MediaStream, { onLevel, onPiece, onGone }: RecordingOptions) {
    this.#context = context
    this.#onGone = onGone
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
    whenGone(microphone, () => this.#lose(microphone))
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
    whenGone(microphone, () => this.#lose(microphone))
  }

  #lose(microphone: MediaStream): void {
    if (microphone === this.#microphone) this.#onGone()
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

/** The microphones, and the one of the user's choice: the same for all panels. */
export interface Microphones {
  /** The microphones, once the browser names them: while one is open. */
  readonly devices: readonly MediaDeviceInfo[]
  /** Id of the chosen microphone. Empty for the browser's choice. */
  readonly device: string
  readonly choose: (device: string) => void
  /** Reads the names again. Call it when a microphone is open. */
  readonly name: () => Promise<void>
}

/** The microphones of this computer. */
export function useMicrophones(): Microphones {
  const [device, setDevice] = useShared('microphone', '')
  const [devices, setDevices] = useState<readonly MediaDeviceInfo[]>([])
  const choose = (id: string): void => setDevice(() => id)
  const name = async (): Promise<void> => {
    try {
      const all = await navigator.mediaDevices.enumerateDevices()
      setDevices(all.filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== ''))
    } catch {
      // A browser that does not name its devices records from the one of its choice.
    }
  }
  return { devices, device, choose, name }
}

/**
 * Asks for a microphone.
 * @param device Its id. Without it, or when it is gone, the browser's own choice.
 * @throws DOMException `NotAllowedError` or `NotFoundError`
 */
export function openMicrophone(device = ''): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({ audio: device === '' ? true : { deviceId: device } })
}

/** Calls a function when a microphone is unplugged, or loses its permission. Not when the page frees it. */
export function whenGone(microphone: MediaStream, call: () => void): void {
  for (const track of microphone.getTracks()) track.addEventListener('ended', call)
}

/** Frees a microphone. */
export function closeMicrophone(microphone: MediaStream | undefined): void {
  for (const track of microphone?.getTracks() ?? []) track.stop()
}

/** Why a microphone cannot be used, and what to do. */
export function microphoneFault(reason: unknown): string {
  const name = reason instanceof DOMException ? reason.name : ''
  if (name === 'NotAllowedError') return 'The browser blocks the microphone. Allow it in the address bar.'
  if (name === 'NotFoundError') return 'No microphone found.'
  return `Cannot use the microphone: ${reason instanceof Error ? reason.message : String(reason)}`
}

/** Silence. */
const SILENCE: Level = { rms: 0, peak: 0 }

/** The microphone and its actions. */
export interface RecorderControl extends Pick<Microphones, 'devices' | 'device' | 'choose'> {
  /** `review`: the recording is complete, and neither sent nor discarded. */
  readonly phase: 'idle' | 'recording' | 'review'
  readonly level: Level
  readonly seconds: number
  /** The complete recording, a WAV. */
  readonly recording: Blob | undefined
  readonly error: string | undefined
  readonly start: () => void
  /** Ends the recording. */
  readonly finish: () => void
  /** Removes the recording, also a running one. */
  readonly discard: () => void
}

/**
 * Records from the microphone. The recording stays here until it is sent or discarded.
 * @param onPiece See {@link RecordingOptions}.
 */
export function useRecorder(onPiece?: RecordingOptions['onPiece']): RecorderControl {
  const { devices, device, choose: remember, name } = useMicrophones()
  const latest = useLatest(onPiece)
  const [phase, setPhase] = useState<RecorderControl['phase']>('idle')
  const [heard, setHeard] = useState({ level: SILENCE, seconds: 0 })
  const [recording, setRecording] = useState<Blob>()
  const [error, setError] = useState<string>()
  const current = useRef<Promise<Recording>>(undefined)

  const end = async (): Promise<Blob | undefined> => {
    const running = current.current
    current.current = undefined
    // A failed start has already set the error.
    return running?.then((begun) => begun.finish()).catch(() => undefined)
  }
  const finish = (): void => {
    setPhase('review')
    void end().then((wav) => wav !== undefined && setRecording(wav))
  }
  const discard = (): void => {
    setPhase('idle')
    setRecording(undefined)
    void end()
  }
  const start = (): void => {
    setError(undefined)
    setRecording(undefined)
    setHeard({ level: SILENCE, seconds: 0 })
    setPhase('recording')
    const begun = Recording.begin({
      device,
      onPiece: (wav) => latest.current?.(wav),
      onLevel: (level, seconds) => {
        if (current.current !== begun) return
        setHeard({ level, seconds })
        if (seconds >= MAX_RECORDING_SECONDS) finish()
      },
      onGone: () => {
        if (current.current !== begun) return
        finish()
        setError('The microphone is gone. The recording has what it heard before.')
      },
    })
    current.current = begun
    begun.then(name).catch((reason: unknown) => {
      if (current.current !== begun) return
      current.current = undefined
      setPhase('idle')
      setError(microphoneFault(reason))
    })
  }
  const choose = (id: string): void => {
    setError(undefined)
    remember(id)
    current.current?.then((running) => running.use(id)).catch((reason: unknown) => setError(microphoneFault(reason)))
  }
  const latestEnd = useLatest(end)
  useStop(phase === 'recording', finish)
  useEffect(() => () => void latestEnd.current(), [latestEnd])
  const { level, seconds } = heard
  return { phase, level, seconds, recording, error, devices, device, choose, start, finish, discard }
}
