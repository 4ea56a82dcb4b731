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
  const { audio, button, problem } = await stagePlayer()
  vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  button('Play').click()
  for (let failure = 0; failure < 3; failure += 1) audio.dispatchEvent(new Event('error'))
  expect(problem()).toBe(FAILED)
  audio.dispatchEvent(new Event('playing'))
  expect(problem()).toBe('')
})

test('audio that fails while nobody waits for it shows no problem', async () => {
  const { audio, button, problem } = await stagePlayer()
  audio.dispatchEvent(new Event('error'))
  vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  const paused = vi.spyOn(audio, 'paused', 'get').mockReturnValue(false)
  button('Play').click()
  button('Pause').click()
  paused.mockReturnValue(true)
  audio.dispatchEvent(new Event('error'))
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

test('a place that is chosen before the audio has come is taken when it comes, if the browser has forgotten it', async () => {
  const { audio, press } = await stagePlayer({ duration: '60' })
  const readyState = vi.spyOn(audio, 'readyState', 'get').mockReturnValue(0)
  press('ArrowRight')
  audio.currentTime = 0
  readyState.mockReturnValue(1)
  audio.dispatchEvent(new Event('loadedmetadata'))
  expect(audio.currentTime).toBe(5)
  audio.currentTime = 30
  audio.dispatchEvent(new Event('loadedmetadata'))
  expect(audio.currentTime).toBe(30)
})

test('audio that fails after a pause and a play is loaded again, though the pause is told after the play', async () => {
  const { audio, press } = await stagePlayer()
  vi.useFakeTimers()
  try {
    const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
    vi.spyOn(audio, 'pause').mockReturnValue(undefined)
    vi.spyOn(audio, 'load').mockReturnValue(undefined)
    const paused = vi.spyOn(audio, 'paused', 'get').mockReturnValue(true)
    press('k')
    paused.mockReturnValue(false)
    press('k')
    paused.mockReturnValue(true)
    press('k')
    paused.mockReturnValue(false)
    audio.dispatchEvent(new Event('pause'))
    const before = play.mock.calls.length
    Object.defineProperty(audio, 'error', { value: { code: 4 } })
    audio.dispatchEvent(new Event('error'))
    await vi.advanceTimersByTimeAsync(5000)
    expect(play.mock.calls.length).toBe(before + 1)
  } finally {
    vi.useRealTimers()
  }
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

test('the buttons −15 and +15 seek by 15 seconds', async () => {
  const { audio, button } = await stagePlayer({ duration: '60' })
  audio.currentTime = 20
  button('Forward 15 seconds').click()
  expect(audio.currentTime).toBe(35)
  button('Back 15 seconds').click()
  button('Back 15 seconds').click()
  expect(audio.currentTime).toBe(5)
})

test('without a connection the player says so, and goes on when the connection is back', async () => {
  const { audio, button, problem } = await stagePlayer()
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  vi.spyOn(audio, 'load').mockImplementation(() => undefined)
  button('Play').click()
  Object.defineProperty(audio, 'error', { value: { code: 2 } })
  audio.dispatchEvent(new Event('error'))
  expect(problem()).toBe('You are offline. The narration goes on when the connection is back.')
  online.mockReturnValue(true)
  globalThis.dispatchEvent(new Event('online'))
  expect([problem(), play.mock.calls.length]).toEqual(['', 2])
})

/** Makes audio that its server sends without ranges: it can only be at its start. */
function withoutRanges(audio: HTMLAudioElement): void {
  Object.defineProperty(audio, 'duration', { value: 60, configurable: true })
  Object.defineProperty(audio, 'currentSrc', { value: 'http://localhost/post.mp3' })
  Object.defineProperty(audio, 'seekable', { value: { length: 1, start: () => 0, end: () => 0 } })
}

test('audio from a server without ranges is loaded whole for a late place, once, and then plays there', async () => {
  const { player, audio, press, button } = await stagePlayer({ duration: '60' })
  withoutRanges(audio)
  const loaded = Promise.withResolvers<Response>()
  const fetched = vi.spyOn(globalThis, 'fetch').mockReturnValue(loaded.promise)
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  const address = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:whole')
  button('Play').click()
  for (let step = 0; step < 3; step += 1) press('l')
  const shown = (): string | null | undefined => player.shadowRoot?.querySelector('.time')?.textContent
  expect([shown(), audio.getAttribute('src')]).toEqual(['Loading …', '/post.mp3'])
  loaded.resolve(new Response('audio'))
  await settled()
  expect([audio.src, audio.currentTime, play.mock.calls.length]).toEqual(['blob:whole', 45, 2])
  press('l')
  // The captions were the first request.
  expect([fetched.mock.calls.length, address.mock.calls.length]).toEqual([2, 1])
})

test('another audio ends the load of the one before', async () => {
  const { player, audio, press, button } = await stagePlayer({ duration: '60' })
  withoutRanges(audio)
  const loaded = Promise.withResolvers<void>()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => {
    await loaded.promise
    return new Response('audio')
  })
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:whole')
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  button('Play').click()
  press('l')
  player.setAttribute('src', '/other.mp3')
  loaded.resolve()
  await settled()
  expect([audio.getAttribute('src'), play.mock.calls.length]).toEqual(['/other.mp3', 1])
})

test('a pause while the audio is loaded whole stays a pause', async () => {
  const { audio, press, button } = await stagePlayer({ duration: '60' })
  withoutRanges(audio)
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response('audio'))
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:whole')
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  button('Play').click()
  press('l')
  button('Pause').click()
  await settled()
  expect([audio.currentTime, play.mock.calls.length]).toEqual([15, 1])
})

test.each([
  ['another player of the page plays', (): void => void document.dispatchEvent(new Event('narration:play'))],
  ['the player leaves the page', (player: HTMLElement): void => player.remove()],
])('audio that is loaded whole does not play by itself once %s', async (_, leave) => {
  const { player, audio, press, button } = await stagePlayer({ duration: '60' })
  withoutRanges(audio)
  const loaded = Promise.withResolvers<Response>()
  vi.spyOn(globalThis, 'fetch').mockReturnValue(loaded.promise)
  vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:whole')
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  button('Play').click()
  press('l')
  leave(player)
  await settled()
  loaded.resolve(new Response('audio'))
  await settled()
  expect(play).toHaveBeenCalledTimes(1)
})

test('audio that fails is not loaded again once another player of the page plays', async () => {
  const { audio, button } = await stagePlayer()
  vi.useFakeTimers()
  try {
    const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
    button('Play').click()
    Object.defineProperty(audio, 'error', { value: { code: 4 } })
    audio.dispatchEvent(new Event('error'))
    document.dispatchEvent(new Event('narration:play'))
    await vi.advanceTimersByTimeAsync(5000)
    expect(play).toHaveBeenCalledTimes(1)
  } finally {
    vi.useRealTimers()
  }
})

test.each([
  ['another audio is chosen', 'changed', '/other.mp3', 0],
  ['the player leaves the page', 'removed', '/post.mp3', 15],
  ['the player leaves the page while it is loaded', 'removed early', '/post.mp3', 15],
])('audio that was loaded whole is freed when %s', async (_, how, src, second) => {
  const { player, audio, press, button } = await stagePlayer({ duration: '60' })
  withoutRanges(audio)
  const loaded = Promise.withResolvers<Response>()
  vi.spyOn(globalThis, 'fetch').mockReturnValue(loaded.promise)
  const addresses = vi.spyOn(URL, 'createObjectURL').mockImplementation(() => `blob:${addresses.mock.calls.length}`)
  const revoked = vi.spyOn(URL, 'revokeObjectURL')
  vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  button('Play').click()
  press('l')
  if (how !== 'removed early') loaded.resolve(new Response('audio'))
  await settled()
  expect(addresses).toHaveBeenCalledTimes(how === 'removed early' ? 0 : 1)
  if (how === 'changed') player.setAttribute('src', src)
  else player.remove()
  await settled()
  loaded.resolve(new Response('audio'))
  await settled()
  const freed = revoked.mock.calls.flat().filter((address) => address !== '')
  expect(freed).toEqual(addresses.mock.results.map(({ value }) => value))
  expect([audio.getAttribute('src'), how === 'changed' ? 0 : audio.currentTime]).toEqual([src, second])
})
