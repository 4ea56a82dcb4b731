import { useCallback, useSyncExternalStore } from 'react'
import type { Store } from './store.ts'

/** Subscribes to a store, with one call per animation frame at most. @returns a function that ends it */
export function subscribeFrames(store: Pick<Store<unknown>, 'subscribe'>, listener: () => void): () => void {
  let frame: number | undefined
  const unsubscribe = store.subscribe(() => {
    frame ??= requestAnimationFrame(() => {
      frame = undefined
      listener()
    })
  })
  return () => {
    unsubscribe()
    if (frame !== undefined) cancelAnimationFrame(frame)
  }
}

/**
 * A part of a store that changes often. The component renders again when the part changes, once per animation frame at
 * most.
 * @param select Returns a string, a number or a boolean.
 */
export function useFrames<T, Part extends string | number | boolean>(
  store: Pick<Store<T>, 'get' | 'subscribe'>,
  select: (value: T) => Part,
): Part {
  const subscribe = useCallback((listener: () => void) => subscribeFrames(store, listener), [store])
  return useSyncExternalStore(subscribe, () => select(store.get()))
}
