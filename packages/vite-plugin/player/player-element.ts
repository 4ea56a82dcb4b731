/** A server has no elements. An import of the player must not fail there. */
const Base: typeof HTMLElement =
  globalThis.HTMLElement ??
  class {
    readonly isConnected = false
  }

/** Attributes of the player, each with a property of its name. Frameworks set either. */
export class PlayerElement extends Base {
  /** The attributes that change the player while it is shown. */
  static readonly observedAttributes: readonly string[] = [
    'src',
    'captions',
    'duration',
    'for',
    'label',
    'labels',
    'download',
    'resume',
    'docked',
    'clicks',
  ]

  /** Address of the audio. */
  get src(): string {
    return this.getAttribute('src') ?? ''
  }

  set src(value: string | null | undefined) {
    this.#reflect('src', value)
  }

  /** Address of the captions (WebVTT). */
  get captions(): string {
    return this.getAttribute('captions') ?? ''
  }

  set captions(value: string | null | undefined) {
    this.#reflect('captions', value)
  }

  /** Length in seconds, `undefined` if not known. */
  get duration(): number | undefined {
    const value = this.getAttribute('duration')
    return value === null ? undefined : Number(value)
  }

  set duration(value: number | string | null | undefined) {
    this.#reflect('duration', value)
  }

  /** Title of the text. */
  get label(): string {
    return this.getAttribute('label') ?? ''
  }

  set label(value: string | null | undefined) {
    this.#reflect('label', value)
  }

  /** The element that is read: its id, or a selector. */
  get for(): string {
    return this.getAttribute('for') ?? ''
  }

  set for(value: string | null | undefined) {
    this.#reflect('for', value)
  }

  /** Texts of the player in another language, by their names. As an attribute: JSON. */
  get labels(): PlayerLabels {
    return readLabels(this.getAttribute('labels'))
  }

  set labels(value: Partial<PlayerLabels> | string | null | undefined) {
    this.#reflect('labels', typeof value === 'object' && value !== null ? JSON.stringify(value) : value)
  }

  /** Whether the audio may be downloaded: the name of the file, or an empty text for the name of the audio. */
  get download(): string | undefined {
    return this.getAttribute('download') ?? undefined
  }

  set download(value: string | boolean | null | undefined) {
    this.#reflect('download', value)
  }

  /** Whether the next visit begins where this one has stopped. */
  get resume(): boolean {
    return this.hasAttribute('resume')
  }

  set resume(value: string | boolean | null | undefined) {
    this.#reflect('resume', value)
  }

  /** Whether the player stays in view while the text scrolls, and the page follows the paragraph that is read. */
  get docked(): boolean {
    return this.hasAttribute('docked')
  }

  set docked(value: string | boolean | null | undefined) {
    this.#reflect('docked', value)
  }

  /** `off`: a click on a paragraph does not play it. */
  get clicks(): string {
    return this.getAttribute('clicks') ?? ''
  }

  set clicks(value: string | null | undefined) {
    this.#reflect('clicks', value)
  }

  /** Applies properties that a framework set before the element was defined. They would hide the element's own. */
  protected takeEarlyProperties(): void {
    for (const name of PlayerElement.observedAttributes) {
      if (!Object.hasOwn(this, name)) continue
      const value: unknown = Reflect.get(this, name)
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, value)
    }
  }

  #reflect(name: string, value: number | string | boolean | null | undefined): void {
    if (value === null || value === undefined || value === false) this.removeAttribute(name)
    else this.setAttribute(name, value === true ? '' : String(value))
  }
}

/** Texts of the player. `{current}` and `{total}` stand for times. */
export interface PlayerLabels {
  readonly play: string
  readonly pause: string
  readonly previous: string
  readonly next: string
  readonly back: string
  readonly forward: string
  /** Of the slider. */
  readonly position: string
  /** What the slider says, e.g. `0:05 of 1:30`. */
  readonly time: string
  /** Of the menu of headings. */
  readonly sections: string
  readonly speed: string
  readonly captions: string
  readonly download: string
  /** Instead of the time, while the audio is loaded. */
  readonly loading: string
  /** Of a player without `label`. */
  readonly narration: string
  /** The audio cannot be loaded or decoded. */
  readonly unplayable: string
  /** The browser did not start the audio. */
  readonly blocked: string
  /** The device has no connection. */
  readonly offline: string
}

/** The texts in English. */
const ENGLISH: PlayerLabels = {
  play: 'Play',
  pause: 'Pause',
  previous: 'Previous paragraph',
  next: 'Next paragraph',
  back: 'Back 15 seconds',
  forward: 'Forward 15 seconds',
  position: 'Position',
  time: '{current} of {total}',
  sections: 'Sections',
  speed: 'Speed',
  captions: 'CC, captions',
  download: 'Download',
  loading: 'Loading …',
  narration: 'Narration',
  unplayable: 'This narration cannot be played. Reload the page.',
  blocked: 'The browser did not start the audio. Press play.',
  offline: 'You are offline. The narration goes on when the connection is back.',
}

/** The texts of an attribute of JSON. Absent ones are English. */
function readLabels(attribute: string | null): PlayerLabels {
  const given = parse(attribute)
  const own = Object.entries(ENGLISH).map(([name, text]): [string, string] => {
    const value: unknown = Reflect.get(given, name)
    return [name, typeof value === 'string' && value !== '' ? value : text]
  })
  return { ...ENGLISH, ...Object.fromEntries(own) }
}

function parse(attribute: string | null): object {
  if (attribute === null) return {}
  try {
    const value: unknown = JSON.parse(attribute)
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    console.warn(`<narration-player>: labels is no JSON, so they are English: ${attribute}`)
    return {}
  }
}
