import { createStore, readStored, type Store, writeStored } from '../lib/store.ts'
import { addStop } from '../shell/panel-context.ts'
import { type Levels, levelsOf } from './pcm.ts'

/** State of a player. */
export interface PlayerState {
  /** `waiting`: it plays as soon as audio arrives. */
  readonly status: 'paused' | 'waiting' | 'playing' | 'ended'
  /** Seconds from the start. */
  readonly position: number
  /** Seconds that can be played. Grows while a stream arrives. */
  readonly duration: number
  /** Whether more may arrive. */
  readonly open: boolean
  /** For a waveform. `undefined` when unknown. */
  readonly levels: Levels | undefined
  /** Why it cannot be played, in a sentence. @default it can, or that is not known yet */
  readonly fault?: string
}

/** Plays one audio. `<PlayerBar>` shows and controls it. */
export interface Player {
  readonly state: Pick<Store<PlayerState>, 'get' | 'subscribe'>
  /** Plays, from the start after the end. Call it in a click or a key press the first time. */
  play(): Promise<void>
  pause(): void
  /** Moves to a position, in seconds. */
  seek(seconds: number): void
  /** Ends the player and frees what it holds. */
  close(): void
}

/** The volume of every player, 0 to 1. */
export const volume: Store<number> = createStore(readStored('volume', 1))

volume.subscribe(() => writeStored('volume', volume.get()))

let current: { readonly player: Player; readonly release: () => void } | undefined

/** Notes that a player plays. Pauses the one before: only one is heard. Escape pauses it too. */
export function takeTurn(player: Player): void {
  if (current?.player === player) return
  current?.player.pause()
  current?.release()
  current = { player, release: addStop(() => player.pause()) }
}

/** Notes that a player no longer plays. */
export function endTurn(player: Player): void {
  if (current?.player !== player) return
  current.release()
  current = undefined
}

/** The fault of audio in a format that the browser does not read. */
export const UNPLAYABLE = 'This browser cannot play the format.'

/** Longest audio whose waveform is computed, in bytes of the file. Decoding takes twenty times as much memory. */
const MAX_DECODED_BYTES = 12_000_000

/** Plays a file in a format of the browser, from memory, from an address, or from bytes that it loads when it plays. */
export class MediaPlayer implements Player {
  readonly state: Store<PlayerState>
  readonly #audio: HTMLAudioElement = new Audio()
  readonly #load: (() => Promise<Blob>) | undefined
  readonly #unsubscribe: () => void
  #url: string | undefined
  #frame = 0

  /**
   * @param source Bytes, an address, or a function that reads the bytes before the first sound.
   * @param duration Seconds, if known before the bytes are.
   */
  constructor(source: Blob | string | (() => Promise<Blob>), duration: number = 0) {
    this.state = createStore<PlayerState>({
      status: 'paused',
      position: 0,
      duration,
      open: false,
      levels: undefined,
    })
    this.#load = typeof source === 'function' ? source : undefined
    this.#audio.preload = 'auto'
    this.#audio.volume = volume.get()
    this.#unsubscribe = volume.subscribe(() => {
      this.#audio.volume = volume.get()
    })
    for (const name of ['play', 'playing', 'waiting', 'pause', 'ended', 'durationchange', 'seeked'] as const) {
      this.#audio.addEventListener(name, () => this.#note())
    }
    const fault = typeof source === 'string' ? 'The browser cannot load or play this audio.' : UNPLAYABLE
    this.#audio.addEventListener('error', () => this.#set({ status: 'paused', fault }))
    if (typeof source === 'string') this.#audio.src = source
    else if (source instanceof Blob) this.#open(source)
  }

  /** @throws errors of the loader, and a DOMException for a format that the browser cannot play */
  async play(): Promise<void> {
    takeTurn(this)
    if (this.#load !== undefined && this.#url === undefined) {
      this.#set({ status: 'waiting' })
      try {
        this.#open(await this.#load())
      } catch (error) {
        this.pause()
        this.#set({ status: 'paused' })
        throw error
      }
      // Another player may have begun, or the user may have paused this one.
      if (this.state.get().status !== 'waiting') return
    }
    await this.#audio.play()
  }

  pause(): void {
    endTurn(this)
    this.#audio.pause()
    if (this.state.get().status === 'waiting') this.#set({ status: 'paused' })
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

  #open(source: Blob): void {
    this.#url = URL.createObjectURL(source)
    this.#audio.src = this.#url
    if (source.size <= MAX_DECODED_BYTES) void this.#decode(source)
  }

  #set(change: Partial<PlayerState>): void {
    this.state.set({ ...this.state.get(), ...change })
  }

  #note(): void {
    const { paused, ended, readyState, currentTime, duration } = this.#audio
    const playing = readyState >= HTMLMediaElement.HAVE_FUTURE_DATA || ended
    const status = ended ? 'ended' : paused ? 'paused' : playing ? 'playing' : 'waiting'
    if (ended) endTurn(this)
    const known = Number.isFinite(duration) ? duration : this.state.get().duration
    this.#set({ status, position: currentTime, duration: known })
    cancelAnimationFrame(this.#frame)
    if (status === 'playing') this.#frame = requestAnimationFrame(() => this.#note())
  }

  async #decode(source: Blob): Promise<void> {
    try {
      const context = new OfflineAudioContext({ length: 1, sampleRate: 16_000 })
      const decoded = await context.decodeAudioData(await source.arrayBuffer())
      this.#set({ levels: levelsOf(decoded.getChannelData(0), decoded.sampleRate), duration: decoded.duration })
    } catch {
      // The browser may play formats that it does not decode. Then there is no waveform.
    }
  }
}
