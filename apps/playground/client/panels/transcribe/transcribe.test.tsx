import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { lastSpeech } from '../../components/audio-input.tsx'
import { connection } from '../../shell/connection.ts'
import { stopAll } from '../../shell/panel-context.ts'
import { navigate } from '../../shell/router.tsx'
import { FakeAudio } from '../../test/fake-audio.ts'
import { FakeService, FakeStream } from '../../test/fake-service.ts'
import { FakeAudioContext, FakeWorkletNode, installWebAudio } from '../../test/fake-web-audio.ts'
import { announced, button, namesOf } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { Panel } from './panel.tsx'
import { FIRST_DRAFT, type TranscribeDraft } from './transcript.ts'

const TRANSCRIPTIONS = 'POST /v1/audio/transcriptions'
const fileOf = (name: string): File => new File(['RIFF-talk'], name, { type: 'audio/wav' })
const TALK = fileOf('talk.wav')
const turn = (id: string, speaker: string, start: number, text: string): object => ({
  type: 'transcript.text.segment',
  id,
  speaker,
  start,
  end: start + 2,
  text,
})
const TRANSCRIPT = {
  task: 'transcribe',
  text: 'Good morning. Hello. Bye.',
  duration: 6,
  segments: [turn('0', 'S01', 0, 'Good morning.'), turn('1', 'S02', 2, 'Hello.'), turn('2', 'S01', 4, 'Bye.')],
}

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

/** Opens the panel. The draft asks for a whole response, if the test does not say otherwise. */
function open(change: Partial<TranscribeDraft> = {}, path = '/transcribe'): Stage {
  localStorage.setItem('svc-audio.transcribe', JSON.stringify({ ...FIRST_DRAFT, live: false, ...change }))
  return renderPanel(Panel, 'transcribe', { service, path })
}
const choose = ({ user }: Stage, file = TALK): Promise<void> =>
  user.upload(screen.getByLabelText('Recording to transcribe'), file)
async function transcribe(change: Partial<TranscribeDraft> = {}): Promise<Stage> {
  service.json(TRANSCRIPTIONS, TRANSCRIPT)
  const stage = open(change)
  await choose(stage)
  await screen.findByText(/^Transcribed talk\.wav in /)
  await screen.findByRole('button', { name: 'Play from 0:00' })
  return stage
}
const turns = (): string[] =>
  screen.getAllByRole<HTMLTextAreaElement>('textbox', { name: /^Text of turn/ }).map(({ value }) => value)

