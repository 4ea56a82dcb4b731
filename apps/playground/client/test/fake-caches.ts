interface Entry {
  readonly bytes: ArrayBuffer
  readonly type: string
}

/** What the page uses of a `Cache`. */
export interface FakeCache {
  readonly put: (key: string, response: Response) => Promise<void>
  readonly match: (key: string) => Promise<Response | undefined>
  readonly delete: (key: string) => Promise<boolean>
}

/** Stands in for the browser's `caches`, which survive a reload. */
export class FakeCaches {
  readonly #entries = new Map<string, Entry>()

  /** Number of entries. */
  get size(): number {
    return this.#entries.size
  }

  async open(): Promise<FakeCache> {
    return {
      put: async (key, response) => {
        const bytes = await response.arrayBuffer()
        this.#entries.set(key, { bytes, type: response.headers.get('content-type') ?? '' })
      },
      match: async (key) => {
        const entry = this.#entries.get(key)
        if (entry === undefined) return undefined
        return new Response(entry.bytes.slice(0), { headers: { 'content-type': entry.type } })
      },
      delete: async (key) => this.#entries.delete(key),
    }
  }
}
