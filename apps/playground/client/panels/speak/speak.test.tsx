import { act, fireEvent, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { lastSpeech } from '../../components/audio-input.tsx'
import { readStored } from '../../lib/store.ts'
import { connection } from '../../shell/connection.ts'
import { stopAll } from '../../shell/panel-context.ts'
import { FakeAudio } from '../../test/fake-audio.ts'
import { FakeService, FakeStream, listOfVoices } from '../../test/fake-service.ts'
import { FakeWorkletNode, installWebAudio } from '../../test/fake-web-audio.ts'
import { announced, button, namesOf } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { FIRST_DRAFT, type SpeakDraft } from './draft.ts'
import { Panel } from './panel.tsx'

const SPEECH = 'POST /v1/audio/speech'
const CREATED = { type: 'speech.created', format: 'pcm', sample_rate: 16_000, channels: 1, bit_depth: 16 }
const DONE = { type: 'speech.audio.done' }
const delta = (seconds: number): object => ({
  type: 'speech.audio.delta',
  audio: Buffer.alloc(seconds * 32_000).toString('base64'),
})

let service: FakeService
beforeEach(() => {
  installWebAudio()
  service = new FakeService()
})

const draftWith = (change: Partial<SpeakDraft>): void =>
  localStorage.setItem('svc-audio.speak', JSON.stringify({ ...FIRST_DRAFT, ...change }))
const FILE = { model: 'svc-tts-1.0-pro', output: 'mp3' } as const

/** Opens the panel, with its voices. */
async function open(): Promise<Stage> {
  const stage = renderPanel(Panel, 'speak', { service })
  await screen.findByRole('button', { name: /^Voice Voice rms/ })
  return stage
}

const area = (): HTMLTextAreaElement => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
const status = (text: string): Promise<HTMLElement> => screen.findByText(text)
const facts = (): Record<string, string> => {
  const card = screen.getByRole('region', { name: 'Speech' })
  const rows = Array.from(card.querySelectorAll('dl > div'), (row) =>
    Array.from(row.children, (one) => one.textContent),
  )
  return Object.fromEntries(rows) as Record<string, string>
}
const press = (key: string, more: KeyboardEventInit = {}): boolean => fireEvent.keyDown(document.body, { key, ...more })

/** Begins a stream and receives a second of it. */
async function receive(): Promise<{ stage: Stage; stream: FakeStream }> {
  const stream = new FakeStream()
  service.answer(SPEECH, () => stream.response)
  const stage = await open()
  await stage.user.click(button('Speak'))
  await status('Waiting for the first audio …')
  await act(async () => stream.send(CREATED, delta(1)))
  await status('Receiving …')
  return { stage, stream }
}

describe('a stream', () => {
  test('a stream is asked for with the voice that the service lists first', async () => {
    await receive()
    const { text: input } = FIRST_DRAFT
    expect(service.last(SPEECH).body).toMatchObject({ model: 'svc-tts-1.5-flash', input, voice_id: 'rms', speed: 1 })
    expect(service.last(SPEECH).body['stream']).toBe(true)
  })

  test('a stream plays while it arrives, and is measured', async () => {
    const { stream } = await receive()
    await waitFor(() => expect(FakeWorkletNode.latest().sent.map(({ type }) => type)).toContain('audio'))
    expect(facts()['First audio']).toBe('–')
    act(() => FakeWorkletNode.latest().report({ type: 'start' }))
    const first = facts()['First audio']
    expect(first).toMatch(/^[\d.]+ m?s$/)
    act(() => FakeWorkletNode.latest().report({ type: 'start', at: Date.now() + 60_000 }))
    expect(facts()['First audio'], 'a seek starts again').toBe(first)
    await act(async () => stream.send(delta(2), DONE).end())
    await status('Complete: 3.0 s of audio.')
    expect(facts()).toMatchObject({ Duration: '3.0 s', Received: '96 KB' })
    expect(facts()['Speed']).toMatch(/^[\d.]+ × (?:faster|slower) than real time$/)
    expect(button('Speak')).toBeDefined()
  })

  test('a stream is then the last speech, for other panels', async () => {
    const { stream } = await receive()
    expect(lastSpeech.get()).toBeUndefined()
    await act(async () => stream.send(DONE).end())
    await waitFor(() => expect(lastSpeech.get()).toMatchObject({ text: FIRST_DRAFT.text, name: 'speech.wav' }))
    const file = await lastSpeech.get()?.file()
    expect(file?.size).toBe(44 + 32_000)
  })

  test('a stream that is cut stays, with the reason', async () => {
    const { stream } = await receive()
    await act(async () => stream.cut())
    await status('Incomplete: 1.0 s arrived. You can play and download them.')
    await waitFor(() => expect(announced()).toContain('The connection was lost'))
    expect([button('Download').disabled, button('Speak').disabled]).toEqual([false, false])
    expect(lastSpeech.get()).toBeUndefined()
  })

  test('a stream that ends without its last event is incomplete too', async () => {
    const { stream } = await receive()
    await act(async () => stream.end())
    await status('Incomplete: 1.0 s arrived. You can play and download them.')
    await waitFor(() => expect(announced()).toContain('The connection was lost before the response was complete.'))
  })

  test.each([
    ['its button', async ({ user }: Stage): Promise<void> => user.click(button('Stop'))],
    [
      'Escape',
      async (): Promise<void> => {
        act(() => void stopAll())
      },
    ],
  ])('a stream is stopped by %s, in the service too, and without an error', async (_name, stop) => {
    const { stage, stream } = await receive()
    await stop(stage)
    await status('Incomplete: 1.0 s arrived. You can play and download them.')
    expect(stream.cancelled).toBe(true)
    expect(announced()).not.toMatch(/abort|lost/i)
    expect(screen.getByRole('button', { name: 'Play the speech' })).toBeDefined()
  })

  test('a stream can be stopped before anything has arrived', async () => {
    service.hold(SPEECH)
    const { user } = await open()
    await user.click(button('Speak'))
    await user.click(await screen.findByRole('button', { name: 'Stop' }))
    await status('Nothing spoken yet.')
    expect(service.last(SPEECH).signal?.aborted).toBe(true)
  })

  test('a stream is stopped by Escape even before the screen says that it waits', async () => {
    service.hold(SPEECH)
    const { user } = await open()
    await user.click(button('Speak'))
    expect(stopAll()).toBe(true)
    await waitFor(() => expect(service.last(SPEECH).signal?.aborted).toBe(true))
    await waitFor(() => expect(stopAll()).toBe(false))
    expect(announced()).toBe('Nothing spoken yet.')
  })

  test('a stream gives way to a new one, which hides the old audio until it has its own', async () => {
    const { stage } = await receive()
    const next = new FakeStream()
    service.answer(SPEECH, () => next.response)
    press('Enter', { ctrlKey: true })
    await status('Waiting for the first audio …')
    expect(service.sent.filter(({ route }) => route === SPEECH).map(({ signal }) => signal?.aborted)).toEqual([
      true,
      false,
    ])
    expect(button('Play the speech').disabled).toBe(true)
    await stage.user.click(button('Stop'))
  })

  test('a stream on a machine without an audio device still arrives, and can be saved', async () => {
    vi.stubGlobal('AudioWorkletNode', function refuse() {
      throw new DOMException('No device', 'NotSupportedError')
    })
    const { stream } = await receive()
    await act(async () => stream.send(DONE).end())
    await status('Complete: 1.0 s of audio.')
    expect([button('Play the speech').disabled, button('Download').disabled]).toEqual([false, false])
  })
})

describe('a refusal', () => {
  test('a refusal is shown in the words of the service with its code, and can be retried', async () => {
    service.refuse(SPEECH, 'input: this voice speaks English only', 'unsupported_text')
    const { user } = await open()
    await user.click(button('Speak'))
    expect(await screen.findByText('This voice speaks English only.')).toBeDefined()
    expect(screen.getByText(/unsupported_text/)).toBeDefined()
    await user.click(button('Retry'))
    await waitFor(() => expect(service.bodies(SPEECH)).toHaveLength(2))
  })

  test('a refusal leaves the screen when the next speech begins', async () => {
    service.refuse(SPEECH, 'Too long')
    const { user } = await open()
    await user.click(button('Speak'))
    await screen.findByText('Too long.')
    service.hold(SPEECH)
    await user.click(button('Speak'))
    await status('Waiting for the first audio …')
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
    const history = within(screen.getByRole('region', { name: 'History' }))
    expect(history.getByText('Too long.')).toBeDefined()
    expect(history.getByRole('button', { name: /^Retry the speech of/ })).toBeDefined()
  })

  test('a lost connection leaves the speech in its row, with a Retry that repeats it, when the service is back', async () => {
    draftWith({ ...FILE, text: 'First text' })
    service.answer(SPEECH, new TypeError('network'))
    const { user } = await open()
    await user.click(button('Speak'))
    await screen.findByText('The connection was lost.')
    act(() => connection.set({ ...connection.get(), epoch: connection.get().epoch + 1 }))
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull())
    await status('Not spoken. The connection was lost.')
    await user.clear(area())
    service.audio(SPEECH)
    await user.click(button('Speak again'))
    await status('Complete: 4.0 s of audio.')
    expect(service.last(SPEECH).body).toMatchObject({ input: 'First text' })
  })

  test('a refusal of the list of voices can be retried, and the page speaks in the default voice until then', async () => {
    service.refuse('GET /v1/audio/voices', 'Not now').hold(SPEECH)
    const { user } = renderPanel(Panel, 'speak', { service })
    expect(await screen.findByText('Not now.')).toBeDefined()
    expect(button(/^Voice/).textContent).toBe('Default voice')
    await user.click(button('Speak'))
    await waitFor(() => expect(service.last(SPEECH).body).not.toHaveProperty('voice_id'))
    service.voices('slt')
    await user.click(button('Retry'))
    await screen.findByRole('button', { name: /^Voice slt/ })
  })
})

