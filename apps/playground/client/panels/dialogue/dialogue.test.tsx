import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { stopAll } from '../../shell/panel-context.ts'
import { FakeAudio } from '../../test/fake-audio.ts'
import { FakeService } from '../../test/fake-service.ts'
import { announced, button, namesOf } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { Panel } from './panel.tsx'
import { FIRST_SCRIPT, type Script } from './script.ts'

const DIALOGUE = 'POST /v1/audio/speech/speakers'

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

const scriptWith = (change: Partial<Script>): void =>
  localStorage.setItem('svc-audio.dialogue', JSON.stringify({ ...FIRST_SCRIPT, ...change }))
async function open(): Promise<Stage> {
  const stage = renderPanel(Panel, 'dialogue', { service })
  await screen.findByRole('button', { name: /^Speaker A Voice rms/ })
  return stage
}
const texts = (): string[] => screen.getAllByRole<HTMLTextAreaElement>('textbox').map(({ value }) => value)
const line = (number: number): HTMLTextAreaElement =>
  screen.getByRole<HTMLTextAreaElement>('textbox', { name: `Text of line ${number}` })
const speakers = (): string[] =>
  screen.getAllByRole<HTMLSelectElement>('combobox', { name: /^Speaker of/ }).map(({ value }) => value)
const [FIRST = '', SECOND = '', THIRD = ''] = FIRST_SCRIPT.lines.map(({ text }) => text)

describe('the script', () => {
  test('the script gets a line with Enter, of the next speaker, which has the focus', async () => {
    const { user } = await open()
    await user.click(line(1))
    await user.keyboard('{Enter}New')
    expect(texts()).toEqual([FIRST, 'New', SECOND, THIRD])
    expect(speakers()).toEqual(['A', 'B', 'B', 'A'])
    expect(document.activeElement).toBe(line(2))
  })

  test('the script gets a line break with Shift+Enter', async () => {
    const { user } = await open()
    await user.click(line(1))
    await user.keyboard('{Shift>}{Enter}{/Shift}')
    expect(texts()).toHaveLength(3)
  })

  test('the script moves a line with Alt and an arrow key, says where, and keeps the focus on it', async () => {
    const { user } = await open()
    await user.click(line(1))
    await user.keyboard('{Alt>}{ArrowDown}{/Alt}')
    expect(texts()).toEqual([SECOND, FIRST, THIRD])
    expect(document.activeElement).toBe(line(2))
    await waitFor(() => expect(announced()).toContain('Line moved to 2 of 3.'))
    await user.keyboard('{Alt>}{ArrowUp}{ArrowUp}{/Alt}')
    expect(texts()).toEqual([FIRST, SECOND, THIRD])
    expect(document.activeElement).toBe(line(1))
  })

  test('the script moves a line with its buttons, but not out of the script', async () => {
    const { user } = await open()
    expect([button('Move line 1 up').disabled, button('Move line 3 down').disabled]).toEqual([true, true])
    await user.click(button('Move line 3 up'))
    expect(texts()).toEqual([FIRST, THIRD, SECOND])
  })

  test('the script moves a line that is dragged over another', async () => {
    await open()
    const items = within(screen.getByRole('list', { name: 'Script' })).getAllByRole('listitem')
    const grip = items[0]?.querySelector('.script-grip')
    if (grip === null || grip === undefined || items[2] === undefined) throw new Error('There is no line to drag')
    fireEvent.dragStart(grip, { dataTransfer: {} })
    fireEvent.dragOver(items[2])
    fireEvent.dragEnd(grip)
    expect(texts()).toEqual([SECOND, THIRD, FIRST])
    fireEvent.dragOver(items[1] ?? grip)
    expect(texts()).toEqual([SECOND, THIRD, FIRST])
  })

  test('the script loses a line by its button, says so, and the next line has the focus', async () => {
    const { user } = await open()
    await user.click(button('Delete line 2'))
    expect(texts()).toEqual([FIRST, THIRD])
    await waitFor(() => expect(announced()).toContain('Line 2 deleted.'))
    expect(document.activeElement).toBe(line(2))
    await user.click(button('Delete line 2'))
    expect(document.activeElement).toBe(line(1))
  })

  test('always has a line', async () => {
    scriptWith({ lines: [{ key: 1, speaker: 'B', text: 'Alone' }] })
    const { user } = await open()
    await user.click(button('Delete line 1'))
    expect(texts()).toEqual([''])
    expect(button('Speak all').disabled).toBe(true)
  })

  test('the script gives a line to another speaker', async () => {
    const { user } = await open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Speaker of line 1' }), 'B')
    expect(speakers()).toEqual(['B', 'B', 'A'])
  })

  test('the script survives a reload', async () => {
    const { user, unmount } = await open()
    await user.type(line(3), ' Really.')
    unmount()
    await open()
    expect(texts()).toEqual([FIRST, SECOND, `${THIRD} Really.`])
  })
})

