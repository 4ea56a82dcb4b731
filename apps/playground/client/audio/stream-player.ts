import { createStore, type Store } from '../lib/store.ts'
import type { PcmTrack } from './pcm.ts'
import type { PlayerInput, PlayerOutput } from './player.worklet.ts'
import { endTurn, type Player, type PlayerState, takeTurn, volume } from './player.ts'
// oxlint-disable-next-line import/default -- Vite makes the module: the worklet, built, and its address
import workletUrl from './player.worklet.ts?worker&url'

/** Seconds of audio in the worklet's queue. More would only take memory. */
const AHEAD_SECONDS = 10
/** Maximum seconds in one message to the worklet. */
const PIECE_SECONDS = 1

/** Plays a track while it arrives. The track holds the audio; the worklet holds the next seconds. */
export class StreamPlayer implements Player {
  readonly state: Store<PlayerState>
  readonly #track: PcmTrack
  readonly #rate: number
  readonly #onStart: ((at: number) => void) | undefined
  readonly #cleanups: (() => void)[]
  #node: AudioWorkletNode | undefined
  #context: AudioContext | undefined
  #generation = 0
  /** First frame of the queue's generation. */
  #base = 0
  /** Next frame to send. */
  #next = 0
  #queued = 0
  #sentEnd = false
  #feeding = false
  #starved = 0

  /** @param onStart Called with the time when the first sample played, as `Date.now()`. */
  constructor(track: PcmTrack, onStart?: (at: number) => void) {
    this.#track = track
    this.#rate = track.format.sampleRate
    this.#onStart = onStart
    const { levels } = track
    this.state = createStore<PlayerState>({ status: 'paused', position: 0, duration: 0, open: true, levels })
    this.#cleanups = [track.subscribe(() => this.#grow())]
    this.#grow()
  }

  /** Seconds of silence because audio was late, since the last seek. */
  get starvedSeconds(): number {
    return this.#starved / this.#rate
  }

