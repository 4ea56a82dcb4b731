/** A server has no elements. An import of the player must not fail there. */
const Base: typeof HTMLElement =
  globalThis.HTMLElement ??
  class {
    readonly isConnected = false
  }

/** Attributes of the player, each with a property of its name. Frameworks set either. */
export class PlayerElement extends Base {
  static readonly observedAttributes: readonly string[] = ['src', 'captions', 'duration', 'for', 'label']

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

  /** Applies properties that a framework set before the element was defined. They would hide the element's own. */
  protected takeEarlyProperties(): void {
    for (const name of PlayerElement.observedAttributes) {
      if (!Object.hasOwn(this, name)) continue
      const value: unknown = Reflect.get(this, name)
      Reflect.deleteProperty(this, name)
      Reflect.set(this, name, value)
    }
  }

  #reflect(name: string, value: number | string | null | undefined): void {
    if (value === null || value === undefined) this.removeAttribute(name)
    else this.setAttribute(name, String(value))
  }
}
