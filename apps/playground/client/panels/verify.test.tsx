import { act, screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test } from 'vitest'
import { stopAll } from '../shell/panel-context.ts'
import { route } from '../shell/router.tsx'
import { FakeAudio } from '../test/fake-audio.ts'
import { FakeService } from '../test/fake-service.ts'
import { announced, button, namesOf } from '../test/names.ts'
import { renderPanel, type Stage } from '../test/render-panel.tsx'
import { Panel as Integrations } from './integrations/panel.tsx'
import { Panel as Models } from './models/panel.tsx'
import { Panel as RoundTrip } from './round-trip/panel.tsx'

const SPEECH = 'POST /v1/audio/speech'
const TRANSCRIPTIONS = 'POST /v1/audio/transcriptions'

let service: FakeService
beforeEach(() => {
  service = new FakeService()
})
const stop = (): void => act(() => void stopAll())

describe('the models', () => {
  const model = (id: string): object => ({ id, object: 'model', created: 0, owned_by: 'svc' })
  const open = (...ids: readonly string[]): Stage => {
    service.json('GET /v1/models', { object: 'list', data: ids.map(model) })
    return renderPanel(Models, 'models', { service })
  }
  const cards = async (): Promise<HTMLElement[]> => {
    await screen.findAllByRole('heading', { level: 2 })
    return screen.getAllByRole('heading', { level: 2 }).map((heading) => heading.closest('li') ?? heading)
  }

  test('say what each can do, and lead to its panel', async () => {
    const { user } = open('svc-tts-1.5-flash', 'svc-ttsd-1.0')
    const [flash] = await cards()
    expect(flash?.textContent).toContain('Streams PCM and events')
    expect(flash?.textContent).toContain('POST /v1/audio/speech')
    await user.click(screen.getByRole('link', { name: 'Try it with svc-ttsd-1.0' }))
    expect(route.get().panel).toBe('dialogue')
  })

  test('the models that the interface does not document have an owner and nothing to try', async () => {
    open('svc-other-9')
    const [card] = await cards()
    expect(card?.textContent).toContain('Not in the documented interface')
    expect(card?.textContent).toContain('Owner: svc')
    expect(screen.queryByRole('link')).toBeNull()
  })

  test('the models that pin a version are folded, and do not claim to stream', async () => {
    open('svc-tts-1.5-flash', 'svc-tts-1.5-flash-2026-01-01')
    await cards()
    const pinned = screen.getByText('Pinned versions (1)').closest('details')
    expect(pinned?.open).toBe(false)
    const card = pinned?.querySelector('li')
    expect(card?.textContent).toContain('Pins the version')
    expect(card?.textContent).not.toContain('Streams')
  })

  test('the models that are none say whom to ask, and that cannot be loaded say why', async () => {
    open()
    expect(await screen.findByText('No models')).toBeDefined()
  })

  test('the models that cannot be loaded say why, and can be loaded again', async () => {
    service.refuse('GET /v1/models', 'The key is not known', 'invalid_key', 401)
    const { user } = renderPanel(Models, 'models', { service })
    expect(await screen.findByText('The key is not known.')).toBeDefined()
    service.json('GET /v1/models', { object: 'list', data: [model('svc-ttsd-1.0')] })
    await user.click(button('Retry'))
    expect(await cards()).toHaveLength(1)
  })
})

