import { pageKey, type Script } from '../narrator/script.ts'

/** A narration that a page of the dev server may request. */
export interface Promised {
  readonly script: Script
  /** Ids of the modules that were loaded before the audio existed, without a length. */
  readonly waiting: Set<string>
}

/** Narrations that pages of a dev server may request, by key. No other key makes a call. */
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
