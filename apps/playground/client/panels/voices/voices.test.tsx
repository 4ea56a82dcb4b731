import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { stopAll } from '../../shell/panel-context.ts'
import { FakeAudio } from '../../test/fake-audio.ts'
import { FakeService } from '../../test/fake-service.ts'
import { FakeWorkletNode, installWebAudio } from '../../test/fake-web-audio.ts'
import { announced, button, namesOf } from '../../test/names.ts'
import { renderPanel, type Stage } from '../../test/render-panel.tsx'
import { FIRST_DRAFT, type VoicesDraft } from './draft.ts'
import { Panel } from './panel.tsx'

const LIST = 'GET /v1/audio/voices'
const CREATE = 'POST /v1/audio/voices'
const SPEECH = 'POST /v1/audio/speech'
const DESIGN = 'POST /v1/audio/voice/generations'
const MADE = { id: 'voice_9', object: 'audio.voice', name: 'Anna', created_at: 1_700_000_000 }
const SAMPLE = new File(['RIFF'], 'anna.wav', { type: 'audio/wav' })

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})

function open(change: Partial<VoicesDraft> = {}): Stage {
  localStorage.setItem('svc-audio.voices', JSON.stringify({ ...FIRST_DRAFT, ...change }))
  return renderPanel(Panel, 'voices', { service })
}
const rows = (): string[] => {
  const table = within(screen.getByRole('region', { name: 'Voices' }))
  return table.getAllByRole('rowheader').map(({ textContent }) => textContent)
}
const select = ({ user }: Stage, name: string): Promise<void> => user.click(screen.getByRole('tab', { name }))

describe('the list of the voices', () => {
  test('the list of the voices has their names, or their ids where they have none, and says which are built in', async () => {
    service.json(LIST, {
      object: 'list',
      data: [{ ...MADE, id: 'slt', name: '', created_at: 0 }, MADE],
      has_more: false,
    })
    open()
    await waitFor(() => expect(announced()).toContain('Loading the voices …'))
    await screen.findByRole('region', { name: 'Voices' })
    expect(rows()).toEqual(['slt', 'Anna'])
    expect(screen.getAllByText('Built in')).toHaveLength(1)
  })

  test('the list of the voices is loaded page by page', async () => {
    const page = (name: string, more: object): Response =>
      Response.json({ object: 'list', data: [{ ...MADE, id: name, name }], ...more })
    service.answer(
      LIST,
      () => page('one', { has_more: true, next_cursor: 'c1', last_id: 'one' }),
      () => page('two', { has_more: false }),
    )
    open()
    await screen.findByRole('region', { name: 'Voices' })
    expect(rows()).toEqual(['one', 'two'])
  })

  test('the list of the voices without voices says how to make one', async () => {
    service.voices()
    open()
    expect(await screen.findByText('No voices yet')).toBeDefined()
  })

  test('the list of the voices that cannot be loaded says why, and can be loaded again', async () => {
    service.refuse(LIST, 'Not now')
    const { user } = open()
    const retry = await screen.findByRole('button', { name: 'Retry' })
    await waitFor(() => expect(announced()).toContain('Not now.'))
    service.voices('rms')
    await user.click(retry)
    await screen.findByRole('region', { name: 'Voices' })
    expect(rows()).toEqual(['Voice rms'])
  })

  test('the list of the voices plays a sentence in a voice, made once, and pauses it', async () => {
    service.voices('preview-a').audio(SPEECH)
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Play a preview of Voice preview-a' }))
    const pause = await screen.findByRole('button', { name: 'Pause a preview of Voice preview-a' })
    await user.click(pause)
    await user.click(button('Play a preview of Voice preview-a'))
    await screen.findByRole('button', { name: 'Pause a preview of Voice preview-a' })
    act(() => FakeAudio.latest().finish())
    expect(button('Play a preview of Voice preview-a')).toBeDefined()
    expect(service.bodies(SPEECH)).toMatchObject([{ voice_id: 'preview-a', response_format: 'wav' }])
  })

  test('the list of the voices says on the button why there is no preview, and the next press tries again', async () => {
    service.voices('preview-b').refuse(SPEECH, 'The voice is broken')
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Play a preview of Voice preview-b' }))
    const failed = await screen.findByRole('button', {
      name: 'Play a preview of Voice preview-b. The voice is broken.',
    })
    service.audio(SPEECH)
    await user.click(failed)
    expect(await screen.findByRole('button', { name: 'Pause a preview of Voice preview-b' })).toBeDefined()
  })

  test('the list of the voices opens the comparison with a voice as the second', async () => {
    service.voices('rms', 'slt', 'kal')
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Compare Voice kal' }))
    expect(button(/^First voice/).textContent).toContain('Voice rms')
    expect(button(/^Second voice/).textContent).toContain('Voice kal')
  })

  test('the list of the voices compares the first voice with another one than itself', async () => {
    const { user } = open()
    await user.click(await screen.findByRole('button', { name: 'Compare Voice rms' }))
    expect(button(/^First voice/).textContent).toContain('slt')
    expect(button(/^Second voice/).textContent).toContain('Voice rms')
  })
})