describe('a round trip', () => {
  const said = 'The train to the coast leaves at 7:45.'
  async function open(): Promise<Stage> {
    localStorage.setItem('svc-audio.round-trip', JSON.stringify({ text: said, voice: '', model: 'svc-transcribe-1.0' }))
    service.audio(SPEECH).json(TRANSCRIPTIONS, { text: 'the train to the coast leaves at seven forty-five' })
    const stage = renderPanel(RoundTrip, 'round-trip', { service })
    await screen.findByRole('button', { name: /^Voice Voice rms/ })
    return stage
  }
  const rows = (): string[] =>
    within(screen.getByRole('region', { name: 'Round trips' }))
      .getAllByRole('rowheader')
      .map(({ textContent }) => textContent)

  test('a round trip sends the speech to the transcription, and counts the wrong words', async () => {
    const { user } = await open()
    expect(screen.getByText('No round trip yet')).toBeDefined()
    await user.click(button('Run'))
    await screen.findByText('rms: 0.0 % wrong.')
    expect(service.last(SPEECH).body).toMatchObject({ input: said, voice_id: 'rms' })
    expect(service.last(TRANSCRIPTIONS).body).toMatchObject({ file: ['round-trip.wav', 'RIFF-audio'] })
    expect(screen.getByText('0.0 %').dataset['tone']).toBe('good')
  })

  test('marks each wrong word beside the spoken one', async () => {
    const { user } = await open()
    service.json(TRANSCRIPTIONS, { text: 'the rain to the coast leaves at seven forty-five' })
    await user.click(button('Run'))
    await screen.findByText('rms: 10.0 % wrong.')
    expect(Array.from(document.querySelectorAll('del, ins'), ({ textContent }) => textContent)).toEqual([
      'train',
      'rain',
    ])
  })

  test('a round trip without a word says that there is no speech', async () => {
    const { user } = await open()
    service.json(TRANSCRIPTIONS, { text: '' })
    await user.click(button('Run'))
    expect(await screen.findByText('No speech')).toBeDefined()
    expect(screen.getByText('100.0 %').dataset['tone']).toBe('bad')
  })

  test('runs with every voice, one after another, newest first', async () => {
    const { user } = await open()
    await user.click(button('Compare all voices'))
    await screen.findByText('slt: 0.0 % wrong.')
    expect(rows()).toEqual(['slt', 'rms'])
    expect(service.sent.map(({ route: asked }) => asked).filter((asked) => asked.startsWith('POST'))).toEqual([
      SPEECH,
      TRANSCRIPTIONS,
      SPEECH,
      TRANSCRIPTIONS,
    ])
  })

  test('a round trip that is stopped keeps what is complete, and is no error', async () => {
    const { user } = await open()
    await user.click(button('Run'))
    await screen.findByText('rms: 0.0 % wrong.')
    service.hold(TRANSCRIPTIONS)
    await user.click(button('Compare all voices'))
    await screen.findByText(/^Uploading the speech, /)
    expect(await screen.findByText('50 %')).toBeDefined()
    stop()
    await waitFor(() => expect(announced()).toBe('rms: 0.0 % wrong.'))
    expect([service.last(TRANSCRIPTIONS).signal?.aborted, rows().length]).toEqual([true, 1])
  })

  test('a round trip that fails at one voice says so, and does not go on', async () => {
    const { user } = await open()
    service.refuse(SPEECH, 'The quota is used up')
    await user.click(button('Compare all voices'))
    expect(await screen.findByText('The quota is used up.')).toBeDefined()
    expect(service.bodies(SPEECH)).toHaveLength(1)
  })

  test('a round trip needs a text', async () => {
    const { user } = await open()
    await user.clear(screen.getByRole('textbox', { name: 'Text' }))
    expect([button('Run').disabled, button('Compare all voices').disabled]).toEqual([true, true])
  })
})

