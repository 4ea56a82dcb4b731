import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createStore } from '../lib/store.ts'
import { stopAll } from '../shell/panel-context.ts'
import { endTurn, type Player, type PlayerState, takeTurn } from './player.ts'

let playing: Player[]

/** A player that notes its turns as the real ones do. */
function player(): Player & { readonly paused: () => number } {
  let paused = 0
  const own: Player & { readonly paused: () => number } = {
    state: createStore<PlayerState>({ status: 'paused', position: 0, duration: 1, open: false, levels: undefined }),
    play: async () => takeTurn(own),
    pause: () => {
      paused += 1
      endTurn(own)
    },
    seek: () => {},
    close: () => endTurn(own),
    paused: () => paused,
  }
  playing.push(own)
  return own
}

beforeEach(() => {
  playing = []
})
afterEach(() => {
  for (const own of playing) own.close()
  vi.unstubAllGlobals()
})

test('only one player is heard: the next one pauses it', async () => {
  const [first, second] = [player(), player()]
  await first.play()
  await second.play()
  expect([first.paused(), second.paused()]).toEqual([1, 0])
})

test('a player that plays again does not pause itself', async () => {
  const only = player()
  await only.play()
  await only.play()
  expect(only.paused()).toBe(0)
})

test('Escape pauses the player that is heard, and no other', async () => {
  const [first, second] = [player(), player()]
  await first.play()
  await second.play()
  expect(stopAll()).toBe(true)
  expect([first.paused(), second.paused()]).toEqual([1, 1])
  expect(stopAll()).toBe(false)
})

test('a player that has ended is not paused by the next', async () => {
  const [first, second] = [player(), player()]
  await first.play()
  endTurn(first)
  await second.play()
  expect(first.paused()).toBe(0)
})

test('the end of an old player does not end the turn of the new one', async () => {
  const [first, second] = [player(), player()]
  await first.play()
  await second.play()
  endTurn(first)
  expect(stopAll()).toBe(true)
  expect(second.paused()).toBe(1)
})

test('the volume is read when the page opens and stored when it changes', async () => {
  const items = new Map([['svc-audio.volume', '0.25']])
  vi.stubGlobal('localStorage', {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  })
  vi.resetModules()
  const { volume } = await import('./player.ts')
  expect(volume.get()).toBe(0.25)
  volume.set(0.5)
  expect(items.get('svc-audio.volume')).toBe('0.5')
})
