import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import type { WebhookArrival } from '../../../shared/api.ts'
import { lastSpeech } from '../../components/audio-input.tsx'
import { readStored } from '../../lib/store.ts'
import { connection } from '../../shell/connection.ts'
import { stopAll } from '../../shell/panel-context.ts'
import { FakeAudio } from '../../test/fake-audio.ts'
import { FakeService } from '../../test/fake-service.ts'
import { announced, button, namesOf } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { FIRST_DRAFT, type TaskDraft } from './draft.ts'
import { Panel } from './panel.tsx'
import type { TaskEntry } from './tasks.ts'

const SPEECH = 'POST /v1/audio/speech'
const READ = 'GET /v1/audio/tasks/task_1'
const HOOK = 'https://hooks.example/audio/1'
const TASK = { id: 'task_1', object: 'audio.speech', created_at: 1, updated_at: 1, retry_after: 60 }
const ENTRY: TaskEntry = { id: 'task_1', kind: 'speech', title: 'Chapter one', createdAt: 0, webhook: false }

/** Stands in for the events of the playground's server. */
class FakeEvents extends EventTarget {
  static readonly open: FakeEvents[] = []
  constructor() {
    super()
    FakeEvents.open.push(this)
  }
  close(): void {
    FakeEvents.open.splice(FakeEvents.open.indexOf(this), 1)
  }
  arrive(arrival: WebhookArrival): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(arrival) }))
  }
}

let service: FakeService
beforeEach(() => {
  FakeEvents.open.length = 0
  vi.stubGlobal('EventSource', FakeEvents)
  service = new FakeService()
    .json('GET /webhooks', { available: true, arrivals: [] })
    .json('POST /webhooks', { url: HOOK })
    .json(SPEECH, { ...TASK, status: 'PENDING' }, 202)
    .json(READ, { ...TASK, status: 'PENDING' })
})

const draftWith = (change: Partial<TaskDraft>): void =>
  localStorage.setItem('svc-audio.task-draft', JSON.stringify({ ...FIRST_DRAFT, ...change }))
const entries = (...list: readonly TaskEntry[]): void => localStorage.setItem('svc-audio.tasks', JSON.stringify(list))

async function open(path = '/tasks'): Promise<Stage> {
  const stage = renderPanel(Panel, 'tasks', { service, path })
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>('checkbox').disabled).toBe(false))
  return stage
}
/** Opens the panel on a task in the given state. */
async function openTask(response: object, entry: Partial<TaskEntry> = {}): Promise<Stage> {
  entries({ ...ENTRY, ...entry })
  service.json(READ, { ...TASK, ...response })
  return open('/tasks?id=task_1')
}
const steps = (): string[] => {
  const list = screen.getByRole('list', { name: 'Progress' })
  return Array.from(list.querySelectorAll('.task-step-name'), ({ textContent }) => textContent)
}