describe('the integrations', () => {
  const info = (id: string): object => ({
    id,
    title: id.toUpperCase(),
    package: `@svc-audio/${id}`,
    about: 'It works',
    file: `server/integrations/${id}.ts`,
    code: 'const a = 1',
  })
  const result = (change: object = {}): object => ({
    audioUrl: '/api/audio/1',
    transcript: 'there is fresh bread on the table in the kitchen',
    wordErrorRate: 0,
    ms: 1234,
    steps: ['Heard the speech'],
    ...change,
  })
  async function open(): Promise<Stage> {
    service.json('GET /integrations', { integrations: [info('express'), info('nestjs')] })
    for (const id of ['express', 'nestjs']) service.json(`POST /integrations/${id}`, result())
    const stage = renderPanel(Integrations, 'integrations', { service })
    await screen.findByRole('heading', { name: 'NESTJS' })
    await screen.findByRole('button', { name: /^Voice Voice rms/ })
    return stage
  }
  const card = (title: string): HTMLElement => screen.getByRole('article', { name: title })

  test('run one after another on the text, and show what each heard', async () => {
    const { user } = await open()
    await user.click(button('Run all'))
    await screen.findByText('2 of 2 work.')
    const text = 'There is fresh bread on the table in the kitchen.'
    expect(service.last('POST /integrations/nestjs').body).toEqual({ text, voice: 'rms' })
    expect(card('EXPRESS').textContent).toContain('Works, 1.2 s')
    expect(card('EXPRESS').textContent).toContain('Word error rate 0.0 %')
    expect(FakeAudio.made.map(({ src }) => src)).toEqual(['/api/audio/1', '/api/audio/1'])
  })

  test('run alone by their own button, which then runs again', async () => {
    const { user } = await open()
    await user.click(button('Run EXPRESS'))
    await screen.findByRole('button', { name: 'Run again EXPRESS' })
    expect([
      service.bodies('POST /integrations/express').length,
      service.bodies('POST /integrations/nestjs').length,
    ]).toEqual([1, 0])
    expect(card('NESTJS').textContent).toContain('Not run yet')
  })

  test('the integrations that fail say why, and the others run', async () => {
    const { user } = await open()
    service.refuse('POST /integrations/express', 'The upload was cut', 'integration_failed', 502)
    await user.click(button('Run all'))
    await screen.findByText('1 of 2 work, 1 failed.')
    expect(card('EXPRESS').textContent).toContain('The upload was cut.')
    expect(card('NESTJS').textContent).toContain('Works')
  })

  test('stop with the one that runs, and those that wait do not run', async () => {
    const { user } = await open()
    service.hold('POST /integrations/express')
    await user.click(button('Run all'))
    await screen.findByText('Running EXPRESS …')
    expect(card('NESTJS').textContent).toContain('Waiting')
    await waitFor(() => expect(service.bodies('POST /integrations/express')).toHaveLength(1))
    stop()
    expect(service.last('POST /integrations/express').signal?.aborted).toBe(true)
    expect([card('EXPRESS'), card('NESTJS')].map(({ dataset }) => dataset['phase'])).toEqual(['idle', 'idle'])
    expect(service.bodies('POST /integrations/nestjs')).toEqual([])
  })

  test('take up to 300 characters, and say how many are too many', async () => {
    const { user } = await open()
    const area = screen.getByRole('textbox', { name: 'Text' })
    await user.clear(area)
    await user.click(area)
    await user.paste('a'.repeat(303))
    expect(screen.getByText('303 of 300 characters: delete 3')).toBeDefined()
    expect([area.getAttribute('aria-invalid'), button('Run all').disabled, button('Run EXPRESS').disabled]).toEqual([
      'true',
      true,
      true,
    ])
  })

  test('show the code that runs', async () => {
    await open()
    expect(card('EXPRESS').querySelector('details')?.textContent).toContain('const a = 1')
    expect(namesOf('heading', card('EXPRESS'))).toEqual(['EXPRESS'])
  })

  test('the integrations that cannot be listed say why, and can be loaded again', async () => {
    service.refuse('GET /integrations', 'Not now')
    const { user } = renderPanel(Integrations, 'integrations', { service })
    expect(await screen.findByText('Not now.')).toBeDefined()
    service.json('GET /integrations', { integrations: [info('express')] })
    await user.click(button('Retry'))
    await screen.findByRole('heading', { name: 'EXPRESS' })
  })
})
