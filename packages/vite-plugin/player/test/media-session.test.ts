// @vitest-environment happy-dom
import { beforeEach, expect, test, vi } from 'vitest'
import { cleanPages, settled, stagePlayer } from './support.ts'

cleanPages()

const handlers = new Map<string, (details: { seekTime?: number; seekOffset?: number }) => void>()
const session = {
  metadata: undefined as { title: string } | null | undefined,
  setActionHandler: (action: string, handler: () => void) => {
    // As a browser that does not know an action.
    if (action === 'nexttrack') throw new TypeError('unknown')
    handlers.set(action, handler)
  },
  setPositionState: vi.fn<(state: MediaPositionState) => void>(),
}

beforeEach(() => {
  handlers.clear()
  Object.defineProperty(navigator, 'mediaSession', { value: session, configurable: true })
  vi.stubGlobal(
    'MediaMetadata',
    class {
      readonly title: string
      constructor({ title }: { title: string }) {
        this.title = title
      }
    },
  )
})

test('the controls of the system show and operate the audio that plays', async () => {
  const { player, audio } = await stagePlayer({ label: 'The harbour' })
  Object.defineProperty(audio, 'duration', { value: 9 })
  const play = vi.spyOn(audio, 'play').mockResolvedValue(undefined)
  expect(handlers.size).toBe(0)
  audio.currentTime = 1
  audio.dispatchEvent(new Event('play'))
  expect(session.metadata?.title).toBe('The harbour')
  expect(session.setPositionState).toHaveBeenLastCalledWith({ duration: 9, playbackRate: 1, position: 1 })
  handlers.get('play')?.({})
  expect(play).toHaveBeenCalledTimes(1)
  handlers.get('seekto')?.({ seekTime: 5 })
  expect(audio.currentTime).toBe(5)
  handlers.get('seekbackward')?.({ seekOffset: 3 })
  expect(audio.currentTime).toBe(2)
  handlers.get('previoustrack')?.({})
  expect(audio.currentTime).toBe(0)
  player.remove()
  await settled()
  expect(session.metadata).toBeNull()
})

test('a player without a label shows the title of the page', async () => {
  document.title = 'News'
  const { audio } = await stagePlayer()
  audio.dispatchEvent(new Event('play'))
  expect(session.metadata?.title).toBe('News')
})
