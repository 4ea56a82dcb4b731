// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { cleanPages, stagePlayer } from './support.ts'

cleanPages()

/** The text of the block that is marked once the first caption plays. */
function marked(root: ParentNode, audio: HTMLAudioElement): string | undefined {
  audio.currentTime = 1
  audio.dispatchEvent(new Event('timeupdate'))
  return root.querySelector('[data-narration-current]')?.textContent
}

test.each(['post', '#post', 'main > article', 'article:first-of-type'])(
  'a player whose for is %s marks that element',
  async (value) => {
    document.body.innerHTML = '<main><article id="post"><p>The harbour.</p></article></main>'
    const { audio } = await stagePlayer({ for: value })
    expect(marked(document, audio)).toBe('The harbour.')
  },
)

test('an id that is no selector finds its element', async () => {
  document.body.innerHTML = '<article id="2024: one"><p>The harbour.</p></article>'
  const { audio } = await stagePlayer({ for: '2024: one' })
  expect(marked(document, audio)).toBe('The harbour.')
})

test.each([{}, { for: '' }, { for: 'nothing' }, { for: '>>' }])(
  'a player with %j shows captions and marks nothing',
  async (attributes) => {
    document.body.innerHTML = '<p>The harbour.</p>'
    const { player, audio } = await stagePlayer({ ...attributes })
    expect(marked(document, audio)).toBeUndefined()
    expect(player.shadowRoot?.querySelector('.caption')?.textContent).toBe('The harbour.')
  },
)

test('a player in a shadow root marks an element of that root, and styles it', async () => {
  const host = document.body.appendChild(document.createElement('div'))
  const root = host.attachShadow({ mode: 'open' })
  root.innerHTML = '<article><p>The harbour.</p></article>'
  const { player, audio } = await stagePlayer({ for: 'article' })
  root.prepend(player)
  expect(marked(root, audio)).toBe('The harbour.')
  expect(root.adoptedStyleSheets).toHaveLength(1)
})

test('a player in a shadow root marks an element of the page around it', async () => {
  document.body.innerHTML = '<article id="post"><p>The harbour.</p></article>'
  const root = document.body.appendChild(document.createElement('div')).attachShadow({ mode: 'open' })
  const { player, audio } = await stagePlayer({ for: 'post' })
  root.append(player)
  expect(marked(document, audio)).toBe('The harbour.')
})
