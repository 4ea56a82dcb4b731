import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { readStored, writeStored } from '../../lib/store.ts'
import { FakeCaches } from '../../test/fake-caches.ts'
import { FakeService, FakeStream } from '../../test/fake-service.ts'
import { button } from '../../test/names.ts'
import { stopAll } from '../../shell/panel-context.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { Panel } from './panel.tsx'
import { FIRST_DRAFT, type Transcript, withTranscript } from './transcript.ts'

const TRANSCRIPTIONS = 'POST /v1/audio/transcriptions'
const TALK = new File(['RIFF-talk'], 'talk.wav', { type: 'audio/wav' })
const SEGMENT = { type: 'transcript.text.segment', id: '0', speaker: 'S01', start: 0, end: 2, text: 'Good morning.' }
const TASK = { id: 'task_1', object: 'audio.transcription', status: 'SUCCESS', created_at: 1, updated_at: 1 }
const DONE = { ...TASK, text: 'Good morning.', duration: 2, segments: [SEGMENT] }

let service: FakeService
beforeEach(() => {
  service = new FakeService()
  vi.stubGlobal('caches', new FakeCaches())
})
const open = (path = '/transcribe'): Stage => renderPanel(Panel, 'transcribe', { service, path })
const stored = (): readonly Transcript[] => readStored<readonly Transcript[]>('transcripts', [])
const text = (): HTMLTextAreaElement => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /^Text of turn 1/ })
const elsewhere = (value: readonly Transcript[]): void => {
  writeStored('transcripts', value)
  act(() => void dispatchEvent(Object.assign(new Event('storage'), { key: 'svc-audio.transcripts' })))
}

/** Makes a live transcript, whose task is task_1. */
async function make(): Promise<Stage> {
  const stream = new FakeStream()
  service.answer(TRANSCRIPTIONS, () => stream.response)
  service.json('GET /v1/audio/tasks/task_1', DONE)
  const stage = open()
  await stage.user.upload(screen.getByLabelText('Recording to transcribe'), TALK)
  await act(async () => {
    stream.send(
      { type: 'task.created', task_id: 'task_1', object: 'audio.transcription', status: 'PROCESSING' },
      { type: 'transcript.segment.done', content_index: 0, speaker: 'S01', text: 'Good morning.' },
      { type: 'transcript.text.done', text: 'Good morning.' },
    )
    stream.end()
  })
  await screen.findByRole('button', { name: 'Play from 0:00' })
  return stage
}

test('a transcript is there after a reload, with its corrections, its names and its audio', async () => {
  const { unmount } = await make()
  expect(location.search).toBe('?task=task_1')
  fireEvent.change(screen.getByRole('textbox', { name: 'Name of S01' }), { target: { value: 'Ann' } })
  fireEvent.change(text(), { target: { value: 'Good evening.' } })
  unmount()
  open(location.pathname + location.search)
  expect(text().value).toBe('Good evening.')
  expect(screen.getByRole('textbox', { name: 'Text of turn 1, Ann' })).toBeDefined()
  await screen.findByRole('button', { name: 'Play the audio' })
  expect(service.bodies(TRANSCRIPTIONS), 'nothing is transcribed twice').toHaveLength(1)
})

test('a link opens the transcript of a task in a browser that did not make it, and stores its corrections', async () => {
  service.json('GET /v1/audio/tasks/task_1', DONE)
  const { user } = open('/transcribe?task=task_1')
  await screen.findByRole('textbox', { name: 'Text of turn 1, S01' })
  fireEvent.change(text(), { target: { value: 'Good morning. Again.' } })
  expect(stored()).toMatchObject([{ id: 'task_1', texts: { '0': 'Good morning. Again.' } }])
  await user.click(button('Copy link to this transcript'))
  expect(await navigator.clipboard.readText()).toBe(`${location.origin}/transcribe?task=task_1`)
})