describe('a file', () => {
  test('a file is made in the chosen format, and played when it is complete', async () => {
    draftWith(FILE)
    service.audio(SPEECH)
    const { user } = await open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Output' }), 'FLAC')
    await user.click(button('Speak'))
    await status('Complete: 4.0 s of audio.')
    expect(service.last(SPEECH).body).toMatchObject({ model: 'svc-tts-1.0-pro', response_format: 'flac' })
    expect([FakeAudio.latest().paused, facts()['First audio'], facts()['Duration']]).toEqual([
      false,
      undefined,
      '4.0 s',
    ])
    expect(lastSpeech.get()?.name).toBe('speech.flac')
  })

  test('a file that the browser cannot play is complete all the same', async () => {
    draftWith(FILE)
    FakeAudio.refuses = true
    service.audio(SPEECH)
    const { user } = await open()
    await user.click(button('Speak'))
    await status('Complete: 0.0 s of audio.')
    expect([button('Download').disabled, announced()]).toEqual([false, 'Complete: 0.0 s of audio.'])
  })

  test('a file goes to the history when the next one is made, and its text and settings come back', async () => {
    draftWith({ ...FILE, text: 'First text' })
    service.audio(SPEECH)
    const { user } = await open()
    await user.click(button('Speak'))
    await status('Complete: 4.0 s of audio.')
    await user.clear(area())
    await user.type(area(), 'Second text')
    await user.click(button('Speak'))
    const history = await screen.findByRole('region', { name: 'History' })
    expect(within(history).getByText('First text')).toBeDefined()
    await user.click(within(history).getByRole('button', { name: 'Use again' }))
    expect(area().value).toBe('First text')
  })

  test('a file frees the audio of the oldest when there are more than 20', async () => {
    draftWith({ ...FILE, text: 'Hi' })
    service.audio(SPEECH)
    await open()
    for (let made = 1; made <= 21; made += 1) {
      press('Enter', { ctrlKey: true })
      await waitFor(() => expect(FakeAudio.made).toHaveLength(made))
    }
    await screen.findByRole('button', { name: 'Speak' })
    expect(FakeAudio.made.map(({ src }) => src === '').indexOf(false)).toBe(1)
    expect(screen.getAllByRole('button', { name: 'Use again' })).toHaveLength(19)
  })
})

