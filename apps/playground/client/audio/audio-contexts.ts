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

/** Opens the context of the likely rate and starts it while a request runs, so that the first sound does not wait. */
export function warmUp(sampleRate: number = LIKELY_RATE): void {
  contextFor(sampleRate)
    .then((context) => context.resume())
    // The player reports the error, if it needs this context.
    .catch(() => {})
}

async function openContext(sampleRate: number): Promise<AudioContext> {
  const context = new AudioContext({ sampleRate, latencyHint: 'interactive' })
  await context.audioWorklet.addModule(workletUrl)
  return context
}