describe('the speakers', () => {
  test('the speakers are added with a voice that nobody has, up to eight', async () => {
    service.voices('rms', 'slt', 'kal')
    const { user } = await open()
    await user.click(button('Add a speaker'))
    expect(screen.getByRole('button', { name: 'Speaker C Voice kal' })).toBeDefined()
    for (let added = 4; added <= 8; added += 1) await user.click(button('Add a speaker'))
    expect(button('Add a speaker').disabled).toBe(true)
    expect(namesOf('button').filter((name) => name.startsWith('Remove speaker'))).toHaveLength(8)
  })

  test('the speakers that are removed leave their lines to the first of the others, and one stays', async () => {
    const { user } = await open()
    await user.click(button('Remove speaker A'))
    expect(speakers()).toEqual(['B', 'B', 'B'])
    expect(button('Remove speaker B').disabled).toBe(true)
  })

  test('get another voice from the list, which can be searched', async () => {
    service.audio(DIALOGUE)
    const { user } = await open()
    await user.click(button(/^Speaker A/))
    const dialog = screen.getByRole('dialog', { name: 'Choose a voice' })
    await user.type(within(dialog).getByRole('searchbox'), 'SL')
    await user.click(within(dialog).getByRole('button', { name: /^slt/ }))
    expect(screen.queryByRole('dialog')).toBeNull()
    await user.click(button('Speak all'))
    await waitFor(() =>
      expect(service.last(DIALOGUE).body['speakers']).toEqual([
        { id: 'A', voice_id: 'slt' },
        { id: 'B', voice_id: 'slt' },
      ]),
    )
  })
})

