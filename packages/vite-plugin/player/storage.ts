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