describe('a transcript', () => {
  test('a transcript has a text for each turn, with its speaker and its time', async () => {
    await transcribe()
    expect(turns()).toEqual(['Good morning.', 'Hello.', 'Bye.'])
    expect(screen.getByRole('textbox', { name: 'Text of turn 2, S02' })).toBeDefined()
    expect(namesOf('button').filter((name) => name.startsWith('Play from'))).toEqual([
      'Play from 0:00',
      'Play from 0:02',
      'Play from 0:04',
    ])
  })

  test('a transcript plays from a turn by its time, and marks the turn that is heard', async () => {
    const { user } = await transcribe()
    act(() => FakeAudio.latest().load())
    await user.click(button('Play from 0:02'))
    expect([FakeAudio.latest().currentTime, FakeAudio.latest().paused]).toEqual([2, false])
    const marked = screen.getAllByRole('listitem').filter(({ dataset }) => dataset['current'] === 'true')
    expect(marked.map((item) => within(item).getByRole<HTMLTextAreaElement>('textbox').value)).toEqual(['Hello.'])
  })

  test('a transcript has a timeline with a row for each speaker', async () => {
    await transcribe()
    const timeline = document.querySelector<HTMLElement>('.lanes')
    if (timeline === null) throw new Error('There is no timeline')
    const left = Array.from(timeline.querySelectorAll('.lane'), (row) =>
      Array.from(row.querySelectorAll<HTMLElement>('span'), ({ style }) => Math.round(Number.parseFloat(style.left))),
    )
    expect(left).toEqual([[0, 67], [33]])
  })

  test('a transcript is corrected and its speakers are named, in the text, the copy and the files', async () => {
    const files: Blob[] = []
    vi.spyOn(URL, 'createObjectURL').mockImplementation((file) => `blob:${files.push(file as Blob)}`)
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockReturnValue()
    const { user } = await transcribe()
    files.length = 0
    await user.type(screen.getByRole('textbox', { name: 'Name of S01' }), 'Ann')
    const first = screen.getByRole('textbox', { name: 'Text of turn 1, Ann' })
    await user.clear(first)
    await user.type(first, 'Good evening.')
    await user.click(button('Copy the transcript'))
    expect(await navigator.clipboard.readText()).toBe('Good evening.\nHello.\nBye.')
    for (const name of ['JSON', 'SRT', 'VTT']) await user.click(button(name))
    await waitFor(() => expect(files).toHaveLength(3))
    const [json = '', srt = '', vtt = ''] = await Promise.all(files.map((file) => file.text()))
    expect(JSON.parse(json)).toMatchObject({
      duration: 6,
      segments: [{ speaker: 'Ann', text: 'Good evening.' }, {}, {}],
    })
    expect(srt).toContain('00:00:00,000 --> 00:00:02,000')
    expect(srt).toContain('Good evening.')
    expect(vtt).toMatch(/^WEBVTT/)
  })

  test('a transcript of the standard model is one text, which has no subtitles', async () => {
    service.json(TRANSCRIPTIONS, { text: 'good morning' })
    const stage = open({ model: 'svc-transcribe-1.0' })
    await choose(stage)
    expect(await screen.findByText('good morning')).toBeDefined()
    expect([button('JSON').disabled, button('SRT').disabled, button('VTT').disabled]).toEqual([false, true, true])
    expect(document.querySelector('.lanes')).toBeNull()
  })

  test('a transcript without words says that there is no speech', async () => {
    service.json(TRANSCRIPTIONS, { text: '' })
    await choose(open({ model: 'svc-transcribe-1.0' }))
    expect(await screen.findByText('No speech')).toBeDefined()
  })

  test('a transcript of a known text is compared with it', async () => {
    lastSpeech.set({ text: 'Good morning. Hello there.', name: 'speech.wav', file: async () => TALK })
    service.json(TRANSCRIPTIONS, { text: 'good morning hello bear' })
    const { user } = open({ model: 'svc-transcribe-1.0' })
    await user.click(button('Use the last speech'))
    await screen.findByText('Compared with what was said')
    expect(Array.from(document.querySelectorAll('del, ins'), ({ textContent }) => textContent)).toEqual([
      'there.',
      'bear',
    ])
    expect(screen.getByText('25.0 %').dataset['tone']).toBe('bad')
  })
})

describe('a live transcript', () => {
  const delta = (text: string): object => ({ type: 'transcript.text.delta', delta: text })
  const segment = { type: 'transcript.segment.done', content_index: 0, speaker: 'S01', text: 'Good morning.' }
  async function begin(): Promise<{ stage: Stage; stream: FakeStream }> {
    const stream = new FakeStream()
    service.answer(TRANSCRIPTIONS, () => stream.response)
    const stage = open({ live: true })
    await choose(stage)
    await act(async () => stream.send(delta('Good mor')))
    await screen.findByText('Good mor')
    return { stage, stream }
  }

  test('a live transcript shows words as they come, and then the turn', async () => {
    const { stream } = await begin()
    await act(async () =>
      stream.send(delta('ning.'), segment, { type: 'transcript.text.done', text: 'Good morning.' }).end(),
    )
    await screen.findByText(/^Transcribed talk\.wav/)
    expect(turns()).toEqual(['Good morning.'])
  })

  test.each([
    ['its button', async ({ user }: Stage): Promise<void> => user.click(button('Stop'))],
    [
      'Escape',
      async (): Promise<void> => {
        act(() => void stopAll())
      },
    ],
  ])('a live transcript is stopped by %s, in the service too, and without an error', async (_name, stop) => {
    const { stage, stream } = await begin()
    await stop(stage)
    await screen.findByText('Stopped.')
    expect([stream.cancelled, announced()]).toEqual([true, 'Stopped.'])
  })

  test('a live transcript that is cut names the file, and can be retried', async () => {
    const { stage, stream } = await begin()
    await act(async () => stream.cut())
    expect(await screen.findByText(/^talk\.wav: The connection was lost/)).toBeDefined()
    service.hold(TRANSCRIPTIONS)
    await stage.user.click(button('Retry'))
    await waitFor(() => expect(service.bodies(TRANSCRIPTIONS)).toHaveLength(2))
    expect(screen.queryByText(/connection was lost/)).toBeNull()
  })
})

