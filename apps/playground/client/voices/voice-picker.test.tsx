import { screen, waitFor, within } from '@testing-library/react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { Compared, compareTexts } from '../components/comparison.tsx'
import { Table } from '../components/lists.tsx'
import { Facts, FailureBox } from '../components/states.tsx'
import type { Failure } from '../lib/calls.ts'
import { FakeAudio } from '../test/fake-audio.ts'
import { FakeService } from '../test/fake-service.ts'
import { announced, button, namesOf } from '../test/names.ts'
import { renderPart, type Stage } from '../test/render-panel.tsx'
import { nameOf, reloadVoices } from './use-voices.ts'
import { hueOf, VoicePicker } from './voice-picker.tsx'

const chosen: string[] = []
let service: FakeService
beforeEach(() => {
  chosen.length = 0
  service = new FakeService().voices('rms', 'slt', 'kal')
})

describe('the picker of a voice', () => {
  const show = (value: string): Stage =>
    renderPart(<VoicePicker value={value} onChange={(id) => chosen.push(id)} />, { service })
  async function open(value = 'rms'): Promise<{ stage: Stage; dialog: HTMLElement }> {
    const stage = show(value)
    await screen.findByText('Voice rms')
    await stage.user.click(button(/^Voice/))
    return { stage, dialog: screen.getByRole('dialog', { name: 'Choose a voice' }) }
  }
  const listed = (dialog: HTMLElement): string[] =>
    Array.from(dialog.querySelectorAll('.voice-choice .voice-id'), ({ textContent }) => textContent)

  test('names the chosen voice, and the first one until a voice is chosen', async () => {
    show('')
    expect(button('Voice Default voice')).toBeDefined()
    expect(await screen.findByRole('button', { name: 'Voice Voice rms' })).toBeDefined()
  })

  test('names a voice that the service no longer has by its id', async () => {
    show('voice_gone')
    await waitFor(() => expect(service.sent).toHaveLength(1))
    expect(await screen.findByRole('button', { name: 'Voice voice_gone' })).toBeDefined()
  })

  test('lists every voice with a preview, and marks the chosen one', async () => {
    const { dialog } = await open()
    expect(listed(dialog)).toEqual(['rms', 'slt', 'kal'])
    expect(within(dialog).getAllByRole('button', { name: /^Play a preview of / })).toHaveLength(3)
    const pressed = within(dialog).getAllByRole('button', { pressed: true })
    expect(pressed.map(({ textContent }) => textContent)).toEqual(['Voice rmsrms'])
  })

  test('the picker of a voice is searched by name and by id, in any case, and says when nothing is found', async () => {
    const { stage, dialog } = await open()
    const search = within(dialog).getByRole('searchbox', { name: 'Search the voices' })
    await stage.user.type(search, ' VOICE k ')
    expect(listed(dialog)).toEqual(['kal'])
    await stage.user.clear(search)
    await stage.user.type(search, 'zzz')
    expect([listed(dialog), within(dialog).getByText('No voice has this name.').tagName]).toEqual([[], 'P'])
  })

  test('the focus begins in the search, the arrow keys reach each voice, and a letter continues the search', async () => {
    const { stage, dialog } = await open()
    const search = within(dialog).getByRole('searchbox', { name: 'Search the voices' })
    const focused = (): string => document.activeElement?.querySelector('.voice-id')?.textContent ?? ''
    expect(document.activeElement).toBe(search)
    const seen: string[] = []
    for (const key of ['ArrowDown', 'ArrowDown', 'End', 'ArrowDown', 'ArrowUp', 'Home']) {
      await stage.user.keyboard(`{${key}}`)
      seen.push(focused())
    }
    expect(seen).toEqual(['rms', 'slt', 'kal', 'kal', 'slt', 'rms'])
    await stage.user.keyboard('k')
    expect([document.activeElement, listed(dialog)]).toEqual([search, ['kal']])
    await stage.user.keyboard('{Enter}')
    expect(chosen).toEqual(['kal'])
  })

  test('voices can be filtered by language, gender and engine, and found by their description', async () => {
    const voice = (id: string, language: string, more: object = {}): object => {
      return { id, object: 'audio.voice', name: id, created_at: 0, language, ...more }
    }
    const data = [
      voice('anna', 'de', { gender: 'female', engine: 'espeak-ng' }),
      voice('both', 'en', { languages: ['de', 'en'], description: 'Warm and slow' }),
      voice('tom', 'en', { gender: 'male', engine: 'flite' }),
    ]
    service.json('GET /v1/audio/voices', { object: 'list', data, has_more: false })
    const stage = show('tom')
    await screen.findByRole('button', { name: 'Voice tom' })
    await stage.user.click(button(/^Voice/))
    const dialog = screen.getByRole('dialog', { name: 'Choose a voice' })
    const language = within(dialog).getByRole('combobox', { name: 'Language' })
    expect(namesOf('option', language)).toEqual(['All', 'German', 'English'])
    await stage.user.selectOptions(language, 'German')
    expect(listed(dialog)).toEqual(['anna', 'both'])
    await stage.user.type(within(dialog).getByRole('searchbox'), 'warm')
    expect(listed(dialog)).toEqual(['both'])
    await stage.user.clear(within(dialog).getByRole('searchbox'))
    await stage.user.selectOptions(language, 'All')
    const gender = within(dialog).getByRole('combobox', { name: 'Gender' })
    expect(namesOf('option', gender)).toEqual(['All', 'Female', 'Male'])
    await stage.user.selectOptions(gender, 'Male')
    expect(listed(dialog)).toEqual(['tom'])
    await stage.user.selectOptions(gender, 'All')
    const engine = within(dialog).getByRole('combobox', { name: 'Engine' })
    expect(namesOf('option', engine)).toEqual(['All', 'espeak-ng', 'flite'])
    await stage.user.selectOptions(engine, 'espeak-ng')
    expect(listed(dialog)).toEqual(['anna'])
  })

  test('voices of one language and one gender have no filter', async () => {
    const { dialog } = await open()
    expect(within(dialog).queryByRole('combobox')).toBeNull()
  })

  test('the arrow keys play the voice that they rest on, and the next one stops it, if the user wants that', async () => {
    const original = Object.getOwnPropertyDescriptor(Element.prototype, 'matches')?.value
    vi.spyOn(Element.prototype, 'matches').mockImplementation(function byKeys(this: Element, selector) {
      return selector === ':focus-visible' || Reflect.apply(original, this, [selector])
    })
    service.audio('POST /v1/audio/speech')
    const { stage, dialog } = await open()
    const previewed = (): unknown[] => service.bodies('POST /v1/audio/speech').map(({ voice_id }) => voice_id)
    await stage.user.keyboard('{ArrowDown}{ArrowDown}')
    await waitFor(() => expect(previewed()).toEqual(['slt']))
    await waitFor(() => expect(FakeAudio.latest().paused).toBe(false))
    await stage.user.click(within(dialog).getByRole('checkbox', { name: /^Hear each voice/ }))
    expect(FakeAudio.latest().paused).toBe(true)
    await stage.user.click(within(dialog).getByRole('searchbox'))
    await stage.user.keyboard('{ArrowDown}')
    await new Promise((resolve) => setTimeout(resolve, 500))
    expect(previewed()).toEqual(['slt'])
  })

  test('favourites come first, also the next time', async () => {
    const { stage, dialog } = await open()
    await stage.user.click(within(dialog).getByRole('button', { name: 'Favourite: Voice kal' }))
    expect(listed(dialog)).toEqual(['kal', 'rms', 'slt'])
    await stage.user.click(within(dialog).getByRole('button', { name: 'Close' }))
    await stage.user.click(button(/^Voice/))
    const again = screen.getByRole('dialog', { name: 'Choose a voice' })
    expect(listed(again)).toEqual(['kal', 'rms', 'slt'])
    await stage.user.click(within(again).getByRole('button', { name: 'Favourite: Voice kal' }))
    expect(listed(again)).toEqual(['rms', 'slt', 'kal'])
  })

  test('the picker of a voice closes with the choice, and without one changes nothing', async () => {
    const { stage, dialog } = await open()
    await stage.user.click(within(dialog).getByRole('button', { name: 'Close' }))
    expect([screen.queryByRole('dialog'), chosen]).toEqual([null, []])
    await stage.user.click(button(/^Voice/))
    await stage.user.click(screen.getByRole('button', { name: /^Voice kal/ }))
    expect([screen.queryByRole('dialog'), chosen]).toEqual([null, ['kal']])
  })

  test('the picker of a voice has a new voice as soon as it is made', async () => {
    const { dialog } = await open()
    service.voices('rms', 'voice_new')
    reloadVoices()
    await waitFor(() => expect(listed(dialog)).toEqual(['rms', 'voice_new']))
  })

  test('the picker of a voice keeps the voices that it has when they cannot be loaded again', async () => {
    const { dialog } = await open()
    service.refuse('GET /v1/audio/voices', 'Not now')
    reloadVoices()
    await within(dialog).findByText('Not now.')
    expect(listed(dialog)).toEqual(['rms', 'slt', 'kal'])
  })
})

