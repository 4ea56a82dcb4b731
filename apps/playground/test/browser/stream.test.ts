import type { CDPSession } from 'playwright-core'
import { expect, test } from 'vitest'
import { chooseQuickVoice } from '../support/actions.ts'
import { HEARD, type HeardAudio } from '../support/audio-tap.ts'
import { setStage } from '../support/stage.ts'

/** Length of the stream, in seconds of audio. `pnpm suite matrix stream` plays half an hour. */
const SECONDS = Number(process.env['SOAK_SECONDS'] ?? 180)

/** Maximum growth of the page's memory between a fifth of the stream and its end, in bytes. */
const MAX_GROWTH = 4_000_000

const SENTENCE = 'The harbour wakes before the town does, and boats come in with the first light. '
/** Characters that the voice speaks per second, at least: the text is longer than needed. */
const CHARACTERS_PER_SECOND = 22

const stage = setStage('/speak')

/** Used memory of the page after a garbage collection. */
async function memory(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0
}

test(
  'a long stream plays without a gap while the memory of the page stays flat',
  { timeout: SECONDS * 1000 + 120_000 },
  async () => {
    const { page, open } = stage
    await chooseQuickVoice(page)
    const session = await page.context().newCDPSession(page)
    await session.send('Performance.enable')
    await session.send('HeapProfiler.enable')
    const heard = (): Promise<HeardAudio> => page.evaluate<HeardAudio>(HEARD)
    const playedSeconds = async (): Promise<number> => {
      const { playedFrames, sampleRate } = await heard()
      return sampleRate === 0 ? 0 : playedFrames / sampleRate
    }
    const text = SENTENCE.repeat(Math.ceil((SECONDS * CHARACTERS_PER_SECOND) / SENTENCE.length))
    await page.getByLabel('Text', { exact: true }).fill(text)
    await page.getByRole('button', { name: 'Speak', exact: true }).click()
    const wait = { timeout: SECONDS * 1000 + 60_000, interval: 250 }
    await expect.poll(playedSeconds, wait).toBeGreaterThan(SECONDS / 5)
    const before = await memory(session)
    await expect.poll(playedSeconds, wait).toBeGreaterThan(SECONDS)
    const after = await memory(session)
    const { starvedFrames, sentFrames, playedFrames, sampleRate } = await heard()
    expect(starvedFrames).toBe(0)
    // The worklet holds the next seconds only, not the whole stream.
    expect((sentFrames - playedFrames) / sampleRate).toBeLessThan(15)
    expect(after - before).toBeLessThan(MAX_GROWTH)
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Play the speech' }).waitFor()
    expect(open.errors).toEqual([])
  },
)
