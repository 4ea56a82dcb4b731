import {
  MICROPHONE,
  MICROPHONE_RATE,
  type MicrophoneFrame,
  PLAYER,
  type PlayerInput,
  type PlayerReport,
} from './messages.ts'
import { Resampler } from '@svc-audio/core/audio'

/** Samples of a frame of the microphone. */
const FRAME = MICROPHONE_RATE / 50

/** Posts the microphone as mono PCM at 16 kHz, in frames of 20 ms. */
class MicrophoneProcessor extends AudioWorkletProcessor {
  readonly #resampler = new Resampler(sampleRate, MICROPHONE_RATE)
  #pcm = new Int16Array(FRAME)
  #filled = 0
  #squares = 0
  /** Samples of a block, once the microphone is connected. */
  #block: number | undefined

  process([input = []]: Float32Array[][]): boolean {
    this.#block = input[0]?.length ?? this.#block
    // Without input, the microphone is not connected yet. Later it is silent: Firefox then gives none, and the detection
    // of speech needs the silence.
    if (this.#block === undefined) return true
    const mono = new Float32Array(this.#block).map(
      (_, frame) => input.reduce((sum, channel) => sum + (channel[frame] ?? 0), 0) / Math.max(1, input.length),
    )
    for (const sample of this.#resampler.push(mono)) this.#take(sample)
    return true
  }

  #take(sample: number): void {
    this.#pcm[this.#filled] = Math.round(Math.max(-1, Math.min(1, sample)) * 0x7f_ff)
    this.#squares += sample * sample
    this.#filled += 1
    if (this.#filled < FRAME) return
    const message: MicrophoneFrame = { pcm: this.#pcm.buffer, level: Math.sqrt(this.#squares / FRAME) }
    this.port.postMessage(message, [message.pcm])
    this.#pcm = new Int16Array(FRAME)
    this.#filled = 0
    this.#squares = 0
  }
}

/** Reports per second. */
const REPORTS = 20

/** Plays PCM in order and without gaps. A pause keeps the position. */
class PlayerProcessor extends AudioWorkletProcessor {
  #queue: Float32Array[] = []
  #queued = 0
  #offset = 0
  #played = 0
  /** Seconds of audio that came in this turn. */
  #given = 0
  #pieces = 0
  #silent = 0
  #starved = 0
  #turn = 0
  #isPaused = false
  #sinceReport = 0
  #squares = 0
  #resampler: { readonly rate: number; readonly instance: Resampler } | undefined

  constructor() {
    super()
    this.port.addEventListener('message', ({ data }: MessageEvent<PlayerInput>) => this.#take(data))
    this.port.start()
  }

  process(_inputs: Float32Array[][], [output = []]: Float32Array[][]): boolean {
    const frames = output[0]?.length ?? 0
    const before = this.#played
    if (!this.#isPaused && this.#queued > 0) this.#play(output, frames)
    const played = this.#played - before
    if (played > 0) {
      this.#starved += this.#silent
      this.#silent = 0
    }
    if (!this.#isPaused && this.#played > 0) this.#silent += frames - played
    this.#sinceReport += frames
    if (this.#sinceReport >= sampleRate / REPORTS) this.#report()
    return true
  }

  #take(message: PlayerInput): void {
    if (message.type === 'audio') {
      const samples = this.#samplesOf(message)
      this.#queue.push(samples)
      this.#queued += samples.length
      this.#pieces += 1
    } else if (message.type === 'flush') {
      this.#flush(message.turn)
    } else {
      this.#isPaused = message.type === 'pause'
      this.#report()
    }
  }

  #samplesOf({ pcm, sampleRate: rate, channels }: Extract<PlayerInput, { type: 'audio' }>): Float32Array {
    const view = new DataView(pcm)
    const frames = Math.floor(pcm.byteLength / 2 / channels)
    this.#given += frames / rate
    const mono = Float32Array.from({ length: frames }, (_, frame) => {
      let sum = 0
      for (let channel = 0; channel < channels; channel += 1)
        sum += view.getInt16((frame * channels + channel) * 2, true)
      return sum / channels / 0x80_00
    })
    if (rate === sampleRate) return mono
    if (this.#resampler?.rate !== rate) this.#resampler = { rate, instance: new Resampler(rate, sampleRate) }
    return this.#resampler.instance.push(mono)
  }

  #flush(turn: number): void {
    this.#queue = []
    this.#queued = 0
    this.#offset = 0
    this.#played = 0
    this.#given = 0
    this.#pieces = 0
    this.#silent = 0
    this.#starved = 0
    this.#turn = turn
    this.#isPaused = false
    this.#resampler = undefined
    this.#report()
  }

  #play(output: readonly Float32Array[], frames: number): void {
    const [first] = output
    if (first === undefined) return
    let filled = 0
    while (filled < frames && this.#queue.length > 0) {
      const [samples = new Float32Array(0)] = this.#queue
      const part = samples.subarray(this.#offset, this.#offset + frames - filled)
      first.set(part, filled)
      filled += part.length
      this.#offset += part.length
      if (this.#offset < samples.length) continue
      this.#queue.shift()
      this.#offset = 0
    }
    for (const sample of first.subarray(0, filled)) this.#squares += sample * sample
    for (const channel of output.slice(1)) channel.set(first)
    this.#played += filled
    this.#queued -= filled
  }

  #report(): void {
    const report: PlayerReport = {
      turn: this.#turn,
      // A change of the rate keeps the last samples back: without this, no answer would ever be played to its end.
      played: this.#queued === 0 ? this.#given : Math.min(this.#given, this.#played / sampleRate),
      queued: this.#queued / sampleRate,
      pieces: this.#pieces,
      starved: this.#starved,
      level: Math.sqrt(this.#squares / Math.max(1, this.#sinceReport)),
    }
    this.#sinceReport = 0
    this.#squares = 0
    this.port.postMessage(report, [])
  }
}

registerProcessor(MICROPHONE, MicrophoneProcessor)
registerProcessor(PLAYER, PlayerProcessor)
