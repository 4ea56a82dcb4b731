import type { PlayerLabels } from './player-element.ts'

/** Sets the speed, also of the audio that is loaded next. */
export function setSpeed(audio: HTMLAudioElement, speed: number): void {
  audio.defaultPlaybackRate = speed
  audio.playbackRate = speed
}

/** Seeks. Audio that is not loaded takes the place as its start, and loads: nothing is loaded before the first play. */
export function goTo(audio: HTMLAudioElement, second: number): void {
  audio.currentTime = Math.max(0, second)
  // Not `load()`: it would end a play that waits for the audio.
  if (audio.readyState === 0) audio.preload = 'auto'
}

/** Loads audio again, at its place: a failed one, or a finished stream of the dev server, which could not seek. */
export function reload(audio: HTMLAudioElement): void {
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
export async function startPlaying(audio: HTMLAudioElement): Promise<keyof PlayerLabels | undefined> {
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
export function hasFailed({ error }: HTMLAudioElement): boolean {
  return error instanceof Object
}

/** Shortest position that is stored, and least rest: a beginning and an end are not resumed. */
const MARGIN_SECONDS = 5
/** Steps in which the position is stored. */
const STEP_SECONDS = 5

/** Keeps the position of an audio for the next visit, in the storage of the browser. */
export class Resume {
  readonly #key: string
  #stored = 0

  /** @param src Address of the audio. A build gives changed audio another address. */
  constructor(src: string) {
    this.#key = `narration-player:${new URL(src, document.baseURI).pathname}`
  }

  /** The stored position, 0 for none. */
  read(): number {
    const second = Number(attempt(() => localStorage.getItem(this.#key)) ?? 0)
    this.#stored = Number.isFinite(second) && second > 0 ? second : 0
    return this.#stored
  }

  /** Stores the position of an audio. @param isPlaying Then it is stored every few seconds only. */
  store({ currentTime, duration, ended }: HTMLAudioElement, isPlaying: boolean): void {
    if (isPlaying && Math.abs(currentTime - this.#stored) < STEP_SECONDS) return
    const isEdge = currentTime < MARGIN_SECONDS || ended || duration - currentTime < MARGIN_SECONDS
    this.#stored = isEdge ? 0 : currentTime
    attempt(() => {
      if (isEdge) localStorage.removeItem(this.#key)
      else localStorage.setItem(this.#key, currentTime.toFixed(1))
    })
  }
}

/** What a reader has chosen, on every page of a site. */
export interface Choices {
  readonly speed: number
  readonly captions: boolean
}

const CHOICES = 'narration-player'

/** The choices of the reader; 1 and captions before any. */
export function readChoices(): Choices {
  const stored: unknown = attempt(() => JSON.parse(localStorage.getItem(CHOICES) ?? '{}'))
  const { speed, captions }: { readonly speed?: unknown; readonly captions?: unknown } = Object(stored)
  return { speed: typeof speed === 'number' && speed >= 0.5 && speed <= 4 ? speed : 1, captions: captions !== false }
}

/** Stores choices for the next page. */
export function storeChoices(choices: Partial<Choices>): void {
  attempt(() => localStorage.setItem(CHOICES, JSON.stringify({ ...readChoices(), ...choices })))
}

/** A browser may have no storage, or a full one. */
function attempt<Result>(access: () => Result): Result | undefined {
  try {
    return access()
  } catch {
    return undefined
  }
}
