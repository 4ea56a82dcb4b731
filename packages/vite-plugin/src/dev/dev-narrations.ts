import { pageKey, type NarrationScript } from '../narrator/script.ts'

/** A narration that a page of the dev server may request. */
export interface DevNarration {
  readonly script: NarrationScript
  /** Ids of the modules that were loaded before the audio existed, without a length. */
  readonly waiting: Set<string>
}

/** Narrations that pages of a dev server may request, by key. No other key makes a call. */
export class DevNarrations {
  readonly #narrations = new Map<string, DevNarration>()

  /** Lets pages request a narration. */
  narration(script: NarrationScript): DevNarration & { readonly key: string } {
    const key = pageKey(script)
    const requested = this.#narrations.get(key) ?? { script, waiting: new Set<string>() }
    this.#narrations.set(key, requested)
    return { ...requested, key }
  }

  find(key: string): DevNarration | undefined {
    return this.#narrations.get(key)
  }
}
