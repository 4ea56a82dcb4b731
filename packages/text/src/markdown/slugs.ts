/** Ids of headings, as GitHub makes them. */
export class Slugs {
  readonly #used = new Map<string, number>()

  /** The id of a heading. The second heading with the same text ends with `-1`. */
  of(text: string): string {
    const slug = text
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, '')
      .replaceAll(' ', '-')
    let id = slug
    let count = this.#used.get(slug) ?? 0
    while (this.#used.has(id)) id = `${slug}-${(count += 1)}`
    this.#used.set(slug, count)
    if (id !== slug) this.#used.set(id, 0)
    return id
  }
}
