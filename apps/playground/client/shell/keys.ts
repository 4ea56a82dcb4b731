import { useEffect, useLayoutEffect, useRef } from 'react'

const stops = new Set<() => void>()

/** Ends everything that runs or plays in the page. @returns whether anything did */
export function stopAll(): boolean {
  const running = [...stops]
  for (const stop of running) stop()
  return running.length > 0
}

/** While `active`, Escape calls `stop` from anywhere in the page. */
export function useStop(active: boolean, stop: () => void): void {
  const latest = useLatest(stop)
  useEffect(() => {
    if (!active) return undefined
    return addStop(() => latest.current())
  }, [active, latest])
}

/** Adds something that Escape stops. @returns a function that removes it */
export function addStop(stop: () => void): () => void {
  stops.add(stop)
  return () => stops.delete(stop)
}

/** While `active`, Ctrl+Enter or Cmd+Enter calls `run` from anywhere in the page. */
export function useRun(active: boolean, run: () => void): void {
  const latest = useLatest(run)
  useLayoutEffect(() => {
    if (!active) return undefined
    const press = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.repeat || isDialogOpen()) return
      event.preventDefault()
      latest.current()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [active, latest])
}

/** Makes Escape stop everything. A dialog in front closes first. Call once. */
export function listenForEscape(): void {
  addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && !isDialogOpen() && stopAll()) event.preventDefault()
  })
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

/** The value of the last render, for a listener that outlives it. */
export function useLatest<T>(value: T): { readonly current: T } {
  const latest = useRef(value)
  // Before the screen changes: keys do what the screen says, never what it said before.
  useLayoutEffect(() => {
    latest.current = value
  })
  return latest
}
