import type { Readable } from 'node:stream'

/** Size and time of an object. */
export interface ObjectInfo {
  readonly bytes: number
  /** When the object was stored, in milliseconds since 1970. */
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
  /** When the object was stored, in milliseconds since 1970. */
  readonly storedAt: number
}

/** Stores audio. An object is stored whole or not at all, and survives a crash once `put` has resolved. */
export interface ObjectStore {
  /** Stores a stream under a name. A source that fails leaves nothing. */
  put(name: string, source: AsyncIterable<Uint8Array>): Promise<{ readonly bytes: number }>
  /** Moves a file of this machine into the store. */
  putFile(name: string, path: string): Promise<{ readonly bytes: number }>
  /** Size of a file of this machine, in bytes: for before `putFile` takes it over. */
  sizeOfFile(path: string): Promise<number>
  /**
   * Lends an object as a file of this machine while `use` runs.
   * @returns `undefined`, without calling `use`, when there is no object of that name
   */
  withFile<T>(name: string, use: (path: string) => Promise<T>): Promise<T | undefined>
  /** @returns `undefined` when there is no object of that name. */
  stat(name: string): Promise<ObjectInfo | undefined>
  /**
   * Opens an object, or a part of it. Both ends are included and within its size.
   * @returns `undefined` when there is no object of that name.
   */
  open(name: string, part?: { readonly start: number; readonly end: number }): Promise<StoredObject | undefined>
  delete(name: string): Promise<void>
  /** All objects, in no particular order. */
  list(): AsyncIterable<ListedObject>
}
