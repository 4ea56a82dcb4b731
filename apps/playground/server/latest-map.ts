/** A map that forgets its oldest entries above a maximum number. */
export class LatestMap<Key, Value> extends Map<Key, Value> {
  readonly #max: number

  constructor(max: number) {
    super()
    this.#max = max
  }

  override set(key: Key, value: Value): this {
    super.set(key, value)
    for (const oldest of this.keys()) {
      if (this.size <= this.#max) break
      this.delete(oldest)
    }
    return this
  }
}