describe('an upload', () => {
  const bar = (): HTMLProgressElement | null => screen.queryByRole<HTMLProgressElement>('progressbar')

  test.each([true, false])('shows how much of the file was sent, then the transcription (live: %s)', async (live) => {
    const held = service.hold(TRANSCRIPTIONS)
    await choose(open({ live }))
    await screen.findByText('50 %')
    expect(bar()?.getAttribute('aria-label')).toBe('Uploading talk.wav, 0 KB')
    expect(bar()?.value).toBe(0.5)
    const stream = new FakeStream()
    await act(async () => held.give(stream.response))
    await screen.findByText('Transcribing talk.wav …')
    expect(bar()).toBeNull()
  })

  test('an upload is stopped by its button, in the service too', async () => {
    service.hold(TRANSCRIPTIONS)
    const stage = open()
    await choose(stage)
    await screen.findByText('50 %')
    await stage.user.click(button('Stop'))
    await screen.findByText('Stopped.')
    expect([service.last(TRANSCRIPTIONS).signal?.aborted, bar()]).toEqual([true, null])
  })

  test('an upload of the file before does not count', async () => {
    const stage = await transcribe()
    service.hold(TRANSCRIPTIONS)
    await choose(stage, fileOf('next.wav'))
    await screen.findByText(/^Uploading next\.wav/)
    expect(await screen.findByText('50 %')).toBeDefined()
  })

  test('an upload is not shown for an address', async () => {
    service.hold(TRANSCRIPTIONS)
    const { user } = open({ url: 'https://a.example/talk.mp3' })
    await user.click(button('Transcribe address'))
    await screen.findByText('Transcribing talk.mp3 …')
    expect(bar()).toBeNull()
  })
})