describe('a new task', () => {
  test('a new task of speech is created with the default voice and a webhook, and is opened', async () => {
    const { user } = await open()
    await waitFor(() => expect(button('Create task').disabled).toBe(false))
    await user.click(button('Create task'))
    await screen.findByText('Created the task task_1.')
    expect(service.last(SPEECH).body).toMatchObject({ voice_id: 'rms', webhook_url: HOOK, response_format: 'mp3' })
    expect(location.search).toBe('?id=task_1')
    expect(steps()).toEqual(['Accepted', 'Processing, not yet', 'Done, not yet', 'Webhook, not yet'])
    expect(readStored<readonly TaskEntry[]>('tasks', [])).toMatchObject([
      { id: 'task_1', kind: 'speech', webhook: true },
    ])
  })

  test('a new task is made without a webhook where the box is not checked', async () => {
    const { user } = await open()
    await user.click(screen.getByRole('checkbox', { name: 'Call a webhook' }))
    await waitFor(() => expect(button('Create task').disabled).toBe(false))
    await user.click(button('Create task'))
    await screen.findByText('Created the task task_1.')
    expect(service.last(SPEECH).body).not.toHaveProperty('webhook_url')
    expect(FakeEvents.open).toHaveLength(0)
  })

  test('a new task has no webhook where the service cannot call the page, which says how to change it', async () => {
    service.json('GET /webhooks', { available: false, arrivals: [] })
    renderPanel(Panel, 'tasks', { service })
    expect(await screen.findByText(/This service cannot call the playground/)).toBeDefined()
    expect(screen.getByRole<HTMLInputElement>('checkbox').checked).toBe(false)
    fireEvent.keyDown(document.body, { key: 'Enter', ctrlKey: true })
    await screen.findByText('Created the task task_1.')
    expect(service.last(SPEECH).body).not.toHaveProperty('webhook_url')
  })

  test('a new task needs a text, and a dialogue does not', async () => {
    draftWith({ text: ' ' })
    const { user } = await open()
    await screen.findByRole('button', { name: /^Voice Voice rms/ })
    expect(button('Create task').disabled).toBe(true)
    await user.click(screen.getByRole('tab', { name: 'Dialogue' }))
    expect(button('Create task').disabled).toBe(false)
    expect(within(screen.getByRole('list', { name: 'Sample script' })).getAllByRole('listitem')).toHaveLength(3)
  })

  test('a new task of a recording needs the recording, which can be removed', async () => {
    draftWith({ kind: 'transcription' })
    service.json('POST /v1/audio/transcriptions', { ...TASK, status: 'PENDING' }, 202)
    const { user } = await open()
    const file = new File(['RIFF'], 'talk.wav', { type: 'audio/wav' })
    expect(button('Create task').disabled).toBe(true)
    await user.upload(screen.getByLabelText('Recording to transcribe'), file)
    await user.click(button('Remove'))
    expect(button('Create task').disabled).toBe(true)
    await user.upload(screen.getByLabelText('Recording to transcribe'), file)
    await user.click(button('Create task'))
    await screen.findByText('Created the task task_1.')
    expect(service.last('POST /v1/audio/transcriptions').body['file']).toEqual(['talk.wav', 'RIFF'])
    expect(button(/^talk\.wav/).getAttribute('aria-expanded')).toBe('true')
  })

  test('a new task of a recording shows how much of it was sent', async () => {
    draftWith({ kind: 'transcription' })
    const held = service.hold('POST /v1/audio/transcriptions')
    const { user } = await open()
    await user.upload(
      screen.getByLabelText('Recording to transcribe'),
      new File(['RIFF'], 'talk.wav', { type: 'audio/wav' }),
    )
    await user.click(button('Create task'))
    await screen.findByText('50 %')
    expect(screen.getByRole('progressbar', { name: /^Uploading talk\.wav/ })).toBeDefined()
    held.give(Response.json({ ...TASK, status: 'PENDING' }, { status: 202 }))
    await screen.findByText('Created the task task_1.')
    expect(screen.queryByRole('progressbar')).toBeNull()
  })

  test('a new task can take the last speech of the page', async () => {
    draftWith({ kind: 'transcription' })
    lastSpeech.set({ text: 'Hello', name: 'speech.mp3', file: async () => new Blob(['ID3']) })
    const { user } = await open()
    await user.click(button('Use the last speech'))
    expect(await screen.findByText('speech.mp3')).toBeDefined()
    expect(button('Create task').disabled).toBe(false)
  })

  test.each([
    ['its button', async ({ user }: Stage): Promise<void> => user.click(button('Stop'))],
    [
      'Escape',
      async (): Promise<void> => {
        act(() => void stopAll())
      },
    ],
  ])('a new task is given up with %s until the service has it, and no task is in the list', async (_name, stop) => {
    service.hold(SPEECH)
    const stage = await open()
    await screen.findByRole('button', { name: /^Voice Voice rms/ })
    await stage.user.click(button('Create task'))
    await waitFor(() => expect(service.bodies(SPEECH)).toHaveLength(1))
    await stop(stage)
    await screen.findByText('Stopped.')
    expect(service.last(SPEECH).signal?.aborted).toBe(true)
    expect(screen.getByText('No tasks yet')).toBeDefined()
  })

  test('a new task that is refused is not in the list, and says why', async () => {
    service.refuse(SPEECH, 'The quota is used up', 'quota_exceeded', 402)
    const { user } = await open()
    await screen.findByRole('button', { name: /^Voice Voice rms/ })
    await user.click(button('Create task'))
    expect(await screen.findByText('The quota is used up.')).toBeDefined()
    expect(screen.getByText('No tasks yet')).toBeDefined()
  })

  test('a new task is not sent when the playground cannot make the address of its webhook', async () => {
    service.refuse('POST /webhooks', 'No address', 'internal_error', 500)
    const { user } = await open()
    await screen.findByRole('button', { name: /^Voice Voice rms/ })
    await user.click(button('Create task'))
    expect(await screen.findByText('No address.')).toBeDefined()
    expect(service.bodies(SPEECH)).toEqual([])
  })
})

