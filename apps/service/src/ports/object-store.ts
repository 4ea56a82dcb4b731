import type { Readable } from 'node:stream'

/** An object that is open for reading. */
export interface StoredObject {
  readonly bytes: number
  readonly stream: Readable
}

/** Where audio is kept. An object is there whole or not at all, and survives a crash once `put` has resolved. */
export interface ObjectStore {
  /** Keeps a stream under a name. A source that fails leaves nothing. */
  put(name: string, source: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }>
  /** `undefined` when there is none of that name. */
  open(name: string): Promise<StoredObject | undefined>
  delete(name: string): Promise<void>
}
