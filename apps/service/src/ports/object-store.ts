import type { Readable } from 'node:stream'

/** What is known of an object without reading it. */
export interface ObjectInfo {
  readonly bytes: number
  /** When it was stored: milliseconds since 1970. */
  readonly storedAt: number
}

/** An object that is open for reading. */
export interface StoredObject {
  /** Size of the whole object, also when only a part is read. */
  readonly bytes: number
  readonly stream: Readable
}

/** An object in a list. */
export interface ListedObject {
  readonly name: string
  /** When it was stored: milliseconds since 1970. */
  readonly storedAt: number
}

/** Where audio is stored. An object is there whole or not at all, and survives a crash once `put` has resolved. */
export interface ObjectStore {
  /** Keeps a stream under a name. A source that fails leaves nothing. */
  put(name: string, source: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }>
  /** Takes over a file of this machine, which is gone from its place then. */
  putFile(name: string, path: string): Promise<{ readonly bytes: number }>
  /** Size of a file of this machine, in bytes: for before `putFile` takes it over. */
  sizeOfFile(path: string): Promise<number>
  /**
   * Lends an object as a file of this machine, for as long as `use` runs. `undefined`, and `use` is not called, when
   * there is none of that name.
   */
  withFile<T>(name: string, use: (path: string) => Promise<T>): Promise<T | undefined>
  /** `undefined` when there is none of that name. */
  stat(name: string): Promise<ObjectInfo | undefined>
  /**
   * Opens an object, or a part of it, both ends included and within its size.
   * @returns `undefined` when there is none of that name.
   */
  open(name: string, part?: { readonly start: number; readonly end: number }): Promise<StoredObject | undefined>
  delete(name: string): Promise<void>
  /** All objects, in no particular order. */
  list(): AsyncIterable<ListedObject>
}
