import { createStore, type Store } from './store.ts'

/** Speech of one panel that another can use. */
export interface LastSpeech {
  readonly text: string
  readonly name: string
  readonly file: () => Blob | Promise<Blob>
}

/** The last complete speech of the page. */
export const lastSpeech: Store<LastSpeech | undefined> = createStore<LastSpeech | undefined>(undefined)
