// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { cleanPages, settled, stagePlayer } from './support.ts'

cleanPages()

const GERMAN = {
  play: 'Abspielen',
  pause: 'Anhalten',
  previous: 'Voriger Absatz',
  next: 'Nächster Absatz',
  back: '15 Sekunden zurück',
  forward: '15 Sekunden vor',
  position: 'Stelle',
  time: '{current} von {total}',
  sections: 'Abschnitte',
  speed: 'Tempo',
  captions: 'Untertitel',
  download: 'Herunterladen',
  narration: 'Vorgelesen',
  unplayable: 'Das lässt sich nicht abspielen.',
  blocked: 'Bitte auf Abspielen drücken.',
}

/** All texts that assistive technology reads of a player. */
function texts(root: ShadowRoot | null): string[] {
  return [...(root?.querySelectorAll('[aria-label]') ?? [])].map((one) => one.getAttribute('aria-label') ?? '')
}

test('labels name every part in another language, as an attribute and as a property', async () => {
  const { player, audio, button, problem } = await stagePlayer({ labels: JSON.stringify(GERMAN), download: '' })
  const root = player.shadowRoot
  const { time: _, pause: _pause, unplayable: _message, blocked: _hint, ...named } = GERMAN
  expect(texts(root).toSorted()).toEqual(Object.values(named).toSorted())
  expect(root?.querySelector('input')?.getAttribute('aria-valuetext')).toBe('0:00 von 0:09')
  vi.spyOn(audio, 'play').mockRejectedValue(new DOMException('no gesture', 'NotAllowedError'))
  button(GERMAN.play).click()
  await settled()
  expect(problem()).toBe(GERMAN.blocked)

  player.labels = { play: 'Lire' }
  expect(texts(root)).toContain('Lire')
  expect(texts(root)).toContain('Next paragraph')
})

test('labels that are no JSON are English, with a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
  const { player } = await stagePlayer({ labels: '{play' })
  expect(texts(player.shadowRoot)).toContain('Play')
  expect(warn).toHaveBeenCalledWith(expect.stringContaining('labels is no JSON'))
})

test('the name of the player follows its label', async () => {
  const { player } = await stagePlayer({ label: 'One' })
  const bar = player.shadowRoot?.querySelector('.bar')
  expect(bar?.getAttribute('aria-label')).toBe('One')
  player.label = 'Two'
  expect(bar?.getAttribute('aria-label')).toBe('Two')
  player.label = undefined
  expect(bar?.getAttribute('aria-label')).toBe('Narration')
})

test('the audio is offered for download only where the page says so', async () => {
  const { player } = await stagePlayer()
  const link = player.shadowRoot?.querySelector('a')
  expect(link?.hidden).toBe(true)
  player.download = 'harbour.mp3'
  expect([link?.hidden, link?.download, link?.href]).toEqual([false, 'harbour.mp3', player.audio?.src])
  player.src = '/other.mp3'
  expect(link?.href).toContain('/other.mp3')
  player.download = true
  expect([link?.hidden, link?.download]).toEqual([false, ''])
  player.download = false
  expect(link?.hidden).toBe(true)
})

test('each part has a name for style sheets', async () => {
  const { player } = await stagePlayer()
  const parts = [...(player.shadowRoot?.querySelectorAll('[part]') ?? [])].map((one) =>
    String(one.getAttribute('part')),
  )
  expect(new Set(parts)).toEqual(
    new Set([
      'bar',
      'button back',
      'button captions',
      'button download',
      'button forward',
      'button next',
      'button play',
      'button previous',
      'caption',
      'player',
      'problem',
      'sections',
      'seek',
      'speed',
      'time',
    ]),
  )
})

/** Plays to a second, and pauses. */
async function listenTo(second: number, attributes: Readonly<Record<string, string>>): Promise<void> {
  const { player, audio } = await stagePlayer(attributes)
  audio.currentTime = second
  audio.dispatchEvent(new Event('pause'))
  player.remove()
  await settled()
}

test('with resume, the next visit begins where the last one has stopped', async () => {
  await listenTo(42, { resume: '' })
  const again = await stagePlayer({ resume: '' })
  expect(again.audio.currentTime).toBe(42)
  expect(again.player.shadowRoot?.querySelector('.time')?.textContent).toContain('0:42')
  // Other audio begins at its start, and so does a player without `resume`.
  expect((await stagePlayer({ resume: '', src: '/other.mp3' })).audio.currentTime).toBe(0)
  expect((await stagePlayer()).audio.currentTime).toBe(0)
})

test('without resume nothing is stored, and a beginning is not kept', async () => {
  await listenTo(42, {})
  expect(localStorage).toHaveLength(0)
  await listenTo(2, { resume: '' })
  expect(localStorage).toHaveLength(0)
})

test('while it plays, the position is stored every few seconds', async () => {
  const { audio } = await stagePlayer({ resume: '' })
  const stored = new Set<string | null>()
  Object.defineProperty(audio, 'paused', { value: false })
  for (let second = 6; second < 20; second += 0.25) {
    audio.currentTime = second
    audio.dispatchEvent(new Event('timeupdate'))
    stored.add(localStorage.getItem('narration-player:/post.mp3'))
  }
  expect([...stored]).toEqual(['6.0', '11.0', '16.0'])
})

test('a browser without storage plays all the same', async () => {
  const denied = vi.fn<() => never>(() => {
    throw new DOMException('denied', 'SecurityError')
  })
  vi.stubGlobal('localStorage', { getItem: denied, setItem: denied, removeItem: denied })
  try {
    const { player, audio } = await stagePlayer({ resume: '' })
    audio.currentTime = 42
    audio.dispatchEvent(new Event('pause'))
    expect(player.hidden).toBe(false)
    expect(denied).toHaveBeenCalledTimes(3)
  } finally {
    vi.unstubAllGlobals()
  }
})

test.each([
  ['the first source that the browser plays', ['audio/mpeg'], 'mp3'],
  ['the first of several that it plays', ['audio/mpeg', 'audio/ogg'], 'opus'],
  ['the first source, if it plays none', [], 'opus'],
])('without an address, the player takes %s, with its captions', async (_, playable, taken) => {
  vi.spyOn(HTMLMediaElement.prototype, 'canPlayType').mockImplementation((type) =>
    playable.includes(type) ? 'maybe' : '',
  )
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(new Response('WEBVTT\n')))
  const player = document.createElement('narration-player')
  player.innerHTML = `
    <source src="/post.opus" type="audio/ogg" data-captions="/opus.vtt">
    <source src="/post.mp3" type="audio/mpeg" data-captions="/mp3.vtt">`
  document.body.append(player)
  await settled()
  expect(player.shadowRoot?.querySelector('audio')?.getAttribute('src')).toBe(`/post.${taken}`)
  expect(fetched.mock.calls.map(([address]) => address)).toEqual([`/${taken}.vtt`])
  expect(player.hidden).toBe(false)
})