describe('a webhook', () => {
  test('a webhook that arrives is seen, and the task is read at once', async () => {
    await openTask({ status: 'PROCESSING' }, { webhook: true })
    await waitFor(() => expect(steps()).toEqual(['Accepted', 'Processing, now', 'Done, not yet', 'Webhook, not yet']))
    service.json(READ, { ...TASK, status: 'SUCCESS', text: 'Good morning' })
    act(() => FakeEvents.open[0]?.arrive({ task_id: 'task_1', status: 'SUCCESS', received_at: 0 }))
    expect(await screen.findByText('Good morning')).toBeDefined()
    expect(steps()).toEqual(['Accepted', 'Processing', 'Done', 'Webhook'])
    await waitFor(() => expect(FakeEvents.open).toHaveLength(0))
    await waitFor(() => expect(readStored<readonly TaskEntry[]>('tasks', [])[0]?.tookMs).toBeGreaterThan(0))
  })

  test('a webhook that arrived before a reload is still there', async () => {
    service.json('GET /webhooks', {
      available: true,
      arrivals: [{ task_id: 'task_1', status: 'SUCCESS', received_at: 0 }],
    })
    await openTask({ status: 'SUCCESS', text: 'Hi' }, { webhook: true })
    await screen.findByText('Hi')
    expect(steps().at(-1)).toBe('Webhook')
  })

  test('a webhook that has yet to come after the end of the task is waited for', async () => {
    await openTask({ status: 'SUCCESS', text: 'Hi' }, { webhook: true })
    await screen.findByText('Hi')
    expect([steps().at(-1), FakeEvents.open.length]).toEqual(['Webhook, now', 1])
  })
})

describe('a result', () => {
  test('a result of audio is loaded through the page, played and downloaded', async () => {
    service.answer('GET /v1/results/1.wav', () => new Response('RIFF'))
    await openTask({
      status: 'SUCCESS',
      url: 'http://127.0.0.1:9999/api/v1/results/1.wav?sig=1',
      response_format: 'wav',
    })
    await waitFor(() => expect(button('Download').disabled).toBe(false))
    expect(service.last('GET /v1/results/1.wav').query).toEqual({ sig: '1' })
    await waitFor(() => {
      act(() => FakeAudio.latest().load())
    })
    await waitFor(() => expect(button('Play the result').disabled).toBe(false))
  })

  test('a result whose audio is gone says so, and can be loaded again', async () => {
    service.json('GET /v1/results/1.wav', {}, 410)
    const { user } = await openTask({ status: 'SUCCESS', url: 'http://127.0.0.1:9999/api/v1/results/1.wav' })
    expect(await screen.findByText('The result cannot be loaded: status 410.')).toBeDefined()
    service.answer('GET /v1/results/1.wav', () => new Response('RIFF'))
    await user.click(button('Retry'))
    await waitFor(() => expect(button('Download').disabled).toBe(false))
  })

  test.each([
    [{ status: 'SUCCESS', text: 'Good morning' }, 'Good morning'],
    [{ status: 'SUCCESS', text: '' }, 'No speech'],
    [{ status: 'SUCCESS' }, 'The service names no audio and no text in this result.'],
    [{ status: 'SUCCESS', text: 7, url: null }, 'The service names no audio and no text in this result.'],
    [{ status: 'FAILED', error: { code: 'engine_failed', message: 'The voice broke' } }, 'The voice broke'],
    [{ status: 'FAILED', error: 'Out of memory' }, 'Out of memory'],
    [{ status: 'FAILED' }, 'The service gives no reason.'],
    [{ status: 'FAILED', error: { code: 7, message: null } }, 'The service gives no reason.'],
  ])('%j is shown as %s', async (response, text) => {
    await openTask(response)
    expect(await screen.findByText(text)).toBeDefined()
  })

  test('a result of a task that the service does not know is explained', async () => {
    entries(ENTRY)
    service.refuse(READ, 'No such task', 'task_not_found', 404)
    await open('/tasks?id=task_1')
    expect(await screen.findByText(/The service does not know this task/)).toBeDefined()
    expect(screen.queryByRole('list', { name: 'Progress' })).toBeNull()
  })
})