describe('a voice from a recording', () => {
  const choose = ({ user }: Stage): Promise<void> =>
    user.upload(screen.getByLabelText('Recording of the voice'), SAMPLE)

  test('a voice from a recording needs a recording and a name, and is then there for every panel', async () => {
    service.json(CREATE, MADE)
    const stage = open({ view: 'record' })
    expect(button('Make voice').disabled).toBe(true)
    await choose(stage)
    expect(button('Make voice').disabled).toBe(true)
    await stage.user.type(screen.getByRole('textbox', { name: 'Name' }), ' Anna ')
    const before = service.sent.filter(({ route }) => route === LIST).length
    await stage.user.click(button('Make voice'))
    await screen.findByText('Made the voice Anna.')
    expect(service.last(CREATE).body).toEqual({ name: 'Anna', audio_sample: ['anna.wav', 'RIFF'] })
    await waitFor(() => expect(service.sent.filter(({ route }) => route === LIST).length).toBeGreaterThan(before))
    expect(screen.getByRole('region', { name: 'The new voice' }).textContent).toContain('voice_9')
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('')
  })

  test('a voice from a recording sends its description, if it has one', async () => {
    service.json(CREATE, MADE)
    const stage = open({ view: 'record', name: 'Anna', about: ' For long texts ' })
    await choose(stage)
    await stage.user.click(button('Make voice'))
    await screen.findByText('Made the voice Anna.')
    expect(service.last(CREATE).body['description']).toBe('For long texts')
  })

  test('a voice from a recording that is refused names the file and keeps all of it', async () => {
    service.refuse(CREATE, 'audio_sample: too short', 'audio_too_short')
    const stage = open({ view: 'record', name: 'Anna' })
    await choose(stage)
    await stage.user.click(button('Make voice'))
    expect(await screen.findByText('anna.wav: Too short.')).toBeDefined()
    expect(screen.getByRole<HTMLInputElement>('textbox', { name: 'Name' }).value).toBe('Anna')
    await stage.user.click(button('Retry'))
    await waitFor(() => expect(service.bodies(CREATE)).toHaveLength(2))
  })

  test('a voice from a recording shows how much of the recording was sent, and is stopped in the service too', async () => {
    service.hold(CREATE)
    const stage = open({ view: 'record', name: 'Anna' })
    await choose(stage)
    await stage.user.click(button('Make voice'))
    await screen.findByText('50 %')
    expect(screen.getByRole('progressbar', { name: /^Uploading anna\.wav/ })).toBeDefined()
    act(() => void stopAll())
    await screen.findByText('Stopped.')
    expect([service.last(CREATE).signal?.aborted, button('Make voice').disabled]).toEqual([true, false])
    expect(screen.queryByRole('progressbar')).toBeNull()
  })

  test('a voice from a recording can be recorded, heard and chosen again', async () => {
    installWebAudio()
    const { user } = open({ view: 'record', name: 'Anna' })
    const mediaDevices = { getUserMedia: async () => ({ getTracks: () => [] }) }
    vi.stubGlobal('navigator', { mediaDevices })
    await user.click(button('Record'))
    await waitFor(() => expect(FakeWorkletNode.made).toHaveLength(1))
    await user.click(button('Stop'))
    await waitFor(() => expect(button('Use the recording').disabled).toBe(false))
    await user.click(button('Use the recording'))
    expect([button('Make voice').disabled, button('Play the recording')].map(Boolean)).toEqual([false, true])
    await user.click(button('Choose another'))
    expect([button('Make voice').disabled, button('Record').disabled]).toEqual([true, false])
  })
})

