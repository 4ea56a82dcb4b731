import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { useLayoutEffect } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { StreamPlayer } from '../../audio/stream-player.ts'
import { watchLeaving } from '../../lib/hooks.ts'
import { createStore, readStored, writeStored } from '../../lib/store.ts'
import { FakeAudio } from '../../test/fake-audio.ts'
import { FakeCaches } from '../../test/fake-caches.ts'
import { FakeService, FakeStream } from '../../test/fake-service.ts'
import { installWebAudio } from '../../test/fake-web-audio.ts'
import { announced, button } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { FIRST_DRAFT, type SpeakDraft } from './draft.ts'
import type { Take } from './take.ts'
import { type TakesControl, useTakes } from '../../lib/takes.ts'
import { Panel } from './panel.tsx'

const SPEECH = 'POST /v1/audio/speech'
const TASK = { id: 'task_1', object: 'audio.speech', status: 'SUCCESS', created_at: 1, updated_at: 1 }
const take = (id: string, text: string, more: Partial<Take> = {}): Take => {
  return { id, draft: { ...FIRST_DRAFT, text }, at: 0, end: 'complete', bytes: 32_000, seconds: 2, ...more }
}

const NO_TAKES: readonly Take[] = []

let service: FakeService
let caches: FakeCaches
beforeEach(() => {
  installWebAudio()
  service = new FakeService()
  caches = new FakeCaches()
  vi.stubGlobal('caches', caches)
  // The page of the test before is not left.
  dispatchEvent(new Event('pageshow'))
})
const open = (path = '/speak'): Stage => renderPanel(Panel, 'speak', { service, path })
const stored = (): readonly Take[] => readStored<readonly Take[]>('takes', [])

async function speakTask(): Promise<Stage> {
  const stream = new FakeStream()
  service.answer(SPEECH, () => stream.response)
  const stage = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await stage.user.click(button('Speak'))
  await act(async () => {
    stream.send(
      { type: 'task.created', task_id: 'task_1', object: 'audio.speech', status: 'PROCESSING' },
      { type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 },
      { type: 'speech.audio.delta', audio: Buffer.alloc(32_000).toString('base64') },
      { type: 'speech.audio.done' },
    )
    stream.end()
  })
  await screen.findByText('Complete: 1.0 s of audio.')
  return stage
}

test('a stream is there after a reload, and plays from its task', async () => {
  const { unmount } = await speakTask()
  unmount()
  service.json('GET /v1/audio/tasks/task_1', { ...TASK, url: 'http://127.0.0.1:5173/api/v1/results/1.wav?sig=x' })
  service.audio('GET /v1/results/1.wav')
  const { user } = open()
  expect(await screen.findByText('Complete: 1.0 s of audio.')).toBeDefined()
  expect(
    service.sent.filter(({ route }) => route.includes('results')),
    'not before it plays',
  ).toEqual([])
  await user.click(button('Play the speech'))
  await waitFor(() => expect(FakeAudio.latest().paused).toBe(false))
  expect(service.last('GET /v1/results/1.wav').query).toEqual({ sig: 'x' })
})

test('a file is there after a reload, from the storage of the browser', async () => {
  writeStored('speak', { ...FIRST_DRAFT, model: 'svc-tts-1.0-pro', output: 'mp3' } satisfies SpeakDraft)
  service.audio(SPEECH)
  const { user, unmount } = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await user.click(button('Speak'))
  await screen.findByText('Complete: 4.0 s of audio.')
  await waitFor(() => expect(caches.size).toBe(1))
  unmount()
  const again = open()
  await again.user.click(button('Play the speech'))
  await waitFor(() => expect(FakeAudio.latest().paused).toBe(false))
  expect(screen.queryByRole('button', { name: 'Copy link to this speech' }), 'other people have no file').toBeNull()
})

