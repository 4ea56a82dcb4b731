import { act, cleanup, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, expect, test, vi } from 'vitest'
import { FakeService } from '../../test/fake-service.ts'
import { FakeSocket } from '../../test/fake-socket.ts'
import { FakeSource, FakeWorkletNode, installWebAudio } from '../../test/fake-web-audio.ts'
import { announced, button, namesOf } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { Panel } from './panel.tsx'

const SPEECH = 'POST /v1/audio/speech'

interface Track extends EventTarget {
  enabled: boolean
  readonly stop: () => void
}

let service: FakeService
let tracks: Track[]
const asked: unknown[] = []
const stopped: unknown[] = []

beforeEach(() => {
  installWebAudio()
  vi.stubGlobal('WebSocket', FakeSocket)
  FakeSocket.made.length = 0
  asked.length = 0
  stopped.length = 0
  tracks = []
  service = new FakeService().audio(SPEECH)
  const devices = ['Headset', 'Desk'].map((label) => ({ kind: 'audioinput', deviceId: label, label }))
  const getUserMedia = async ({ audio }: MediaStreamConstraints): Promise<object> => {
    asked.push(audio)
    const track: Track = Object.assign(new EventTarget(), { enabled: true, stop: () => stopped.push(audio) })
    tracks.push(track)
    return { getTracks: () => [track], getAudioTracks: () => [track] }
  }
  const mediaDevices = Object.assign(new EventTarget(), { getUserMedia, enumerateDevices: async () => devices })
  vi.stubGlobal('navigator', { mediaDevices })
})

async function open(): Promise<Stage> {
  const stage = renderPanel(Panel, 'talk', { service })
  await waitFor(() => expect(button('Talk').disabled).toBe(false))
  return stage
}

const receive = (...messages: object[]): void => act(() => FakeSocket.latest().receive(...messages))

async function connect(): Promise<void> {
  await waitFor(() => expect(FakeSocket.latest().sent).toHaveLength(1))
  receive({ type: 'ready', protocol: 1, session: 'a', resumed: false })
}

async function talk(): Promise<Stage> {
  const stage = await open()
  await stage.user.click(button('Talk'))
  await connect()
  return stage
}

test('a conversation shows its state, its levels, what both say, and each event', async () => {
  await talk()
  expect(new URL(FakeSocket.latest().url).search).toBe('?voice=rms')
  await waitFor(() => expect(announced()).toContain('The agent listens.'))
  receive({ type: 'user_input' }, { type: 'stt_output', transcript: 'what time is it' })
  await waitFor(() => expect(announced()).toContain('The agent thinks.'))
  receive({ type: 'tts_sentence', text: 'It is noon.' })
  expect(screen.getByRole('log', { name: 'What was said' }).textContent).toBe('You what time is itAgent It is noon.')
  const events = screen.getByRole('region', { name: 'Events' })
  expect(namesOf('listitem', events).map((text) => text.replace(/^[\d.]+ s/, ''))).toEqual([
    'A sentence is about to be heard: It is noon.',
    'Your words are understood: what time is it',
    'You make a sound',
  ])
  act(() => FakeWorkletNode.latest().emit({ pcm: new ArrayBuffer(2), level: 0.1 }))
  const level = screen.getByRole('meter', { name: 'Level of what the agent hears' })
  await waitFor(() => expect(level.getAttribute('aria-valuetext')).toBe('-20 decibels'))
})

test('a muted microphone stays muted when another one is chosen', async () => {
  const { user } = await talk()
  await user.click(button('Mute'))
  expect([tracks[0]?.enabled, button('Mute').getAttribute('aria-pressed')]).toEqual([false, 'true'])
  await user.selectOptions(await screen.findByRole('combobox', { name: 'Microphone' }), 'Desk')
  await waitFor(() => expect(tracks[1]?.enabled).toBe(false))
  expect([asked, stopped]).toEqual([[true, { deviceId: 'Desk' }], [true]])
  await user.click(button('Mute'))
  expect(tracks[1]?.enabled).toBe(true)
})