describe('the source', () => {
  test('the source of an address is named by its file, and an empty address cannot be sent', async () => {
    service.json(TRANSCRIPTIONS, TRANSCRIPT)
    const { user } = open()
    expect(button('Transcribe address').disabled).toBe(true)
    await user.type(screen.getByRole('textbox', { name: 'Address of the audio' }), ' https://a.example/b/talk.mp3?x=1 ')
    await user.click(button('Transcribe address'))
    await screen.findByText(/^Transcribed talk\.mp3 in /)
    expect(service.last(TRANSCRIPTIONS).body['url']).toBe('https://a.example/b/talk.mp3?x=1')
    expect(screen.queryByRole('group', { name: /^Player/ })).toBeNull()
  })

  test('the source of a sample is spoken by the service first, in as many voices as it has', async () => {
    service.audio('POST /v1/audio/speech/speakers').json(TRANSCRIPTIONS, TRANSCRIPT)
    const { user } = open()
    await user.click(button('Sample: two voices'))
    await screen.findByText(/^Transcribed sample-two-voices\.wav/)
    expect(service.last('POST /v1/audio/speech/speakers').body['speakers']).toMatchObject([
      { voice_id: 'rms' },
      { voice_id: 'slt' },
    ])
  })

  test('the source of a sample that the service cannot speak names the sample', async () => {
    service.voices('rms')
    const { user } = open()
    await user.click(button('Sample: two voices'))
    expect(await screen.findByText('Sample: two voices: The service has too few voices for this sample.')).toBeDefined()
    expect(button('Sample: one voice').disabled).toBe(false)
  })

  test('the source that the address names is transcribed once, with its name', async () => {
    service.json(TRANSCRIPTIONS, TRANSCRIPT)
    const { show } = open({}, '/transcribe?file_id=file_1&name=a.wav')
    await screen.findByText(/^Transcribed a\.wav in /)
    show(false)
    show(true)
    expect(service.bodies(TRANSCRIPTIONS)).toMatchObject([{ file_id: 'file_1' }])
  })

  test('the source that the address names again, after another one, is transcribed again', async () => {
    service.json(TRANSCRIPTIONS, TRANSCRIPT)
    const stage = open({}, '/transcribe?file_id=file_1&name=a.wav')
    await screen.findByText(/^Transcribed a\.wav in /)
    await choose(stage)
    await screen.findByText(/^Transcribed talk\.wav in /)
    stage.show(false)
    act(() => navigate('/files'))
    act(() => navigate('/transcribe?file_id=file_1&name=a.wav'))
    stage.show(true)
    await screen.findByText(/^Transcribed a\.wav in /)
    expect(service.bodies(TRANSCRIPTIONS)).toHaveLength(3)
  })

  test('the source that the service refuses is named', async () => {
    service.refuse(TRANSCRIPTIONS, 'file: not an audio file', 'unsupported_media')
    await choose(open(), fileOf('notes.wav'))
    expect(await screen.findByText('notes.wav: Not an audio file.')).toBeDefined()
    expect(screen.getByText(/^unsupported_media/)).toBeDefined()
  })

  test('a second source waits for the first one, and both are transcribed', async () => {
    const first = service.hold(TRANSCRIPTIONS)
    const stage = open()
    await choose(stage)
    await waitFor(() => expect(service.bodies(TRANSCRIPTIONS)).toHaveLength(1))
    const { signal } = service.last(TRANSCRIPTIONS)
    service.json(TRANSCRIPTIONS, { ...TRANSCRIPT, segments: [turn('0', 'S01', 0, 'New.')] })
    await choose(stage, fileOf('new.wav'))
    expect(await screen.findByText(/Waits for its turn/)).toBeDefined()
    expect([signal?.aborted, service.bodies(TRANSCRIPTIONS).length]).toEqual([false, 1])
    await act(async () => first.give(Response.json(TRANSCRIPT)))
    await screen.findByText(/^Transcribed new\.wav/)
    // The one that is read stays on the screen.
    expect(turns()).toEqual(['Good morning.', 'Hello.', 'Bye.'])
    expect(screen.getByRole('link', { name: 'new.wav' })).toBeDefined()
  })

  test('ten files are ten rows, which are transcribed one after another', async () => {
    service.json(TRANSCRIPTIONS, TRANSCRIPT)
    const { user } = open()
    const files = Array.from({ length: 10 }, (_, index) => fileOf(`talk-${index}.wav`))
    await user.upload(screen.getByLabelText('Recording to transcribe'), files)
    await screen.findByText(/^Transcribed talk-9\.wav/)
    const sent = service.bodies(TRANSCRIPTIONS).map(({ file }) => (file as readonly string[])[0])
    expect(sent).toEqual(files.map(({ name }) => name))
    expect(screen.getAllByRole('link', { name: /^talk-\d\.wav$/ })).toHaveLength(9)
  })

  test('a file that fails is a row with its reason and a Retry, and the next one is transcribed', async () => {
    service.refuse(TRANSCRIPTIONS, 'file: not an audio file', 'unsupported_media')
    const stage = open()
    await choose(stage, fileOf('notes.wav'))
    await screen.findByText('notes.wav: Not an audio file.')
    service.json(TRANSCRIPTIONS, TRANSCRIPT)
    await choose(stage)
    await screen.findByText(/^Transcribed talk\.wav in /)
    expect(screen.getByText('Not an audio file.')).toBeDefined()
    await stage.user.click(button('Retry notes.wav'))
    await screen.findByText(/^Transcribed notes\.wav in /)
    expect(screen.queryByText('Not an audio file.')).toBeNull()
  })

  test('a lost connection that is back leaves the row with its Retry', async () => {
    const stream = new FakeStream()
    service.answer(TRANSCRIPTIONS, () => stream.response)
    const stage = open({ live: true })
    await choose(stage)
    await act(async () => stream.cut())
    await screen.findByText(/^talk\.wav: The connection was lost/)
    act(() => connection.set({ ...connection.get(), epoch: connection.get().epoch + 1 }))
    expect(screen.queryByText(/^talk\.wav: The connection was lost/)).toBeNull()
    expect(screen.getByText(/^The connection was lost/)).toBeDefined()
    expect(button('Retry talk.wav')).toBeDefined()
  })
})

