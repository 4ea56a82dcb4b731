// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { cleanPages, settled, stagePlayer } from './support.ts'

cleanPages()

const FAILED = 'This narration cannot be played. Reload the page.'

test('a pause before the audio has come shows no problem', async () => {
  const { audio, button, problem } = await stagePlayer()
  const playing = Promise.withResolvers<void>()
  const paused = vi.spyOn(audio, 'paused', 'get').mockReturnValue(true)
  vi.spyOn(audio, 'play').mockReturnValue(playing.promise)
  button('Play').click()
  paused.mockReturnValue(false)
  audio.dispatchEvent(new Event('play'))
  button('Pause').click()
  playing.reject(new DOMException('The play() request was interrupted by a call to pause().', 'AbortError'))
  await settled()
  expect(problem()).toBe('')
})

test('audio that the browser cannot play shows a problem', async () => {
  const { audio, button, problem } = await stagePlayer()
  vi.spyOn(audio, 'play').mockRejectedValue(new DOMException('no supported source', 'NotSupportedError'))
  button('Play').click()
  await settled()
  expect(problem()).toBe(FAILED)
})

test('audio that cannot be loaded shows a problem until it plays', async () => {
  const { audio, problem } = await stagePlayer()
  audio.dispatchEvent(new Event('error'))
  expect(problem()).toBe(FAILED)
  audio.dispatchEvent(new Event('playing'))
  expect(problem()).toBe('')
})

test('a seek before the audio has come does not load it again, and three steps are three', async () => {
  const { audio, press, button } = await stagePlayer({ duration: '60' })
  Object.defineProperty(audio, 'readyState', { value: 0 })
  const load = vi.spyOn(audio, 'load')
  for (let step = 0; step < 3; step += 1) press('ArrowRight')
  expect([audio.currentTime, audio.preload]).toEqual([15, 'auto'])
  for (let step = 0; step < 20; step += 1) press('ArrowRight')
  expect(audio.currentTime).toBe(60)
  button('Next paragraph').click()
  expect(load).not.toHaveBeenCalled()
})

test('a place that is chosen before the audio has come is shown at once', async () => {
  const { player, audio, press } = await stagePlayer()
  Object.defineProperty(audio, 'readyState', { value: 0 })
  press('ArrowRight')
  expect(player.shadowRoot?.querySelector('.time')?.textContent).toBe('0:05 / 0:09')
})

test('audio that fails while it plays is loaded again twice, at its place, before a problem is shown', async () => {
  const { audio, button, problem } = await stagePlayer()
  vi.useFakeTimers()
  try {
    const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
    const load = vi.spyOn(audio, 'load').mockImplementation(() => {
      audio.currentTime = 0
    })
    button('Play').click()
    audio.currentTime = 7
    // A browser pauses audio that fails.
    Object.defineProperty(audio, 'error', { value: { code: 4 } })
    for (let failure = 1; failure <= 2; failure += 1) {
      audio.dispatchEvent(new Event('error'))
      audio.dispatchEvent(new Event('pause'))
      expect(problem()).toBe('')
      await vi.advanceTimersByTimeAsync(5000)
      expect([load.mock.calls.length, play.mock.calls.length, audio.currentTime]).toEqual([failure, failure + 1, 7])
    }
    audio.dispatchEvent(new Event('error'))
    expect(problem()).toBe(FAILED)
  } finally {
    vi.useRealTimers()
  }
})

test('Play after a failure loads the audio again', async () => {
  const { audio, button } = await stagePlayer()
  Object.defineProperty(audio, 'error', { value: { code: 4 } })
  const load = vi.spyOn(audio, 'load').mockImplementation(() => undefined)
  vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  button('Play').click()
  await settled()
  expect(load).toHaveBeenCalledTimes(1)
})

test('a browser that plays only after a click shows how to start', async () => {
  const { audio, button, problem } = await stagePlayer()
  vi.spyOn(audio, 'play').mockRejectedValue(new DOMException('no gesture', 'NotAllowedError'))
  button('Play').click()
  await settled()
  expect(problem()).toBe('The browser did not start the audio. Press play.')
})

test('a new label names the player without loading it again', async () => {
  const { player } = await stagePlayer({ label: 'One' })
  const bar = player.shadowRoot?.querySelector('[role=group]')
  expect(bar?.getAttribute('aria-label')).toBe('One')
  player.setAttribute('label', 'Two')
  expect(bar?.getAttribute('aria-label')).toBe('Two')
  expect(fetch).toHaveBeenCalledTimes(1)
})