test('another microphone takes the place of one that is unplugged, and without one the page says so', async () => {
  await talk()
  act(() => void tracks[0]?.dispatchEvent(new Event('ended')))
  await waitFor(() => expect(asked).toEqual([true, true]))
  vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockRejectedValue(new DOMException('no', 'NotFoundError'))
  act(() => void tracks[0]?.dispatchEvent(new Event('ended')))
  await waitFor(() => expect(tracks).toHaveLength(2))
  act(() => void tracks[1]?.dispatchEvent(new Event('ended')))
  expect(await screen.findByText(/^No microphone found\./)).toBeDefined()
})

test('the end of a conversation frees the microphone and keeps what was said', async () => {
  const { user } = await talk()
  receive({ type: 'stt_output', transcript: 'good morning' })
  await user.click(button('Stop'))
  await waitFor(() => expect([stopped, FakeSocket.latest().closed]).toEqual([[true], true]))
  expect(screen.getByText('good morning', { exact: false, selector: 'p' })).toBeDefined()
  expect(button('Talk')).toBeDefined()
})

test('a microphone that is given after Stop is freed, and no connection is opened', async () => {
  const stage = await open()
  const asks = Promise.withResolvers<void>()
  const given = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
  vi.spyOn(navigator.mediaDevices, 'getUserMedia').mockImplementation(async (constraints) => {
    await asks.promise
    return given(constraints)
  })
  await stage.user.click(button('Talk'))
  await stage.user.click(button('Stop'))
  await act(async () => asks.resolve())
  await waitFor(() => expect(stopped).toEqual([true]))
  expect(FakeSocket.made).toEqual([])
})

test('without a microphone, the page says what to do, and opens no connection', async () => {
  const refuse = async (): Promise<never> => {
    throw new DOMException('no', 'NotAllowedError')
  }
  vi.stubGlobal('navigator', { mediaDevices: { getUserMedia: refuse } })
  const { user } = await open()
  await user.click(button('Talk'))
  expect(await screen.findByText(/^The browser blocks the microphone\..*choose a question/)).toBeDefined()
  expect([FakeSocket.made, button('Talk').disabled]).toEqual([[], false])
})

test('a question is spoken in another voice than the answer, and needs no microphone', async () => {
  const { user } = await open()
  await user.click(button('What time is it?'))
  await connect()
  await waitFor(() => expect(FakeSource.started).toBe(1))
  expect(service.last(SPEECH).body).toMatchObject({ input: 'What time is it?', voice_id: 'slt' })
  await user.click(button('Stop, please.'))
  await waitFor(() => expect(FakeSource.started).toBe(2))
  expect([asked, FakeSocket.made.length]).toEqual([[], 1])
})

test('a question that cannot be spoken ends the conversation with the reason', async () => {
  service.refuse(SPEECH, 'No credit is left.')
  const { user } = await open()
  await user.click(button('What time is it?'))
  await connect()
  expect(await screen.findByText('No credit is left.')).toBeDefined()
  expect(FakeSocket.latest().closed).toBe(true)
})

test('an end by the server is shown with its reason', async () => {
  await talk()
  act(() => FakeSocket.latest().end(4410, 'The session reached its longest time'))
  expect(await screen.findByText(/^The conversation ended: The session reached its longest time/)).toBeDefined()
  expect(stopped).toEqual([true])
})

test('what was said is there in the next visit, leaving asks while the conversation is open, and a failure has its reason', async () => {
  const { user } = await talk()
  receive({ type: 'stt_output', transcript: 'good morning' }, { type: 'tts_sentence', text: 'Hello.' })
  const leave = (): boolean => {
    const event = new Event('beforeunload', { cancelable: true })
    dispatchEvent(event)
    return event.defaultPrevented
  }
  expect(leave()).toBe(true)
  act(() => FakeSocket.latest().end(4410, 'The session reached its longest time'))
  await screen.findByText(/^The conversation ended/)
  expect(leave()).toBe(false)
  cleanup()
  await open()
  const history = within(await screen.findByRole('region', { name: 'History' }))
  expect(history.getByText(/2 turns · The conversation ended: The session reached/)).toBeDefined()
  expect(history.getAllByText('good morning')).not.toEqual([])
  await user.click(history.getByRole('button', { name: /^Remove/ }))
  expect(screen.queryByRole('region', { name: 'History' })).toBeNull()
})