describe('the list', () => {
  test('the list adds the task that the address names, of another program', async () => {
    service.json(READ, { ...TASK, status: 'SUCCESS', text: 'From elsewhere' })
    await open('/tasks?id=task_1')
    expect(await screen.findByText('From elsewhere')).toBeDefined()
    expect(button(/^task_1/).getAttribute('aria-expanded')).toBe('true')
  })

  test('the list opens one task at a time, and the address names it', async () => {
    entries(ENTRY, { ...ENTRY, id: 'task_2', title: 'Chapter two' })
    service.json('GET /v1/audio/tasks/task_2', { ...TASK, id: 'task_2', status: 'SUCCESS', text: 'Two' })
    const { user } = await open()
    await user.click(button(/^Chapter one/))
    expect(location.search).toBe('?id=task_1')
    await user.click(button(/^Chapter two/))
    expect([location.search, button(/^Chapter one/).getAttribute('aria-expanded')]).toEqual(['?id=task_2', 'false'])
    await user.click(button(/^Chapter two/))
    expect(location.search).toBe('')
  })

  test('the list cancels a task in the service', async () => {
    const { user } = await openTask({ status: 'PENDING' })
    await waitFor(() => expect(button('Cancel Chapter one').disabled).toBe(false))
    const cancelled = { ...TASK, status: 'FAILED', error: { code: 'task_cancelled', message: 'Cancelled' } }
    service.json('DELETE /v1/audio/tasks/task_1', cancelled).json(READ, cancelled)
    await user.click(button('Cancel Chapter one'))
    await waitFor(() => expect(announced()).toContain('Cancelled.'))
    expect(steps().at(-1)).toBe('Cancelled')
  })

  test('the list says why a task cannot be cancelled, and goes on', async () => {
    const { user } = await openTask({ status: 'PROCESSING' })
    await waitFor(() => expect(button('Cancel Chapter one').disabled).toBe(false))
    await user.click(button('Cancel Chapter one'))
    expect(await screen.findByText('No DELETE /v1/audio/tasks/task_1.')).toBeDefined()
    expect(steps()[1]).toBe('Processing, now')
  })

  test('the list removes an ended task, which the address does not bring back', async () => {
    const { user } = await openTask({ status: 'SUCCESS', text: 'Hi' })
    await screen.findByText('Hi')
    await user.click(button('Remove Chapter one from the list'))
    expect(screen.getByText('No tasks yet')).toBeDefined()
    expect([location.search, readStored('tasks', [])]).toEqual(['', []])
  })

  test('the list shows a failed reading, and reads again when the service is back', async () => {
    entries(ENTRY)
    service.refuse(READ, 'This key may not read it', 'forbidden', 403)
    await open('/tasks?id=task_1')
    expect(await screen.findByText('This key may not read it.')).toBeDefined()
    service.json(READ, { ...TASK, status: 'SUCCESS', text: 'Here again' })
    act(() => connection.set({ ...connection.get(), epoch: 1 }))
    expect(await screen.findByText('Here again')).toBeDefined()
    expect(screen.queryByText('This key may not read it.')).toBeNull()
  })

  test('names the states in words', async () => {
    entries(ENTRY, { ...ENTRY, id: 'task_2', title: 'Two', tookMs: 1500 })
    service.json('GET /v1/audio/tasks/task_2', { ...TASK, id: 'task_2', status: 'SUCCESS', text: 'Two' })
    await open()
    await waitFor(() => expect(button(/^Two/).textContent).toContain('Done'))
    expect(button(/^Two/).textContent).toContain('1.5 s')
    expect(button(/^Chapter one/).textContent).toContain('Queued')
    expect(namesOf('button').filter((name) => /^(?:Cancel|Remove) /.test(name))).toEqual([
      'Cancel Chapter one',
      'Remove Two from the list',
    ])
  })
})