describe('a table', () => {
  test('names each row by its first cell, and the keyboard can scroll it', () => {
    const columns = [
      { title: 'Name', cell: (row: string) => row },
      { title: 'Length', cell: (row: string) => row.length, numeric: true },
    ]
    renderPart(<Table label="Words" columns={columns} rows={['one', 'three']} keyOf={(row) => row} />)
    expect(screen.getByRole('region', { name: 'Words' }).tabIndex).toBe(0)
    expect([namesOf('columnheader'), namesOf('rowheader'), namesOf('cell')]).toEqual([
      ['Name', 'Length'],
      ['one', 'three'],
      ['3', '5'],
    ])
  })
})

describe('a failure', () => {
  const FAILURE: Failure = { message: 'Too long.', code: 'invalid_range', requestId: 'req_1', lost: false }

  test('a failure is announced: its region is there before it', () => {
    renderPart(<FailureBox failure={undefined} />)
    expect(screen.getByRole('alert').textContent).toBe('')
  })

  test('a failure has its code and the id of its request, for a report', () => {
    renderPart(<FailureBox failure={FAILURE} />)
    expect(announced()).toBe('Too long.invalid_range · req_1')
    expect(screen.queryByRole('button')).toBeNull()
  })

  test('a failure has a Retry button where it can be retried', async () => {
    const retry = vi.fn<() => void>()
    const { user } = renderPart(<FailureBox failure={{ ...FAILURE, code: undefined }} onRetry={retry} />)
    await user.click(button('Retry'))
    expect([retry.mock.calls.length, announced()]).toEqual([1, 'Too long.req_1Retry'])
  })
})