test('a link to a task that the service does not know says so, and can be retried', async () => {
  service.refuse('GET /v1/audio/tasks/task_1', 'No task has this id', 'task_not_found', 404)
  const { user } = open('/transcribe?task=task_1')
  await screen.findByText('No task has this id.')
  service.json('GET /v1/audio/tasks/task_1', DONE)
  await user.click(button('Retry'))
  expect(await screen.findByRole('textbox', { name: 'Text of turn 1, S01' })).toBeDefined()
})

test('a service that fails at the first read of a task is named at once', async () => {
  service.refuse('GET /v1/audio/tasks/task_1', 'The store does not answer', 'internal_error', 500)
  open('/transcribe?task=task_1')
  expect(await screen.findByText('The store does not answer.')).toBeDefined()
})

test('a link to the task of a speech says that it has no transcript', async () => {
  service.json('GET /v1/audio/tasks/task_1', { ...TASK, url: 'x' })
  open('/transcribe?task=task_1')
  expect(await screen.findByText('The task task_1 has no transcript.')).toBeDefined()
})

test('a transcript of another tab appears in the history, and its corrections at once', async () => {
  const { user } = await make()
  const [mine] = stored()
  if (mine === undefined) throw new Error('Nothing is stored')
  elsewhere([
    { ...mine, id: 'task_2', name: 'theirs.wav' },
    { ...mine, texts: { '0': 'Corrected there.' } },
  ])
  expect(text().value).toBe('Corrected there.')
  await user.click(screen.getByRole('link', { name: 'theirs.wav' }))
  expect(location.search).toBe('?task=task_2')
  await user.click(button('Remove talk.wav from the history'))
  expect(stored().map(({ name }) => name)).toEqual(['theirs.wav'])
})

test.each([
  ['Stop', ({ user }: Stage) => user.click(button('Stop'))],
  ['Escape', async () => act(() => void stopAll())],
])('a transcript that %s ends leaves the history', async (_name, stop) => {
  const stream = new FakeStream()
  service.answer(TRANSCRIPTIONS, () => stream.response)
  const stage = open()
  await stage.user.upload(screen.getByLabelText('Recording to transcribe'), TALK)
  await act(async () =>
    stream.send({ type: 'task.created', task_id: 'task_1' }, { type: 'transcript.text.delta', delta: 'Go' }),
  )
  await waitFor(() => expect(stored().map(({ work }) => work?.state)).toEqual(['running']))
  await stop(stage)
  await screen.findByText('Stopped.')
  expect(stored()).toEqual([])
})

/** Whether the browser would ask before it leaves the page. */
const asksToLeave = (): boolean => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

test('the browser asks before a page is left whose audio is not stored yet', async () => {
  const write = Promise.withResolvers<void>()
  vi.stubGlobal('caches', { open: async () => ({ put: () => write.promise, match: async () => undefined }) })
  service.answer(TRANSCRIPTIONS, () => new FakeStream().response)
  const { user } = open()
  await user.upload(screen.getByLabelText('Recording to transcribe'), TALK)
  await waitFor(() => expect(stored().map(({ work }) => work?.state)).toEqual(['running']))
  expect(asksToLeave()).toBe(true)
  await act(async () => write.resolve())
  expect(asksToLeave()).toBe(false)
})

test('a transcription that a reload interrupts continues in the next visit, with its audio', async () => {
  service.answer(TRANSCRIPTIONS, () => new FakeStream().response)
  const { user, unmount } = open()
  await user.upload(screen.getByLabelText('Recording to transcribe'), TALK)
  await waitFor(() => expect(stored().map(({ work }) => work?.state)).toEqual(['running']))
  unmount()
  expect(stored().map(({ work }) => work?.state)).toEqual(['running'])
  const stream = new FakeStream()
  service.answer(TRANSCRIPTIONS, () => stream.response)
  open()
  await act(async () => stream.send({ type: 'transcript.text.done', text: 'Good morning.' }).end())
  await screen.findByText(/^Transcribed talk\.wav/)
  expect(stored()).toMatchObject([{ name: 'talk.wav', result: { text: 'Good morning.' } }])
  expect(service.bodies(TRANSCRIPTIONS)).toHaveLength(2)
})

