import { useSyncExternalStore } from 'react'

/** A value outside of React that components and other code share. */
export interface Store<T> {
  get(): T
  /** Replaces the value and notifies the subscribers if it changes. */
  set(value: T): void
  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void
}

/** Creates a store. */
export function createStore<T>(initial: T): Store<T> {
  let value = initial
  const listeners = new Set<() => void>()
  return {
    get: () => value,
    set(next) {
      if (Object.is(value, next)) return
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** The current value of a store. The component renders again when it changes. */
export function useStore<T>(store: Pick<Store<T>, 'get' | 'subscribe'>): T {
  return useSyncExternalStore(store.subscribe, store.get)
}
