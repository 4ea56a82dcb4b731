// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { settled, stagePlayer } from './support.ts'

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
