// oxlint-disable-next-line import/default -- Vite makes the module: the worklet, built, and its address
import workletUrl from './player.worklet.ts?worker&url'

/** One context per sample rate. The browser resamples to the rate of the device. */
const contexts = new Map<number, Promise<AudioContext>>()

/** Rate of the embedded voices: the first stream finds its context ready. */
const LIKELY_RATE = 16_000

/**
 * Returns the context of a sample rate, with the player's worklet. Call it in a click or a key press: browsers allow no
 * sound before.
 */
export function contextFor(sampleRate: number): Promise<AudioContext> {
  const open = contexts.get(sampleRate) ?? openContext(sampleRate)
  contexts.set(sampleRate, open)
  // A failed start may work after the next click.
  open.catch(() => contexts.delete(sampleRate))
  return open
}

/**
 * Opens the context of the likely rate at the first click or key press in the page, so that the first sound does not
 * wait for it. It takes no processor time until a player resumes it.
 * @returns a function that ends the wait for the click
 */
export function prepareContext(sampleRate: number = LIKELY_RATE): () => void {
  const ended = new AbortController()
  const prepare = (): void => {
    ended.abort()
    if (contexts.has(sampleRate)) return
    contextFor(sampleRate)
      // A context that opens in a click starts by itself. A player that waits for it too resumes it after this.
      .then((context) => context.suspend())
      // The player reports the error, if it needs this context.
      .catch(() => {})
  }
  const options = { capture: true, signal: ended.signal }
  for (const type of ['pointerdown', 'keydown']) addEventListener(type, prepare, options)
  return () => ended.abort()
}

async function openContext(sampleRate: number): Promise<AudioContext> {
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' })
  await context.audioWorklet.addModule(workletUrl)
  return context
}
