// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { cleanPages, settled, stagePlayer } from './support.ts'

cleanPages()

test('a player that begins to play pauses the others', async () => {
  const [one, other] = [await stagePlayer(), await stagePlayer({ src: '/other.mp3' })]
  const pauses = vi.spyOn(one.audio, 'pause')
  const own = vi.spyOn(other.audio, 'pause')
  other.audio.dispatchEvent(new Event('play'))
  expect(pauses).toHaveBeenCalledOnce()
  expect(own).not.toHaveBeenCalled()
})

test('a player that has left the page hears the others no longer', async () => {
  const [one, other] = [await stagePlayer(), await stagePlayer()]
  one.player.remove()
  await settled()
  const pauses = vi.spyOn(one.audio, 'pause')
  other.audio.dispatchEvent(new Event('play'))
  expect(pauses).not.toHaveBeenCalled()
})

test('speed and captions stay as the reader has set them, in the next player too', async () => {
  const first = await stagePlayer()
  first.press('>')
  first.press('c')
  first.player.remove()
  const { audio, button } = await stagePlayer({ src: '/next.mp3' })
  expect(audio.playbackRate).toBe(1.25)
  expect(button('CC, captions').getAttribute('aria-pressed')).toBe('false')
})

test.each(['', '{', '[]', '7', 'null', '{"speed":"fast","captions":1}', '{"speed":900}'])(
  'stored choices that are %s are those of a first visit',
  async (stored) => {
    localStorage.setItem('narration-player', stored)
    const { audio, button } = await stagePlayer()
    expect(audio.playbackRate).toBe(1)
    expect(button('CC, captions').getAttribute('aria-pressed')).toBe('true')
  },
)

test('the page hears play, pause, seek and end, with the place', async () => {
  const { player, audio } = await stagePlayer()
  const heard: unknown[] = []
  for (const name of ['play', 'pause', 'seek', 'end']) {
    document.body.addEventListener(`narration:${name}`, (event) => {
      heard.push([event.type, (event as CustomEvent).detail, event.target === player])
    })
  }
  for (const event of ['play', 'seeked', 'pause', 'ended']) audio.dispatchEvent(new Event(event))
  const detail = { seconds: 0, duration: 9 }
  expect(heard).toEqual(['play', 'seek', 'pause', 'end'].map((name) => [`narration:${name}`, detail, true]))
})

test('while the audio is loaded, the player says so instead of the time', async () => {
  const { player, audio } = await stagePlayer({ labels: '{"loading":"Lädt …"}' })
  Object.defineProperty(audio, 'paused', { value: false, configurable: true })
  const time = player.shadowRoot?.querySelector('.time')
  const bar = player.shadowRoot?.querySelector('.bar')
  audio.dispatchEvent(new Event('waiting'))
  expect([time?.textContent, bar?.getAttribute('aria-busy')]).toEqual(['Lädt …', 'true'])
  audio.dispatchEvent(new Event('playing'))
  expect([time?.textContent, bar?.getAttribute('aria-busy')]).toEqual(['0:00 / 0:09', 'false'])
})

test('a new src ends the wait for the old one', async () => {
  const { player, audio } = await stagePlayer()
  Object.defineProperty(audio, 'paused', { value: false, configurable: true })
  audio.dispatchEvent(new Event('waiting'))
  player.src = '/next.mp3'
  expect(player.shadowRoot?.querySelector('.bar')?.getAttribute('aria-busy')).toBe('false')
})

test('times from an hour on have hours', async () => {
  const { player } = await stagePlayer({ duration: '4505' })
  expect(player.shadowRoot?.querySelector('.time')?.textContent).toBe('0:00 / 1:15:05')
})

test('J and L seek by 15 seconds', async () => {
  const { audio, press } = await stagePlayer({ duration: '100' })
  press('l')
  press('l')
  expect(audio.currentTime).toBe(30)
  press('j')
  expect(audio.currentTime).toBe(15)
})

test('with clicks="off" a click on a paragraph stays the page\'s, and the highlight stays', async () => {
  document.body.innerHTML = '<article id="post"><p>The harbour.</p><p>The boat leaves at nine.</p></article>'
  const { player, audio } = await stagePlayer({ for: 'post', clicks: 'off' })
  const [first, second] = document.querySelectorAll('p')
  second?.click()
  expect(audio.currentTime).toBe(0)
  audio.currentTime = 1
  audio.dispatchEvent(new Event('timeupdate'))
  expect(first?.hasAttribute('data-narration-current')).toBe(true)
  player.clicks = ''
  second?.click()
  expect(audio.currentTime).toBe(4.5)
})

test('a docked player follows the paragraph that is read, while it plays', async () => {
  document.body.innerHTML = '<article id="post"><p>The harbour.</p><p>The boat leaves at nine.</p></article>'
  const { player, audio } = await stagePlayer({ for: 'post', docked: '' })
  const scrolls = [...document.querySelectorAll('p')].map((one) => {
    const scroll = vi.fn<() => void>()
    one.scrollIntoView = scroll
    return scroll
  })
  Object.defineProperty(audio, 'paused', { value: false, configurable: true })
  audio.currentTime = 5
  audio.dispatchEvent(new Event('timeupdate'))
  expect(scrolls[1]).toHaveBeenCalledOnce()
  player.docked = false
  audio.currentTime = 1
  audio.dispatchEvent(new Event('timeupdate'))
  expect(scrolls[0]).not.toHaveBeenCalled()
})

test('the headings of the text are a menu that shows the section and goes to another', async () => {
  document.body.innerHTML =
    '<article id="post"><h1>The harbour.</h1><h2>The boat <a href="#x">#</a></h2><p>leaves at nine.</p></article>'
  const CUES = [
    ['The harbour.', 0],
    ['The boat', 4],
    ['leaves at nine.', 6],
  ] as const
  const vtt = CUES.map(([text, start], index) => `${index + 1}.1\n00:0${start}.000 --> 00:0${start + 2}.000\n${text}\n`)
  const { player, audio } = await stagePlayer({ for: 'post' }, `WEBVTT\n\n${vtt.join('\n')}`)
  const menu = player.shadowRoot?.querySelector<HTMLSelectElement>('[part=sections]')
  expect(menu?.hidden).toBe(false)
  expect([...(menu?.options ?? [])].map(({ textContent }) => textContent)).toEqual([
    'The harbour.',
    '\u00A0\u00A0The boat',
  ])
  audio.currentTime = 7
  audio.dispatchEvent(new Event('timeupdate'))
  expect(menu?.selectedIndex).toBe(1)
  if (menu !== undefined && menu !== null) menu.selectedIndex = 0
  menu?.dispatchEvent(new Event('change'))
  expect(audio.currentTime).toBe(0)
  expect((await stagePlayer()).player.shadowRoot?.querySelector<HTMLElement>('[part=sections]')?.hidden).toBe(true)
})