describe('a measured value', () => {
  test('a measured value is a dash until it is measured, and has the tone of its quality', () => {
    renderPart(
      <Facts
        facts={[
          { name: 'Time', value: undefined },
          { name: 'Errors', value: '3 %', tone: 'good' },
        ]}
      />,
    )
    const values = screen.getAllByRole('definition')
    expect(values.map(({ textContent, dataset }) => [textContent, dataset['tone']])).toEqual([
      ['–', undefined],
      ['3 %', 'good'],
    ])
  })
})

describe('a compared transcript', () => {
  const shown = (said: string, heard: string): (string | null)[] => {
    renderPart(<Compared comparison={compareTexts(said, heard)} />)
    return Array.from(document.querySelectorAll('del, ins'), ({ tagName, textContent }) => `${tagName} ${textContent}`)
  }

  test.each([
    ['a word that is missing', 'one two three', 'one three', ['DEL two']],
    ['a word too many', 'one three', 'one two three', ['INS two']],
    ['a wrong word', 'one two', 'one too', ['DEL two', 'INS too']],
    ['the same words', 'One, two.', 'one two', []],
  ])('marks %s', (_case, said, heard, marks) => {
    expect(shown(said, heard)).toEqual(marks)
  })
})

const VOICE = { id: 'voice_1', object: 'audio.voice', name: 'Ann', created_at: 1 } as const

test('a voice without a name is called by its id', () => {
  expect(nameOf(VOICE)).toBe('Ann')
  expect(nameOf({ ...VOICE, name: '' })).toBe('voice_1')
})

test('a colour is one of eight, always the same, and ids differ in it', () => {
  const ids = Array.from({ length: 200 }, (_, index) => `voice_${index}`)
  const hues = ids.map(hueOf)
  expect(ids.map(hueOf)).toEqual(hues)
  expect(new Set(hues)).toEqual(new Set([0, 1, 2, 3, 4, 5, 6, 7]))
})

test('an id outside of ASCII, or an empty one, has a colour too', () => {
  for (const id of ['', '语音', '🎧']) expect([0, 1, 2, 3, 4, 5, 6, 7]).toContain(hueOf(id))
})
