import { pageKey, type Script } from '../narrator/script.ts'

/** What a page of the dev server may ask for. */
export interface Promised {
  readonly script: Script
  /** Ids of the modules that were loaded before the audio was there, and so know no length. */
  readonly waiting: Set<string>
}

/** What the pages of a dev server may ask for, by key. Only what a page was told of is made. */
export class Promises {
  readonly #narrations = new Map<string, Promised>()

  /** Promises the narration of a page. */
  narration(script: Script): Promised & { readonly key: string } {
    const key = pageKey(script)
    const promised = this.#narrations.get(key) ?? { script, waiting: new Set<string>() }
    this.#narrations.set(key, promised)
    return { ...promised, key }
  }

  find(key: string): Promised | undefined {
    return this.#narrations.get(key)
  }
}
