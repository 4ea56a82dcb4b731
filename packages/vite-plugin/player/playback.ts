import type { PlayerLabels } from './player-element.ts'

/** Sets the speed, also of the audio that is loaded next. */
export function setSpeed(audio: HTMLAudioElement, speed: number): void {
  audio.defaultPlaybackRate = speed
  audio.playbackRate = speed
}

/** Seeks. Audio that is not loaded takes the place as its start, and loads: nothing is loaded before the first play. */
function goTo(audio: HTMLAudioElement, second: number): void {
  audio.currentTime = Math.max(0, second)
  // Not `load()`: it would end a play that waits for the audio.
  if (audio.readyState === 0) audio.preload = 'auto'
}

/**
 * Whether loaded audio can be at a place. A server that sends no ranges lets it only begin. A stream of the dev server, which
 * has no length, is seekable once it is complete.
 */
function canBeAt({ seekable, duration, readyState }: HTMLAudioElement, second: number): boolean {
  if (readyState === 0 || !Number.isFinite(duration)) return true
  const places = Array.from({ length: seekable.length }, (_, index) => [seekable.start(index), seekable.end(index)])
  return second <= TOLERANCE || places.some(([from = 0, to = 0]) => second >= from && second <= to + TOLERANCE)
}

/** How far a place may be from where audio can be, in seconds: lengths of audio are estimated at first. */
const TOLERANCE = 0.5

/** Loads audio whole. Resolves to an address in this page, or to an empty text if it cannot be loaded. */
async function loadWhole(address: string, signal: AbortSignal): Promise<string> {
  try {
    const response = await fetch(address, { signal })
    return response.ok ? URL.createObjectURL(await response.blob()) : ''
  } catch {
    return ''
  }
}

/** Loads audio again, at its place: a failed one, or a finished stream of the dev server, which could not seek. */
function reload(audio: HTMLAudioElement): void {
  const { currentTime } = audio
  audio.preload = 'auto'
  audio.load()
  audio.currentTime = currentTime
}

/** The first source that the browser plays, else the first one. */
export function playableSource(
  audio: HTMLAudioElement,
  sources: readonly HTMLSourceElement[],
): HTMLSourceElement | undefined {
  return sources.find(({ type }) => audio.canPlayType(type) !== '') ?? sources[0]
}

/** Plays. Resolves to what went wrong, as a name of {@link PlayerLabels}. */
async function startPlaying(audio: HTMLAudioElement): Promise<keyof PlayerLabels | undefined> {
  try {
    if (hasFailed(audio)) reload(audio)
    await audio.play()
    return undefined
  } catch (error) {
    const name = error instanceof DOMException ? error.name : ''
    // A pause or another source before the audio has come is no failure.
    if (name === 'AbortError') return undefined
    return name === 'NotAllowedError' ? 'blocked' : 'unplayable'
  }
}

/** Whether the last load has failed. Audio without a source has no error yet. */
function hasFailed({ error }: HTMLAudioElement): boolean {
  return error instanceof Object
}

/** How often audio that fails while it plays is loaded again, and after how many milliseconds. */
const RETRIES = 2
const RETRY_MS = 1000

/** What a player shows of its playback. */
export interface PlaybackView {
  /** Shows a problem; `undefined` shows none. */
  problem(problem: keyof PlayerLabels | undefined): void
  /** Something else has changed. */
  changed(): void
}

/** Plays an audio as the reader wants it: over a slow line, a broken one, and from a server without ranges. */
export class Playback {
  readonly audio: HTMLAudioElement
  readonly #view: PlaybackView
  /** Address of the audio, as the page gave it. */
  #address = ''
  /** Whether the reader wants to hear it. A browser pauses audio that fails. */
  #shallPlay = false
  #retries = RETRIES
  #retry: ReturnType<typeof setTimeout> | undefined
  #isWaiting = false
  #isOffline = false
  /** Where the reader wants to be, in seconds. */
  #place = 0
  /** A place that was chosen before the audio has come, in seconds. */
  #start: number | undefined
  /** The audio is loaded whole. */
  #whole: AbortController | undefined
  /** Address of the whole audio in this page, once it is loaded. */
  #blob = ''