test('a speech that ends with the page, before its first audio, is not spoken: the next visit says so', async () => {
  watchLeaving()
  const stream = new FakeStream()
  service.answer(SPEECH, () => stream.response)
  const { user, unmount } = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await user.click(button('Speak'))
  await waitFor(() => expect(stored()).toHaveLength(1))
  await act(async () =>
    stream.send({ type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 }),
  )
  dispatchEvent(new Event('pagehide'))
  await act(async () => stream.cut())
  unmount()
  dispatchEvent(new Event('pageshow'))
  expect(stored().map(({ end }) => end)).toEqual(['open'])
  open()
  expect(await screen.findByText('Not spoken. The page was closed before it was complete.')).toBeDefined()
})

test('a take whose task the service has deleted says so when it plays', async () => {
  writeStored('takes', [take('task_1', 'Old')])
  service.refuse('GET /v1/audio/tasks/task_1', 'No task has this id', 'task_not_found', 404)
  const { user } = open()
  await user.click(button('Play the speech'))
  await waitFor(() => expect(announced()).toContain('No task has this id'))
  expect(button('Play the speech').disabled).toBe(false)
})

test('a link opens the speech of a task, also in a browser that did not make it', async () => {
  service.json('GET /v1/audio/tasks/task_1', { ...TASK, url: 'http://127.0.0.1:5173/api/v1/results/1.wav' })
  service.audio('GET /v1/results/1.wav')
  const { user } = open('/speak?task=task_1')
  await waitFor(() => expect(stored()).toMatchObject([{ id: 'task_1', end: 'complete' }]))
  act(() => FakeAudio.latest().load())
  await screen.findByText('Complete: 4.0 s of audio.')
  await user.click(button('Copy link to this speech'))
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/speak?task=task_1`)
})

test('a link to a task that the service does not know says so, and can be retried', async () => {
  service.refuse('GET /v1/audio/tasks/task_1', 'No task has this id', 'task_not_found', 404)
  const { user } = open('/speak?task=task_1')
  await screen.findByText('No task has this id.')
  await user.click(button('Retry'))
  await waitFor(() => expect(service.sent.filter(({ route }) => route.endsWith('task_1'))).toHaveLength(2))
  expect(service.bodies(SPEECH)).toEqual([])
})

test('the history opens an earlier take, and removes it', async () => {
  writeStored('takes', [take('task_2', 'Newer'), take('task_1', 'Older', { end: 'cut', seconds: 1 })])
  const { user } = open()
  await screen.findByText('Complete: 2.0 s of audio.')
  const history = screen.getByRole('region', { name: 'History' })
  expect(within(history).getByText(/incomplete/)).toBeDefined()
  await user.click(within(history).getByRole('link', { name: 'Older' }))
  expect(location.search).toBe('?task=task_1')
  await screen.findByText(/^Incomplete: 1\.0 s arrived/)
  await user.click(button('Remove Newer from the history'))
  expect(stored().map(({ id }) => id)).toEqual(['task_1'])
  expect(screen.queryByRole('region', { name: 'History' })).toBeNull()
})

test('a take of another tab appears at once', async () => {
  open()
  await screen.findByText('Nothing spoken yet.')
  writeStored('takes', [take('task_1', 'Theirs')])
  act(() => void dispatchEvent(Object.assign(new Event('storage'), { key: 'svc-audio.takes' })))
  expect(await screen.findByText('Complete: 2.0 s of audio.')).toBeDefined()
})

test('numbers of a speech that come before its take change no other take, and its player stays open', async () => {
  const old = take('task_0', 'Before')
  writeStored('takes', [old])
  const close = vi.spyOn(StreamPlayer.prototype, 'close')
  const stream = new FakeStream()
  service.answer(SPEECH, () => stream.response)
  const { user } = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await user.click(button('Speak'))
  const audio = { type: 'speech.audio.delta', audio: Buffer.alloc(32_000).toString('base64') }
  await act(async () => {
    stream.send(
      { type: 'task.created', task_id: 'task_1', object: 'audio.speech', status: 'PROCESSING' },
      { type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 },
      audio,
    )
  })
  await screen.findByText('Receiving …')
  await act(async () => {
    stream.send(audio, { type: 'speech.audio.done' })
    stream.end()
  })
  await screen.findByText('Complete: 2.0 s of audio.')
  expect(stored()).toMatchObject([{ id: 'task_1', bytes: 64_000, end: 'complete' }, old])
  expect(close).not.toHaveBeenCalled()
})

test('a take that is added before the effects of an earlier change have run keeps its player', async () => {
  writeStored('takes', [take('task_0', 'Before')])
  const close = vi.fn<() => void>()
  const state = createStore({ status: 'paused', position: 0, duration: 0, open: true, levels: undefined } as const)
  const player = { state, play: async () => {}, pause: () => {}, seek: () => {}, close }
  let control: TakesControl<SpeakDraft> | undefined
  let isAdded = false
  const Probe = (): null => {
    const takes = useTakes('takes', NO_TAKES, () => false)
    control = takes
    // After the screen shows the change, and before its effects.
    useLayoutEffect(() => {
      if (isAdded || takes.takes[0]?.bytes !== 1) return
      isAdded = true
      takes.add(take('task_1', 'New', { end: 'open' }), { player, file: () => new Blob() })
    })
    return null
  }
  renderPanel(Probe, 'speak', { service, path: '/speak' })
  await act(async () => control?.update('task_0', { bytes: 1 }))
  expect(control?.takes.map(({ id }) => id)).toEqual(['task_1', 'task_0'])
  expect(close).not.toHaveBeenCalled()
})

/** Leaves the page while it works. @returns whether the browser asks first */
function leave(unmount: () => void): boolean {
  const event = new Event('beforeunload', { cancelable: true })
  dispatchEvent(event)
  const left = stored()
  unmount()
  writeStored('takes', left)
  return event.defaultPrevented
}

test('a speech has a row before anything of it arrives, leaving asks, and the next visit repeats it', async () => {
  writeStored('speak', { ...FIRST_DRAFT, text: 'Wait for me' } satisfies SpeakDraft)
  service.hold(SPEECH)
  const { user, unmount } = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await user.click(button('Speak'))
  await waitFor(() => expect(stored()).toMatchObject([{ draft: { text: 'Wait for me' }, end: 'open' }]))
  expect(leave(unmount)).toBe(true)
  const again = open()
  expect(await screen.findByText('Not spoken. The page was closed before it was complete.')).toBeDefined()
  await again.user.click(button('Speak again'))
  await waitFor(() => expect(service.bodies(SPEECH)).toHaveLength(2))
  expect(service.last(SPEECH).body).toMatchObject({ input: 'Wait for me' })
})

test('a long file is made by a task, which the page may leave, and is complete in the next visit', async () => {
  const text = 'The harbour wakes before the town does. '.repeat(60)
  writeStored('speak', { ...FIRST_DRAFT, text, model: 'svc-tts-1.0-pro', output: 'mp3' } satisfies SpeakDraft)
  service.json(SPEECH, { task_id: 'task_9', object: 'audio.speech', status: 'PENDING' })
  service.hold('GET /v1/audio/tasks/task_9')
  const { user, unmount } = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await user.click(button('Speak'))
  await waitFor(() => expect(stored()).toMatchObject([{ id: 'task_9', end: 'open' }]))
  expect(leave(unmount)).toBe(false)
  service.json('GET /v1/audio/tasks/task_9', {
    ...TASK,
    id: 'task_9',
    url: 'http://127.0.0.1:5173/api/v1/results/9.mp3?sig=x',
  })
  service.audio('GET /v1/results/9.mp3')
  open()
  await waitFor(() => expect(stored()).toMatchObject([{ id: 'task_9', end: 'complete', bytes: 10 }]))
})

test('a speech that gives way to another says so in its row', async () => {
  writeStored('speak', { ...FIRST_DRAFT, text: 'First' } satisfies SpeakDraft)
  service.hold(SPEECH)
  const { user } = open()
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  await user.click(button('Speak'))
  await waitFor(() => expect(stored()).toHaveLength(1))
  fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
  expect(await screen.findByText('Another speech was begun before it was complete.')).toBeDefined()
})
