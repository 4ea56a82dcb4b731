// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { cleanPages, settled, stagePlayer } from './support.ts'

cleanPages()

/** The ways in which frameworks move or bring back an element. */
const moves: readonly (readonly [string, (player: HTMLElement) => void | Promise<void>])[] = [
  [
    'moved to another parent',
    (player) => {
      const other = document.body.appendChild(document.createElement('section'))
      other.append(player)
    },
  ],
  ['reordered in its parent', (player) => player.parentElement?.prepend(player)],
  [
    'removed and brought back later',
    async (player) => {
      player.remove()
      await settled()
      document.body.append(player)
      await settled()
    },
  ],
  [
    'moved three times',
    (player) => {
      for (let move = 0; move < 3; move += 1) document.body.append(player)
    },
  ],
]

test.each(moves)('a player that is %s handles each key once', async (_, move) => {
  const { player, audio, press } = await stagePlayer()
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  await move(player)
  audio.currentTime = 1
  press('ArrowRight')
  expect(audio.currentTime).toBe(6)
  press('k')
  expect(play).toHaveBeenCalledTimes(1)
})

test.each(moves)('a player that is %s keeps its audio, position, speed and captions', async (_, move) => {
  const { player, audio, press, button } = await stagePlayer()
  audio.currentTime = 5
  press('>')
  button('CC, captions').click()
  await move(player)
  audio.dispatchEvent(new Event('timeupdate'))
  expect(player.audio).toBe(audio)
  expect([audio.currentTime, audio.playbackRate]).toEqual([5, 1.25])
  const root = player.shadowRoot
  expect(root?.querySelectorAll('audio, .player')).toHaveLength(2)
  expect(root?.querySelector('.caption')?.textContent).toBe('The boat leaves at nine.')
  expect(root?.querySelector<HTMLElement>('.caption')?.hidden).toBe(true)
  expect(root?.adoptedStyleSheets).toHaveLength(1)
})

test('a player that is moved loads its captions once and does not pause', async () => {
  const { player, audio } = await stagePlayer()
  const pause = vi.spyOn(audio, 'pause')
  document.body.append(player)
  await settled()
  expect(fetch).toHaveBeenCalledTimes(1)
  expect(pause).not.toHaveBeenCalled()
})

test('a player that is removed pauses and stops marking the page', async () => {
  document.body.innerHTML = '<article id="post"><p>The harbour.</p></article>'
  const { player, audio } = await stagePlayer({ for: 'post' })
  audio.currentTime = 1
  audio.dispatchEvent(new Event('timeupdate'))
  expect(document.querySelector('[data-narration-current]')?.textContent).toBe('The harbour.')
  const pause = vi.spyOn(audio, 'pause')
  player.remove()
  await settled()
  expect(pause).toHaveBeenCalledTimes(1)
  expect(document.querySelector('[data-narration-current]')).toBeNull()
})

test('a player that comes back with another src plays that audio', async () => {
  const { player, audio } = await stagePlayer()
  player.remove()
  player.setAttribute('src', '/other.mp3')
  await settled()
  document.body.append(player)
  expect(audio.getAttribute('src')).toBe('/other.mp3')
})

test('a new src takes the chosen speed over', async () => {
  const { player, audio, press } = await stagePlayer()
  press('>')
  player.setAttribute('src', '/other.mp3')
  expect(audio.defaultPlaybackRate).toBe(1.25)
})

test('a player finds its text after the page was replaced', async () => {
  document.body.innerHTML = '<main><article id="post"><p>The harbour.</p></article></main>'
  const { player, audio } = await stagePlayer({ for: 'post' })
  const next = document.createElement('main')
  next.innerHTML = '<article id="post"><p>The harbour.</p></article>'
  document.querySelector('main')?.replaceWith(next)
  next.append(player)
  audio.currentTime = 1
  audio.dispatchEvent(new Event('timeupdate'))
  expect(next.querySelector('[data-narration-current]')?.textContent).toBe('The harbour.')
})