  constructor(audio: HTMLAudioElement, view: PlaybackView) {
    this.audio = audio
    this.#view = view
    for (const event of ['waiting', 'playing', 'pause', 'error']) {
      audio.addEventListener(event, () => this.#wait(event === 'waiting' && !audio.paused))
    }
    audio.addEventListener('loadedmetadata', () => {
      this.#takeStart()
      void this.#seekWhole()
    })
    audio.addEventListener('playing', () => {
      this.#retries = RETRIES
      this.#tell(undefined)
    })
    audio.addEventListener('error', () => this.#recover())
    for (const event of ['pause', 'ended']) {
      audio.addEventListener(event, () => {
        // Told late: Play may have undone the pause.
        const isOver = audio.paused || audio.ended
        if (isOver && !hasFailed(audio) && this.#whole === undefined) this.#shallPlay = false
      })
    }
  }

  /** Address of the audio, as the page gave it. */
  get address(): string {
    return this.#address
  }

  /** Whether it plays, or will as soon as the audio has come whole. */
  get plays(): boolean {
    // A browser may leave audio that has failed as playing.
    return this.#whole === undefined && !hasFailed(this.audio) ? !this.audio.paused : this.#shallPlay
  }

  /** Whether the audio pauses by itself, to be loaded whole. */
  get pausesItself(): boolean {
    return this.#whole !== undefined
  }

  /** Where the reader is, in seconds: also while the audio is loaded for that place. */
  get second(): number {
    return this.#whole === undefined ? this.audio.currentTime : this.#place
  }

  /** Whether the reader waits for audio. */
  get isWaiting(): boolean {
    return this.#isWaiting
  }

  /** Takes an audio, and loads nothing. The same one stays as it is. */
  open(address: string): void {
    if (this.#address === address) return
    this.#address = address
    this.#revoke()
    this.#place = 0
    this.#start = undefined
    if (address === '') this.audio.removeAttribute('src')
    else this.audio.src = address
  }

  /** Ends what is in progress. */
  close(): void {
    clearTimeout(this.#retry)
    this.#retries = RETRIES
    this.#shallPlay = false
    this.#isWaiting = false
    this.#whole?.abort()
    this.#whole = undefined
  }

  /** The player is out of the page. Audio that was loaded whole is freed: it loads again if the player comes back. */
  leave(): void {
    const { audio, second } = this
    const isWhole = this.#whole !== undefined || this.#blob !== ''
    this.pause()
    this.close()
    if (!isWhole) return
    this.#revoke()
    audio.preload = 'none'
    audio.src = this.#address
    audio.currentTime = second
    this.#place = second
  }

  /** Begins there, if nothing has been heard yet. */
  beginAt(second: number): void {
    if (second <= 0 || this.audio.currentTime !== 0) return
    this.#place = second
    this.audio.currentTime = second
    this.#noteStart()
  }

  /** Plays, or pauses. */
  toggle(): void {
    if (this.plays) this.pause()
    else void this.play()
  }

  /** Pauses, also what would play as soon as the audio has come. */
  pause(): void {
    this.#shallPlay = false
    clearTimeout(this.#retry)
    this.audio.pause()
    this.#view.changed()
  }

  /** Plays. Audio that has failed is loaded again. */
  async play(): Promise<void> {
    this.#shallPlay = true
    clearTimeout(this.#retry)
    // It plays once it has come.
    if (this.#whole !== undefined) {
      this.#view.changed()
      return
    }
    const problem = await startPlaying(this.audio)
    // Of audio that has failed, the error event decides.
    if (problem !== undefined && !hasFailed(this.audio)) this.#tell(problem)
  }

  /** Goes to a place. @param total Length of the audio, as far as it is known. */
  goTo(second: number, total: number): void {
    // Audio without a length begins at any place, also at one behind its end.
    this.#place = this.audio.readyState === 0 && total > 0 ? Math.min(second, total) : second
    goTo(this.audio, this.#place)
    this.#noteStart()
    void this.#seekWhole()
  }

  /** Loads a finished stream of the dev server again: it had no length and could not seek. */
  reopen(): void {
    const { duration, readyState, paused } = this.audio
    if (Number.isFinite(duration) || readyState === 0) return
    reload(this.audio)
    if (!paused) void this.play()
  }

  /** The connection of the device is lost, or back. */
  readonly lineChanged = (): void => {
    if (isOffline()) {
      if (this.#isWaiting) this.#tell('offline')
      return
    }
    if (this.#isOffline) this.#tell(undefined)
    this.#retries = RETRIES
    if (this.#shallPlay && hasFailed(this.audio)) void this.play()
  }

  /** The audio has failed. If it shall play, it is loaded again. */
  #recover(): void {
    // Nobody waits for it: the next play loads it again.
    if (!this.#shallPlay) this.#view.changed()
    else if (isOffline()) this.#tell('offline')
    else if (this.#retries === 0) {
      this.#shallPlay = false
      this.#tell('unplayable')
      this.#view.changed()
    } else {
      this.#retries -= 1
      this.#retry = setTimeout(() => {
        if (this.#shallPlay) void this.play()
      }, RETRY_MS)
    }
  }

  /** Keeps the place if the audio has not come. */
  #noteStart(): void {
    if (this.audio.readyState === 0) this.#start = this.#place
  }

  /** Firefox forgets a place that is chosen as the load begins. */
  #takeStart(): void {
    const { audio } = this
    const start = this.#start
    this.#start = undefined
    if (start === undefined || Math.abs(audio.currentTime - start) <= TOLERANCE) return
    if (canBeAt(audio, start)) audio.currentTime = start
  }

  /** A server without ranges lets audio only begin. It is then loaded whole, and continues where the reader wants to be. */
  async #seekWhole(): Promise<void> {
    const { audio } = this
    if (this.#whole !== undefined || this.#blob !== '' || canBeAt(audio, this.#place)) return
    const loading = new AbortController()
    this.#whole = loading
    this.#shallPlay ||= !audio.paused
    audio.pause()
    this.#wait(true)
    const address = await loadWhole(audio.currentSrc, loading.signal)
    if (loading.signal.aborted) {
      URL.revokeObjectURL(address)
      return
    }
    this.#whole = undefined
    this.#wait(false)
    if (address !== '') {
      this.#blob = address
      audio.src = address
      goTo(audio, this.#place)
    }
    if (this.#shallPlay) void this.play()
  }

  /** Frees the audio that was loaded whole. */
  #revoke(): void {
    URL.revokeObjectURL(this.#blob)
    this.#blob = ''
  }

  #wait(isWaiting: boolean): void {
    this.#isWaiting = isWaiting || this.#whole !== undefined
    if (this.#isWaiting && isOffline()) this.#tell('offline')
    this.#view.changed()
  }

  #tell(problem: keyof PlayerLabels | undefined): void {
    this.#isOffline = problem === 'offline'
    this.#view.problem(problem)
  }
}

/** Whether the device has no connection at all. */
function isOffline(): boolean {
  return !navigator.onLine
}