describe('the editor', () => {
  test('the editor cannot speak an empty text, by its button or by its keys', async () => {
    const { user } = await open()
    await user.clear(area())
    await user.type(area(), '  ')
    expect(button('Speak').disabled).toBe(true)
    press('Enter', { ctrlKey: true })
    expect(service.bodies(SPEECH)).toEqual([])
    expect(screen.getByRole('textbox', { name: 'Text', description: '2 characters' })).toBeDefined()
  })

  test('the editor makes a file when its voice is known, not before', async () => {
    draftWith(FILE)
    service.audio(SPEECH)
    const listed = Promise.withResolvers<void>()
    service.answer('GET /v1/audio/voices', async () => {
      await listed.promise
      return Response.json(listOfVoices('rms'))
    })
    renderPanel(Panel, 'speak', { service })
    press('Enter', { ctrlKey: true })
    expect(button('Speak').disabled).toBe(true)
    listed.resolve()
    await waitFor(() => expect(button('Speak').disabled).toBe(false))
    press('Enter', { ctrlKey: true })
    await status('Complete: 4.0 s of audio.')
    expect(service.bodies(SPEECH)).toMatchObject([{ voice_id: 'rms' }])
  })

  test('the editor leaves the keys to the panel that is on the screen', async () => {
    const { show } = await open()
    show(false)
    press('Enter', { ctrlKey: true })
    expect(service.bodies(SPEECH)).toEqual([])
  })

  test('the editor has its text again after a reload', async () => {
    const { user, unmount } = await open()
    await user.type(area(), ' More.')
    unmount()
    await open()
    expect(area().value).toBe(`${FIRST_DRAFT.text} More.`)
    expect(readStored<SpeakDraft>('speak', FIRST_DRAFT).text).toBe(area().value)
  })

  test('the editor inserts samples and pauses as typing does, so that the browser can undo it', async () => {
    const typed: string[] = []
    const execCommand = (command: string, _ui: boolean, text: string): boolean => {
      typed.push(`${command} ${area().selectionStart}-${area().selectionEnd} ${text.slice(0, 12)}`)
      return true
    }
    Object.assign(document, { execCommand })
    draftWith({ text: 'abc' })
    const { user } = await open()
    await user.click(button('Story'))
    area().setSelectionRange(1, 1)
    await user.click(button('Insert pause'))
    expect(typed).toEqual(['insertText 0-3 The old cloc', 'insertText 1-1  [pause 0.5s'])
    expect(document.activeElement).toBe(area())
  })

  test.each([
    ['2.34', 2.3],
    ['0.05', 0.5],
    ['11', 0.5],
    ['', 0.5],
  ])('a pause of %j s is one of %d s: the interface takes 0.1 to 10', async (typed, seconds) => {
    await open()
    const length = screen.getByRole('spinbutton', { name: 'Length of the pause in seconds' })
    fireEvent.change(length, { target: { value: typed } })
    expect(readStored<SpeakDraft>('speak', FIRST_DRAFT).pause).toBe(seconds)
    const isRight = Number(typed) >= 0.1 && Number(typed) <= 10
    expect(screen.queryByText('0.1 to 10 s') === null).toBe(isRight)
    expect(button('Insert pause')).toHaveProperty('disabled', !isRight)
  })
})

