/** Stands in for `Audio`: the test says what it plays, and when. */
export class FakeAudio extends EventTarget {
  /** All that were made, newest last. */
  static readonly made: FakeAudio[] = []
  /** Seconds of the next ones. */
  static nextDuration: number = 4
  /** Whether the browser refuses to play the next ones. */
  static refuses: boolean = false

  preload: string = ''
  src: string = ''
  volume: number = 1
  paused: boolean = true
  ended: boolean = false
  duration: number = Number.NaN
  readyState: number = 0
  #time = 0

  constructor() {
    super()
    FakeAudio.made.push(this)
  }

  /** The newest one. @throws Error if there is none */
  static latest(): FakeAudio {
    const last = FakeAudio.made.at(-1)
    if (last === undefined) throw new Error('Nothing was made to play')
    return last
  }

  get currentTime(): number {
    return this.#time
  }

  set currentTime(seconds: number) {
    this.#time = Math.max(0, Math.min(seconds, this.duration))
    this.ended = false
    this.emit('seeked')
  }

  async play(): Promise<void> {
    if (FakeAudio.refuses) throw new DOMException('The format is not supported', 'NotSupportedError')
    this.paused = false
    this.ended = false
    this.load()
    this.emit('play')
    this.emit('playing')
  }

  pause(): void {
    if (this.paused) return
    this.paused = true
    this.emit('pause')
  }

  /** The browser knows the length. */
  load(): void {
    this.readyState = 4
    this.duration = FakeAudio.nextDuration
    this.emit('durationchange')
  }

  /** Plays to the end. */
  finish(): void {
    this.#time = this.duration
    this.ended = true
    this.paused = true
    this.emit('ended')
  }

  emit(name: string): void {
    this.dispatchEvent(new Event(name))
  }

  removeAttribute(name: 'src'): void {
    this[name] = ''
  }
}
