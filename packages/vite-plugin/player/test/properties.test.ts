// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { cleanPages, stagePlayer } from './support.ts'

cleanPages()

test('properties reflect the attributes, as frameworks set either', async () => {
  const { player, audio } = await stagePlayer({ label: 'One', for: 'post' })
  expect([player.src, player.captions, player.duration, player.label, player.for]).toEqual([
    '/post.mp3',
    '/post.vtt',
    9,
    'One',
    'post',
  ])
  player.src = '/other.mp3'
  player.duration = 12
  player.label = undefined
  expect(audio.getAttribute('src')).toBe('/other.mp3')
  expect(player.shadowRoot?.querySelector('.time')?.textContent).toBe('0:00 / 0:12')
  expect(player.hasAttribute('label')).toBe(false)
})

test('properties that were set before the element was defined are applied', async () => {
  const { player, audio } = await stagePlayer()
  player.remove()
  Object.defineProperty(player, 'src', { value: '/early.mp3', configurable: true, writable: true })
  document.body.append(player)
  expect(audio.getAttribute('src')).toBe('/early.mp3')
  expect(player.getAttribute('src')).toBe('/early.mp3')
})