describe('the audio', () => {
  test('the audio of the whole script is one file with every line, in the chosen format', async () => {
    scriptWith({ lines: [...FIRST_SCRIPT.lines, { key: 9, speaker: 'B', text: '  ' }] })
    service.audio(DIALOGUE)
    const { user } = await open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Format' }), 'WAV')
    await user.click(button('Speak all'))
    await screen.findByText('Complete: 3 lines.')
    const { segments, response_format } = service.last(DIALOGUE).body
    expect(segments).toEqual(FIRST_SCRIPT.lines.map(({ speaker, text }) => ({ speaker, text })))
    expect(response_format).toBe('wav')
    expect([FakeAudio.latest().paused, button('Download').disabled]).toEqual([false, false])
  })

  test('the audio of one line has its speaker alone', async () => {
    service.audio(DIALOGUE)
    const { user } = await open()
    await user.click(button('Speak line 2'))
    await screen.findByText('Complete: one line.')
    expect(service.last(DIALOGUE).body).toMatchObject({
      speakers: [{ id: 'B', voice_id: 'slt' }],
      segments: [{ speaker: 'B', text: SECOND }],
    })
  })

  test('the audio of an empty line cannot be made', async () => {
    const { user } = await open()
    await user.clear(line(2))
    expect(button('Speak line 2').disabled).toBe(true)
    expect(button('Speak all').disabled).toBe(false)
  })

  test('the audio is made by Ctrl+Enter in a line, which adds no line', async () => {
    service.hold(DIALOGUE)
    await open()
    fireEvent.keyDown(line(1), { key: 'Enter', ctrlKey: true })
    await waitFor(() => expect(announced()).toContain('Speaking the script …'))
    expect(texts()).toHaveLength(3)
  })

  test.each([
    ['the button', async ({ user }: Stage): Promise<void> => user.click(button('Stop'))],
    [
      'Escape',
      async (): Promise<void> => {
        act(() => void stopAll())
      },
    ],
    ['leaving', async ({ unmount }: Stage): Promise<void> => unmount()],
  ])('the audio is stopped by %s, in the service too, and without an error', async (_name, stop) => {
    service.hold(DIALOGUE)
    const stage = await open()
    await stage.user.click(button('Speak all'))
    await waitFor(() => expect(service.bodies(DIALOGUE)).toHaveLength(1))
    await stop(stage)
    expect(service.last(DIALOGUE).signal?.aborted).toBe(true)
    await waitFor(() => expect(announced()).toMatch(/^(?:Nothing spoken yet\.)?$/))
  })

  test('the audio that takes the place of another leaves it in the history, also after a reload', async () => {
    service.audio(DIALOGUE)
    const { user } = await open()
    await user.click(button('Speak line 1'))
    await screen.findByText('Complete: one line.')
    await user.click(button('Speak all'))
    await screen.findByText('Complete: 3 lines.')
    expect(within(screen.getByRole('region', { name: 'History' })).getAllByRole('listitem')).toHaveLength(1)
    cleanup()
    await open()
    await screen.findByText('Complete: 3 lines.')
    expect(within(screen.getByRole('region', { name: 'History' })).getAllByRole('listitem')).toHaveLength(1)
  })

  test('the audio of a page that was left has failed, with a Retry that makes it again', async () => {
    service.hold(DIALOGUE)
    const { user } = await open()
    await user.click(button('Speak all'))
    await waitFor(() => expect(service.bodies(DIALOGUE)).toHaveLength(1))
    const leave = new Event('beforeunload', { cancelable: true })
    dispatchEvent(leave)
    expect(leave.defaultPrevented, 'the browser asks').toBe(true)
    const left = localStorage.getItem('svc-audio.dialogues')
    cleanup()
    localStorage.setItem('svc-audio.dialogues', left ?? '')
    const again = await open()
    const history = await screen.findByRole('region', { name: 'History' })
    expect(within(history).getByText('The page was closed before it was complete.')).toBeDefined()
    await again.user.click(within(history).getByRole('button', { name: /^Retry/ }))
    await waitFor(() => expect(service.bodies(DIALOGUE)).toHaveLength(2))
    expect(service.last(DIALOGUE).body['segments']).toHaveLength(3)
  })

  test('the audio of a long script is made by a task, which the page may leave', async () => {
    const long = 'The harbour wakes before the town does. '.repeat(60)
    service.json(DIALOGUE, { task_id: 'task_7', object: 'audio.dialogue', status: 'PENDING' })
    service.hold('GET /v1/audio/tasks/task_7')
    const { user } = await open()
    await user.clear(line(1))
    await user.click(line(1))
    await user.paste(long)
    await user.click(button('Speak all'))
    await waitFor(() => expect(service.last(DIALOGUE).body).toMatchObject({ async: true }))
    await waitFor(() => expect(localStorage.getItem('svc-audio.dialogues')).toContain('task_7'))
    const leave = new Event('beforeunload', { cancelable: true })
    dispatchEvent(leave)
    expect(leave.defaultPrevented).toBe(false)
    const left = localStorage.getItem('svc-audio.dialogues')
    cleanup()
    localStorage.setItem('svc-audio.dialogues', left ?? '')
    const ended = { id: 'task_7', object: 'audio.dialogue', status: 'SUCCESS', created_at: 1, updated_at: 1 }
    service.json('GET /v1/audio/tasks/task_7', { ...ended, url: 'http://127.0.0.1:5173/api/v1/results/7.mp3?sig=x' })
    service.audio('GET /v1/results/7.mp3')
    await open()
    expect(await screen.findByText('Complete: 3 lines.')).toBeDefined()
  })
})

describe('a refusal', () => {
  test('a refusal of the script is shown, and Retry makes the script', async () => {
    service.refuse(DIALOGUE, 'speakers[0].voice_id: no such voice', 'voice_not_found')
    const { user } = await open()
    await user.click(button('Speak all'))
    expect(await screen.findByText('No such voice.')).toBeDefined()
    await user.click(button('Retry'))
    await waitFor(() => expect(service.bodies(DIALOGUE)).toHaveLength(2))
    expect(service.last(DIALOGUE).body['segments']).toHaveLength(3)
  })

  test('a refusal of a line is retried as that line, with its text of now', async () => {
    service.refuse(DIALOGUE, 'Not now')
    const { user } = await open()
    await user.click(button('Speak line 2'))
    await screen.findByText('Not now.')
    await user.type(line(2), ' Well?')
    await user.click(button('Retry'))
    await waitFor(() => expect(service.bodies(DIALOGUE)).toHaveLength(2))
    expect(service.last(DIALOGUE).body['segments']).toEqual([{ speaker: 'B', text: `${SECOND} Well?` }])
  })

  test('a refusal of a line that was deleted is retried as the script', async () => {
    service.refuse(DIALOGUE, 'Not now')
    const { user } = await open()
    await user.click(button('Speak line 2'))
    await screen.findByText('Not now.')
    await user.click(button('Delete line 2'))
    await user.click(button('Retry'))
    await waitFor(() => expect(service.bodies(DIALOGUE)).toHaveLength(2))
    expect(service.last(DIALOGUE).body['segments']).toHaveLength(2)
  })
})