describe('a voice from a description', () => {
  async function design(): Promise<Stage> {
    service.audio(DESIGN)
    const stage = open({ view: 'design' })
    await stage.user.click(button('Design voice'))
    await screen.findByText('Here is the voice.')
    return stage
  }

  test('a voice from a description speaks the text as described', async () => {
    const { user } = await design()
    const { instruction, designText: input } = FIRST_DRAFT
    expect(service.last(DESIGN).body).toMatchObject({ instruction, input })
    await user.click(button('News'))
    await user.click(button('Design voice'))
    await waitFor(() => expect(service.last(DESIGN).body['instruction']).toMatch(/newsreader/))
  })

  test('a voice from a description needs a description and a text', async () => {
    const { user } = open({ view: 'design' })
    await user.clear(screen.getByRole('textbox', { name: 'Description' }))
    expect(button('Design voice').disabled).toBe(true)
  })

  test('a voice from a description becomes a voice of the account under a name, with its speech as the sample', async () => {
    service.json(CREATE, MADE)
    const { user } = await design()
    expect(button('Keep voice').disabled).toBe(true)
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Anna')
    await user.click(button('Keep voice'))
    await screen.findByRole('region', { name: 'The new voice' })
    expect(service.last(CREATE).body).toEqual({
      name: 'Anna',
      description: FIRST_DRAFT.instruction,
      audio_sample: ['designed.wav', 'RIFF-audio'],
    })
    await user.click(
      within(screen.getByRole('region', { name: 'The new voice' })).getByRole('button', { name: 'Compare' }),
    )
    expect(screen.getByRole('tab', { selected: true, name: 'Compare' })).toBeDefined()
  })

  test('a voice from a description that is replaced by another design is no longer the new voice', async () => {
    service.json(CREATE, MADE)
    const { user } = await design()
    await user.type(screen.getByRole('textbox', { name: 'Name' }), 'Anna')
    await user.click(button('Keep voice'))
    await screen.findByRole('region', { name: 'The new voice' })
    await user.click(button('Design voice'))
    await waitFor(() => expect(screen.queryByRole('region', { name: 'The new voice' })).toBeNull())
  })
})

describe('a comparison', () => {
  test('a comparison speaks one text in both voices, one after the other, and measures both', async () => {
    const first = service.hold(SPEECH)
    const { user } = open({ view: 'compare' })
    await screen.findByRole('button', { name: /^Second voice slt/ })
    await user.click(button('Compare'))
    await waitFor(() => expect(service.bodies(SPEECH)).toHaveLength(1))
    service.audio(SPEECH)
    await act(async () => first.give(new Response('RIFF', { headers: { 'content-type': 'audio/wav' } })))
    await screen.findByText('Both voices are ready.')
    expect(service.bodies(SPEECH).map(({ voice_id }) => voice_id)).toEqual(['rms', 'slt'])
    act(() => {
      for (const audio of FakeAudio.made) audio.load()
    })
    expect(screen.getAllByText('4.0 s')).toHaveLength(2)
  })

  test('a comparison is over when its text changes: the audio would not say it', async () => {
    service.audio(SPEECH)
    const { user } = open({ view: 'compare' })
    await screen.findByRole('button', { name: /^Second voice slt/ })
    await user.click(button('Compare'))
    await screen.findByText('Both voices are ready.')
    await user.type(screen.getByRole('textbox', { name: 'Text' }), '!')
    expect(FakeAudio.made.every(({ src }) => src === '')).toBe(true)
    expect(namesOf('button').includes('Play the first voice')).toBe(true)
    expect(button('Play the first voice').disabled).toBe(true)
  })

  test('a comparison is run by Ctrl+Enter only while it is on the screen', async () => {
    service.audio(SPEECH)
    const stage = open({ view: 'compare' })
    await screen.findByRole('button', { name: /^Second voice slt/ })
    await select(stage, 'All voices')
    await stage.user.keyboard('{Control>}{Enter}{/Control}')
    expect(service.bodies(SPEECH)).toEqual([])
    await select(stage, 'Compare')
    await stage.user.keyboard('{Control>}{Enter}{/Control}')
    await screen.findByText('Both voices are ready.')
  })
})