test('a long recording is a task, which the next visit waits for and does not send again', async () => {
  service.json(TRANSCRIPTIONS, { ...TASK, status: 'PENDING' })
  service.hold('GET /v1/audio/tasks/task_1')
  const { user, unmount } = open()
  const long = new File([new Uint8Array(10_000_000)], 'long.wav', { type: 'audio/wav' })
  await user.upload(screen.getByLabelText('Recording to transcribe'), long)
  await waitFor(() => expect(stored()[0]?.work?.task).toBe('task_1'))
  unmount()
  service.json('GET /v1/audio/tasks/task_1', DONE)
  open()
  await screen.findByText(/^Transcribed long\.wav/)
  expect(stored()).toMatchObject([{ id: 'task_1', name: 'long.wav', result: { text: 'Good morning.' } }])
  expect(service.bodies(TRANSCRIPTIONS)).toHaveLength(1)
})

test('a long recording whose task has failed is sent again by Retry', async () => {
  const error = { code: 'engine_failed', message: 'The engine broke' }
  service.json(TRANSCRIPTIONS, { ...TASK, status: 'PENDING' })
  service.json('GET /v1/audio/tasks/task_1', { ...TASK, status: 'FAILED', error })
  const { user } = open()
  const long = new File([new Uint8Array(10_000_000)], 'long.wav', { type: 'audio/wav' })
  await user.upload(screen.getByLabelText('Recording to transcribe'), long)
  await screen.findByRole('button', { name: 'Retry long.wav' })
  service.json(TRANSCRIPTIONS, { ...TASK, id: 'task_2', status: 'PENDING' })
  service.json('GET /v1/audio/tasks/task_2', { ...DONE, id: 'task_2' })
  await user.click(button('Retry long.wav'))
  await screen.findByText(/^Transcribed long\.wav/)
  expect(stored()).toMatchObject([{ id: 'task_2', result: { text: 'Good morning.' } }])
})

test('work whose audio the browser no longer has says what to do', async () => {
  const work = { state: 'running', draft: FIRST_DRAFT } as const
  writeStored('transcripts', [{ id: 'local-1', name: 'talk.wav', at: 0, texts: {}, names: {}, work }])
  open()
  expect(await screen.findByText(/no longer in the storage of this browser\. Choose the file again/)).toBeDefined()
})

test('a transcript that ends while another panel is on the screen leaves its address alone', async () => {
  service.json(TRANSCRIPTIONS, { text: 'good morning' })
  writeStored('transcribe', { ...FIRST_DRAFT, model: 'svc-transcribe-1.0' })
  const held = service.hold(TRANSCRIPTIONS)
  const { user, show } = open()
  await user.upload(screen.getByLabelText('Recording to transcribe'), TALK)
  const { navigate } = await import('../../shell/router.tsx')
  act(() => navigate('/voices'))
  show(false)
  await act(async () => held.give(Response.json({ text: 'good morning' })))
  await waitFor(() => expect(stored()).toMatchObject([{ result: { text: 'good morning' } }]))
  expect(location.pathname + location.search).toBe('/voices')
  show(true)
  expect(within(screen.getByRole('region', { name: 'Transcript' })).getByText('good morning')).toBeDefined()
})

test('the storage has 20 transcripts, and the results of old tasks leave before it is full', () => {
  const of = (id: string): Transcript => {
    return { id, name: id, at: 0, texts: {}, names: {}, result: { text: 'x'.repeat(800_000), turns: [], duration: 1 } }
  }
  const three = ['local-3', 'task_2', 'local-1'].map(of)
  const four = withTranscript(three, of('task_4'), (id) => !id.startsWith('local-'))
  expect(four.map(({ id, result }) => [id, result !== undefined])).toEqual([
    ['task_4', true],
    ['local-3', true],
    ['task_2', false],
    ['local-1', true],
  ])
  const many = Array.from({ length: 20 }, (_, index) => ({
    ...of(`t${index}`),
    result: { text: '', turns: [], duration: 0 },
  }))
  expect(withTranscript(many, of('new'), () => false)).toHaveLength(20)
})
