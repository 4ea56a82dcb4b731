import { createStore, type Store } from '../lib/store.ts'
import { levelsOf } from './levels.ts'
import { endTurn, type Player, type PlayerState, takeTurn, volume } from './player.ts'

/** Longest audio whose waveform is computed, in bytes of the file. Decoding takes twenty times as much memory. */
const MAX_DECODED_BYTES = 12_000_000

/** Plays a file in a format of the browser, from memory or from an address. */
export class MediaPlayer implements Player {
  readonly state: Store<PlayerState>
  readonly #audio: HTMLAudioElement = new Audio()
  readonly #url: string | undefined
  readonly #unsubscribe: () => void
  #frame = 0

  /** @param source Bytes, or an address. */
  constructor(source: Blob | string) {
    this.state = createStore<PlayerState>({
      status: 'paused',
      position: 0,
      duration: 0,
      open: false,
      levels: undefined,
    })
    this.#url = source instanceof Blob ? URL.createObjectURL(source) : undefined
    this.#audio.preload = 'auto'
    this.#audio.volume = volume.get()
    this.#unsubscribe = volume.subscribe(() => {
      this.#audio.volume = volume.get()
    })
    for (const name of ['play', 'playing', 'waiting', 'pause', 'ended', 'durationchange', 'seeked'] as const) {
      this.#audio.addEventListener(name, () => this.#note())
    }
    this.#audio.src = this.#url ?? (typeof source === 'string' ? source : '')
    if (source instanceof Blob && source.size <= MAX_DECODED_BYTES) void this.#decode(source)
  }

  async play(): Promise<void> {
    takeTurn(this)
    await this.#audio.play()
  }

  pause(): void {
    endTurn(this)
    this.#audio.pause()
  }

  seek(seconds: number): void {
    this.#audio.currentTime = seconds
    this.#note()
  }

  close(): void {
    this.pause()
    this.#unsubscribe()
    cancelAnimationFrame(this.#frame)
    this.#audio.removeAttribute('src')
    if (this.#url !== undefined) URL.revokeObjectURL(this.#url)
  }

  #note(): void {
    const { paused, ended, readyState, currentTime, duration } = this.#audio
    const playing = readyState >= HTMLMediaElement.HAVE_FUTURE_DATA || ended
    const status = ended ? 'ended' : paused ? 'paused' : playing ? 'playing' : 'waiting'
    if (ended) endTurn(this)
    const known = Number.isFinite(duration) ? duration : this.state.get().duration
    this.state.set({ ...this.state.get(), status, position: currentTime, duration: known })
    cancelAnimationFrame(this.#frame)
    if (status === 'playing') this.#frame = requestAnimationFrame(() => this.#note())
  }

  async #decode(source: Blob): Promise<void> {
    try {
      const context = new OfflineAudioContext({ length: 1, sampleRate: 16_000 })
      const { sampleRate, ...audio } = await decode(context, source)
      this.state.set({ ...this.state.get(), levels: levelsOf(audio.samples, sampleRate), duration: audio.seconds })
    } catch {
      // The browser may play formats that it does not decode. Then there is no waveform.
    }
  }
}

async function decode(
  context: OfflineAudioContext,
  source: Blob,
): Promise<{ readonly samples: Float32Array; readonly sampleRate: number; readonly seconds: number }> {
  const decoded = await context.decodeAudioData(await source.arrayBuffer())
  return { samples: decoded.getChannelData(0), sampleRate: decoded.sampleRate, seconds: decoded.duration }
}
