import {
  type Dispatch,
  type SetStateAction,
  useCallback,
  useEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'

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

const PREFIX = 'svc-audio.'

/**
 * State that survives a reload, in the browser's storage.
 * @param name Unique in the page.
 * @param initial The first value. A stored object gets the fields that it lacks from it.
 */
export function useStored<T>(name: string, initial: T): [T, Dispatch<SetStateAction<T>>] {
  const [value, setValue] = useState<T>(() => readStored(name, initial))
  useEffect(() => void writeStored(name, value), [name, value])
  return [value, setValue]
}

/**
 * State that survives a reload and is the same in every tab.
 * @param name Unique in the page.
 * @param initial The first value, the same in each render.
 * @returns the value, and a function that changes it
 */
export function useShared<T>(name: string, initial: T): [T, (change: (before: T) => T) => void] {
  const [value, setValue] = useState<T>(() => readStored(name, initial))
  const latest = useRef(value)
  const isStored = useRef(true)
  const show = useCallback((next: T) => {
    latest.current = next
    setValue(next)
  }, [])
  useEffect(() => {
    const read = ({ key }: StorageEvent): void => {
      if (key === PREFIX + name || key === null) show(readStored(name, initial))
    }
    addEventListener('storage', read)
    return () => removeEventListener('storage', read)
  }, [name, initial, show])
  const change = useCallback(
    (next: (before: T) => T) => {
      // Another tab may have stored a value that this tab has yet to hear of.
      const changed = next(isStored.current ? readStored(name, latest.current) : latest.current)
      isStored.current = writeStored(name, changed)
      show(changed)
    },
    [name, show],
  )
  return [value, change]
}

/**
 * The fields of a form, which survive a reload.
 * @param name Unique in the page.
 * @param initial The first fields.
 * @returns the fields, and a function that changes some of them
 */
export function useDraft<T extends object>(name: string, initial: T): [T, (change: Partial<T>) => void] {
  const [draft, setDraft] = useStored(name, initial)
  return [draft, useCallback((change) => setDraft((before) => ({ ...before, ...change })), [setDraft])]
}

/** Reads a stored value; `initial` if there is none, or one of another kind. */
export function readStored<T>(name: string, initial: T): T {
  try {
    const text = localStorage.getItem(PREFIX + name)
    if (text === null) return initial
    const value: unknown = JSON.parse(text)
    if (kindOf(value) !== kindOf(initial)) return initial
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by this page, and of the same kind
    return (kindOf(initial) === 'object' ? { ...initial, ...(value as T) } : value) as T
  } catch {
    // Storage that is blocked or holds something else: the page works without it.
    return initial
  }
}

/** Stores a value. @returns whether the storage took it; else the value is lost at the next reload, not before */
export function writeStored(name: string, value: unknown): boolean {
  try {
    localStorage.setItem(PREFIX + name, JSON.stringify(value))
    return true
  } catch {
    return false
  }
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value
}

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