describe('a recording', () => {
  const stopped: string[] = []
  const tracks: EventTarget[] = []
  const asked: unknown[] = []
  const devices: object[] = []
  const refuse = (name: string): void => {
    const getUserMedia = async (): Promise<never> => {
      throw new DOMException('no', name)
    }
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia } })
  }
  beforeEach(() => {
    installWebAudio()
    stopped.length = 0
    tracks.length = 0
    const enumerateDevices = async (): Promise<object[]> => devices
    const getUserMedia = async ({ audio }: MediaStreamConstraints): Promise<object> => {
      asked.push(audio)
      const track = Object.assign(new EventTarget(), { stop: () => stopped.push('stopped') })
      tracks.push(track)
      return { getTracks: () => [track] }
    }
    asked.length = 0
    devices.length = 0
    vi.stubGlobal('navigator', { mediaDevices: { getUserMedia, enumerateDevices } })
  })
  async function record(): Promise<Stage> {
    const stage = open()
    await stage.user.click(button('Record'))
    await waitFor(() => expect(FakeWorkletNode.made).toHaveLength(1))
    return stage
  }
  const hear = (samples: number): void =>
    act(() => FakeWorkletNode.latest().emit({ samples: new Float32Array(samples), level: { rms: 0.1, peak: 0.5 } }))

  test('a recording shows its time and its level, and is heard before it is sent', async () => {
    service.json(TRANSCRIPTIONS, TRANSCRIPT)
    const { user } = await record()
    hear(96_000)
    expect(screen.getByText('0:02')).toBeDefined()
    expect(screen.getByRole('meter', { name: 'Level of the microphone' }).getAttribute('aria-valuetext')).toBe(
      '-20 decibels',
    )
    await user.click(button('Stop'))
    await waitFor(() => expect(button('Transcribe').disabled).toBe(false))
    expect(screen.getByRole('group', { name: 'Player of the recording' })).toBeDefined()
    expect([stopped, service.bodies(TRANSCRIPTIONS)]).toEqual([['stopped'], []])
    await user.click(button('Transcribe'))
    await screen.findByText(/^Transcribed recording\.wav/)
    const [name, wav] = service.last(TRANSCRIPTIONS).body['file'] as [string, string]
    expect([name, wav.slice(0, 4)]).toEqual(['recording.wav', 'RIFF'])
  })

  test('a recording that is discarded releases the microphone and is not sent', async () => {
    const { user } = await record()
    await user.click(button('Discard'))
    await waitFor(() => expect([stopped, FakeAudioContext.made[0]?.closed]).toEqual([['stopped'], true]))
    expect(button('Record')).toBeDefined()
    hear(48_000)
    expect(service.bodies(TRANSCRIPTIONS)).toEqual([])
  })

  test('a recording is ended by Escape, and stays', async () => {
    await record()
    act(() => void stopAll())
    await waitFor(() => expect(button('Transcribe').disabled).toBe(false))
    expect(stopped).toEqual(['stopped'])
  })

  test('a recording ends by itself after five minutes', async () => {
    FakeAudioContext.rate = 10
    await record()
    hear(2999)
    expect(button('Stop')).toBeDefined()
    hear(1)
    await waitFor(() => expect(button('Transcribe').disabled).toBe(false))
  })

  test('a recording says why it ends after five minutes', async () => {
    await record()
    expect(screen.getByText(/^of 5:00: the page holds the recording in memory/)).toBeDefined()
  })

  test('a recording whose microphone is unplugged ends, says so, and stays', async () => {
    await record()
    hear(48_000)
    act(() => void tracks[0]?.dispatchEvent(new Event('ended')))
    await waitFor(() => expect(button('Transcribe').disabled).toBe(false))
    expect(screen.getByText('The microphone is gone. The recording has what it heard before.')).toBeDefined()
  })

  test('a recording continues with another microphone, which the next one uses too', async () => {
    devices.push(
      { kind: 'audioinput', deviceId: 'a', label: 'Headset' },
      { kind: 'audioinput', deviceId: 'b', label: 'Desk' },
      { kind: 'videoinput', deviceId: 'c', label: 'Camera' },
    )
    const { user } = await record()
    const field = await screen.findByRole('combobox', { name: 'Microphone' })
    expect(namesOf('option', field)).toEqual(["The browser's choice", 'Headset', 'Desk'])
    await user.selectOptions(field, 'Desk')
    await waitFor(() => expect(stopped, 'the one before is released').toEqual(['stopped']))
    await user.click(button('Discard'))
    await user.click(button('Record'))
    await waitFor(() => expect(asked).toEqual([true, { deviceId: 'b' }, { deviceId: 'b' }]))
  })

  test('the words of a recording appear after each pause, in their order', async () => {
    FakeAudioContext.rate = 1000
    const first = service.hold(TRANSCRIPTIONS)
    const stage = open({ live: true })
    await stage.user.click(button('Record'))
    await waitFor(() => expect(FakeWorkletNode.made).toHaveLength(1))
    const say = (seconds: number, rms: number): void =>
      act(() => FakeWorkletNode.latest().emit({ samples: new Float32Array(seconds * 1000), level: { rms, peak: rms } }))
    say(2, 0.2)
    say(1, 0)
    await waitFor(() => expect(service.bodies(TRANSCRIPTIONS)).toHaveLength(1))
    say(2, 0.2)
    say(1, 0)
    expect(service.bodies(TRANSCRIPTIONS), 'one at a time').toHaveLength(1)
    service.json(TRANSCRIPTIONS, { text: 'and good night' })
    await act(async () => first.give(Response.json({ text: 'good morning' })))
    expect(await screen.findByText('good morning and good night')).toBeDefined()
    expect(service.last(TRANSCRIPTIONS).body['model']).toBe('svc-transcribe-1.0')
  })

  test('a recording without live text is not sent before its end', async () => {
    FakeAudioContext.rate = 10
    await record()
    hear(20)
    act(() => FakeWorkletNode.latest().emit({ samples: new Float32Array(20), level: { rms: 0, peak: 0 } }))
    expect([service.bodies(TRANSCRIPTIONS), screen.queryByText(/^Speak: your words/)]).toEqual([[], null])
  })

  test('a recording takes the old transcript away when it begins', async () => {
    const { user } = await transcribe()
    await user.click(button('Record'))
    expect(screen.queryByRole('region', { name: 'Transcript' })).toBeNull()
  })

  test('a recording releases the microphone when the page is left', async () => {
    const { unmount } = await record()
    unmount()
    await waitFor(() => expect(stopped).toEqual(['stopped']))
  })

  test('a recording releases the microphone when the recorder cannot start, and says why', async () => {
    FakeAudioContext.fault = new Error('no worklet')
    const { user } = open()
    await user.click(button('Record'))
    expect(await screen.findByText('Cannot use the microphone: no worklet')).toBeDefined()
    expect([stopped, FakeAudioContext.made[0]?.closed]).toEqual([['stopped'], true])
  })

  test.each([
    ['NotAllowedError', 'The browser blocks the microphone. Allow it in the address bar.'],
    ['NotFoundError', 'No microphone found.'],
    ['AbortError', 'Cannot use the microphone: no'],
  ])('a recording that fails with %s says what to do', async (name, message) => {
    refuse(name)
    const { user } = open()
    await user.click(button('Record'))
    expect(await screen.findByText(message)).toBeDefined()
    expect(button('Record')).toBeDefined()
  })
})

describe('the settings', () => {
  test('the settings of the model with speakers have live text and key terms, which are sent line by line', async () => {
    await transcribe({ keyterms: 'Ann\n\n Bo ' })
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: /^Live text/ }).checked).toBe(false)
    expect(service.last(TRANSCRIPTIONS).body['keyterms']).toEqual(['Ann', 'Bo'])
  })

  test('the settings of the standard model have no key terms', async () => {
    const { user } = open()
    await user.selectOptions(screen.getByRole('combobox', { name: 'Model' }), 'svc-transcribe-1.0')
    expect(screen.queryByRole('textbox', { name: 'Key terms' })).toBeNull()
  })

  test('warn of the language of the local recognizer, and not of another service', () => {
    open()
    expect(screen.queryByText(/US English only/)).not.toBeNull()
    act(() => connection.set({ ...connection.get(), embedded: false }))
    expect(screen.queryByText(/US English only/)).toBeNull()
  })
})