  async play(): Promise<void> {
    if (this.state.get().status === 'ended') this.seek(0)
    takeTurn(this)
    this.#set({ status: 'waiting' })
    const node = this.#node ?? (await this.#connect())
    if (this.state.get().status === 'paused') return
    this.#send({ type: 'pause', paused: false }, node)
    await Promise.all([this.#context?.resume(), this.#feed()])
  }

  pause(): void {
    endTurn(this)
    if (this.state.get().status === 'ended') return
    this.#send({ type: 'pause', paused: true })
    this.#rest()
    this.#set({ status: 'paused' })
  }

  seek(seconds: number): void {
    const frame = Math.max(0, Math.min(Math.round(seconds * this.#rate), this.#track.frames))
    this.#generation += 1
    this.#base = frame
    this.#next = frame
    this.#queued = 0
    this.#sentEnd = false
    this.#send({ type: 'flush', generation: this.#generation })
    const { status } = this.state.get()
    this.#set({ position: frame / this.#rate, status: status === 'ended' ? 'paused' : status })
    void this.#feed()
  }

  close(): void {
    endTurn(this)
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    this.#send({ type: 'stop' })
    this.#node?.port.close()
    this.#node?.disconnect()
    this.#node = undefined
    this.#set({ status: 'paused' })
  }

  async #connect(): Promise<AudioWorkletNode> {
    const { format } = this.#track
    const context = await contextFor(format.sampleRate)
    // A second click may come while the context opens.
    if (this.#node !== undefined) return this.#node
    const node = new AudioWorkletNode(context, 'player', {
      numberOfInputs: 0,
      outputChannelCount: [format.channels],
    })
    const gain = new GainNode(context, { gain: volume.get() })
    const turn = (): void => void gain.gain.setTargetAtTime(volume.get(), context.currentTime, 0.01)
    this.#cleanups.push(volume.subscribe(turn))
    node.port.addEventListener('message', ({ data }: MessageEvent<PlayerOutput>) => this.#note(data))
    node.port.start()
    node.connect(gain).connect(context.destination)
    this.#context = context
    this.#node = node
    this.#send({ type: 'flush', generation: this.#generation })
    return node
  }

  #note({ type, generation, played, queued, starved, at }: PlayerOutput): void {
    if (generation !== this.#generation) return
    this.#queued = queued
    this.#starved = starved
    const { status } = this.state.get()
    const position = (this.#base + played) / this.#rate
    if (type === 'start') this.#onStart?.(at)
    if (type === 'end') {
      this.#set({ status: 'ended', position })
      endTurn(this)
      this.#rest()
      return
    }
    const starving = queued === 0 && this.#track.end === 'open'
    this.#set({ position, status: status === 'paused' ? status : starving ? 'waiting' : 'playing' })
    void this.#feed()
  }

  /** Fills the worklet's queue. One call at a time keeps the order. */
  async #feed(): Promise<void> {
    if (this.#feeding || this.#node === undefined) return
    this.#feeding = true
    try {
      while (this.#wants()) {
        const generation = this.#generation
        const range = [this.#next, PIECE_SECONDS * this.#rate] as const
        // The first sound must not wait for other work of the page.
        const channels = this.#track.readNew(...range) ?? (await this.#track.read(...range))
        const frames = channels[0]?.length ?? 0
        // A seek came in between: these frames are of the old position.
        if (generation !== this.#generation) continue
        if (frames === 0) break
        this.#next += frames
        this.#queued += frames
        this.#post({ type: 'audio', channels }, channels)
      }
    } finally {
      this.#feeding = false
    }
    if (!this.#sentEnd && this.#track.end !== 'open' && this.#next >= this.#track.frames) {
      this.#sentEnd = true
      this.#send({ type: 'end' })
    }
  }

  #wants(): boolean {
    return this.#queued < AHEAD_SECONDS * this.#rate && this.#next < this.#track.frames
  }

  #grow(): void {
    void this.#feed()
    this.#set({ duration: this.#track.seconds, open: this.#track.end === 'open' })
  }

  /** A running context takes processor time even in silence. The next `play()` of any player resumes it. */
  #rest(): void {
    void this.#context?.suspend()
  }

  #send(message: PlayerInput, node: AudioWorkletNode | undefined = this.#node): void {
    node?.port.postMessage(message, [])
  }

  #post(message: PlayerInput, channels: readonly Float32Array<ArrayBuffer>[]): void {
    this.#node?.port.postMessage(
      message,
      channels.map((channel) => channel.buffer),
    )
  }

  #set(change: Partial<PlayerState>): void {
    this.state.set({ ...this.state.get(), ...change })
  }
}

/** One context per sample rate. The browser resamples to the rate of the device. */
const contexts = new Map<number, Promise<AudioContext>>()

/** Rate of the embedded voices: the first stream finds its context ready. */
const LIKELY_RATE = 16_000

/**
 * Returns the context of a sample rate, with the player's worklet. Call it in a click or a key press: browsers allow no
 * sound before.
 */
export function contextFor(sampleRate: number): Promise<AudioContext> {
  const open = contexts.get(sampleRate) ?? openContext(sampleRate)
  contexts.set(sampleRate, open)
  // A failed start may work after the next click.
  open.catch(() => contexts.delete(sampleRate))
  return open
}

/**
 * Opens the context of the likely rate at the first click or key press in the page, so that the first sound does not
 * wait for it. It takes no processor time until a player resumes it.
 * @returns a function that ends the wait for the click
 */
export function prepareContext(sampleRate: number = LIKELY_RATE): () => void {
  const ended = new AbortController()
  const prepare = (): void => {
    ended.abort()
    if (contexts.has(sampleRate)) return
    contextFor(sampleRate)
      // A context that opens in a click starts by itself. A player that waits for it too resumes it after this.
      .then((context) => context.suspend())
      // The player reports the error, if it needs this context.
      .catch(() => {})
  }
  const options = { capture: true, signal: ended.signal }
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, prepare, options)
  return () => ended.abort()
}

async function openContext(sampleRate: number): Promise<AudioContext> {
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' })
  await context.audioWorklet.addModule(workletUrl)
  return context
}