describe('the settings', () => {
  const option = (name: string): string[] => namesOf('option', screen.getByRole('combobox', { name }))

  test('the settings of a model without streams offer files only, and neither speed nor pauses', async () => {
    const { user } = await open()
    expect(option('Output')[0]).toBe('Stream')
    expect(screen.getByRole<HTMLInputElement>('slider', { name: 'Speed' }).disabled).toBe(false)
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model' }), 'svc-tts-1.0-pro')
    expect(option('Output')).toEqual(['MP3', 'WAV', 'Opus', 'FLAC', 'AAC'])
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Output' }).value).toBe('mp3')
    expect(screen.getByRole<HTMLInputElement>('slider', { name: 'Speed' }).disabled).toBe(true)
    expect(screen.queryByRole('button', { name: 'Insert pause' })).toBeNull()
  })

  test('the settings of a model without streams send a file, also when the draft says stream', async () => {
    service.audio(SPEECH)
    const { user } = await open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model' }), 'svc-tts-1.0-pro')
    await user.click(button('Speak'))
    await status('Complete: 4.0 s of audio.')
    expect(service.last(SPEECH).body).not.toHaveProperty('stream')
    expect(service.last(SPEECH).body['response_format']).toBe('mp3')
  })

  test('choose the speed of a stream', async () => {
    service.hold(SPEECH)
    const { user } = await open()
    fireEvent.change(screen.getByRole('slider', { name: 'Speed' }), { target: { value: '1.5' } })
    await user.click(button('Speak'))
    await waitFor(() => expect(service.last(SPEECH).body['speed']).toBe(1.5))
  })
})
