import { act, fireEvent, render, screen, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import { type ReactElement, useState } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { namesOf } from '../test/names.ts'
import { CopyButton, DownloadButton, RunButton } from './button.tsx'
import { useConfirm } from './dialog.tsx'
import { FileDrop } from './audio-input.tsx'
import { Counter, Field, FormatField, SelectField, SliderField, TextArea } from './form.tsx'
import { tabContentId, Tabs } from './tabs.tsx'

const user = userEvent.setup({ delay: null })

describe('a field', () => {
  test('a field has its label, and its hint describes it', () => {
    render(
      <Field label="Name" hint="As others see it">
        {(ids) => <input {...ids} />}
      </Field>,
    )
    const input = screen.getByRole('textbox', { name: 'Name', description: 'As others see it' })
    expect(input.id).not.toBe('')
  })

  test('a field without a hint is described by nothing', () => {
    render(<Field label="Name">{(ids) => <input {...ids} />}</Field>)
    expect(screen.getByRole('textbox', { name: 'Name' }).hasAttribute('aria-describedby')).toBe(false)
  })

  test('two fields with the same label have ids of their own', () => {
    const name = <Field label="Name">{(ids) => <input {...ids} />}</Field>
    render(
      <>
        {name}
        {name}
      </>,
    )
    const [first, second] = screen.getAllByRole('textbox', { name: 'Name' })
    expect(first?.id).not.toBe(second?.id)
  })

  test('a field of a choice reports the chosen value, and nothing for a value that it does not have', async () => {
    const chosen: string[] = []
    const options = [
      { value: 'a', label: 'First' },
      { value: 'b', label: 'Second' },
    ] as const
    render(<SelectField<'a' | 'b'> label="Which" value="a" options={options} onChange={(to) => chosen.push(to)} />)
    const select = screen.getByRole('combobox', { name: 'Which' })
    await user.selectOptions(select, 'Second')
    expect(chosen).toEqual(['b'])
    // As a script or an extension of the browser may do.
    select.append(Object.assign(document.createElement('option'), { value: 'c', text: 'Third' }))
    await user.selectOptions(select, 'c')
    expect(chosen).toEqual(['b'])
  })

  test('a field of a format offers files only: raw PCM has no player', async () => {
    const onChange = vi.fn<(format: string) => void>()
    render(<FormatField value="mp3" onChange={onChange} />)
    const names = screen.getAllByRole<HTMLOptionElement>('option').map(({ value }) => value)
    expect(names).toEqual(['mp3', 'wav', 'opus', 'flac', 'aac'])
    await user.selectOptions(screen.getByRole('combobox', { name: 'Format' }), 'FLAC')
    expect(onChange).toHaveBeenCalledExactlyOnceWith('flac')
  })

  test('a field of a range says its value in words, and reports numbers', () => {
    const onChange = vi.fn<(value: number) => void>()
    const format = (value: number): string => `${value.toFixed(2)} ×`
    render(<SliderField label="Speed" value={1} min={0.5} max={2} step={0.25} format={format} onChange={onChange} />)
    const slider = screen.getByRole('slider', { name: 'Speed' })
    expect(slider.getAttribute('aria-valuetext')).toBe('1.00 ×')
    expect(screen.getByText('1.00 ×')).toBeDefined()
    expect(slider.getAttribute('value')).toBe('1')
    fireEvent.change(slider, { target: { value: '1.5' } })
    expect(onChange).toHaveBeenCalledExactlyOnceWith(1.5)
  })
})

describe('the text of an editor', () => {
  test('the text of an editor that is longer than the limit is invalid, and is not cut', async () => {
    function Editor(): ReactElement {
      const [text, setText] = useState('abc')
      return <TextArea value={text} limit={4} onChange={setText} />
    }
    render(<Editor />)
    const area = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Text' })
    expect(area.getAttribute('aria-invalid')).toBe('false')
    await user.type(area, 'def')
    expect([area.value, area.getAttribute('aria-invalid')]).toEqual(['abcdef', 'true'])
    await user.clear(area)
    await user.type(area, 'a   ')
    expect(area.getAttribute('aria-invalid')).toBe('false')
  })

  test.each([
    ['', '0 characters'],
    ['a', '1 character'],
    ['ab', '2 characters'],
    ['a'.repeat(5000), '5,000 characters'],
  ])('the text of an editor of a given length is counted in words', (text, expected) => {
    render(<Counter text={text} />)
    expect(screen.getByText(expected)).toBeDefined()
  })
})

describe('the run button', () => {
  const run = vi.fn<() => void>()
  const stop = vi.fn<() => void>()
  const button = (busy: boolean, ready: boolean, hint = false): ReactElement => (
    <RunButton busy={busy} label="Speak" ready={ready} onRun={run} onStop={stop} hint={hint} />
  )

  test('the run button starts, and then is the button that stops', async () => {
    const { rerender } = render(button(false, true))
    await user.click(screen.getByRole('button', { name: 'Speak' }))
    rerender(button(true, true))
    await user.click(screen.getByRole('button', { name: 'Stop' }))
    expect([run.mock.calls.length, stop.mock.calls.length]).toEqual([1, 1])
  })

  test('the run button that is not ready cannot start, but can always stop', () => {
    const { rerender } = render(button(false, false))
    expect(screen.getByRole<HTMLButtonElement>('button').disabled).toBe(true)
    rerender(button(true, false))
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Stop' }).disabled).toBe(false)
  })

  test('the run button shows the keys that do the same, which screen readers skip', () => {
    const { container, rerender } = render(button(false, true, true))
    const keys = (): string[] => Array.from(container.querySelectorAll('kbd'), ({ textContent }) => textContent)
    expect(keys()).toEqual(['Ctrl', 'Enter'])
    rerender(button(true, true, true))
    expect(keys()).toEqual(['Esc'])
    expect(container.querySelector('.key-hint')?.getAttribute('aria-hidden')).toBe('true')
    rerender(button(true, true))
    expect(keys()).toEqual([])
  })
})

describe('tabs', () => {
  function Three(): ReactElement {
    const [selected, select] = useState<'a' | 'b' | 'c'>('a')
    const items = [
      { id: 'a', label: 'One' },
      { id: 'b', label: 'Two', count: 0 },
      { id: 'c', label: 'Three', count: 7 },
    ] as const
    return <Tabs<'a' | 'b' | 'c'> label="Views" prefix="x" items={items} selected={selected} onSelect={select} />
  }
  const selected = (): string[] => screen.getAllByRole('tab', { selected: true }).map((tab) => tab.textContent)

  test.each([
    ['{ArrowRight}', 'Two'],
    ['{ArrowRight}{ArrowRight}{ArrowRight}', 'One'],
    ['{ArrowLeft}', 'Three7'],
    ['{End}', 'Three7'],
    ['{End}{Home}', 'One'],
    ['{End}{ArrowRight}', 'One'],
    ['{ArrowDown}x', 'One'],
  ])('the keys %s select %s, which has the focus', async (keys, expected) => {
    render(<Three />)
    await user.click(screen.getByRole('tab', { name: 'One' }))
    await user.keyboard(keys)
    expect(selected()).toEqual([expected])
    expect(document.activeElement?.textContent).toBe(expected)
  })

  test('tabs only the selected tab is in the tab order, and each names its content', () => {
    render(<Three />)
    const tabs = screen.getAllByRole('tab')
    expect(tabs.map(({ tabIndex }) => tabIndex)).toEqual([0, -1, -1])
    expect(tabs.map((tab) => tab.getAttribute('aria-controls'))).toEqual(
      ['a', 'b', 'c'].map((id) => tabContentId('x', id)),
    )
  })

  test('a count of 0 is not shown', () => {
    render(<Three />)
    expect(screen.getAllByRole('tab').map(({ textContent }) => textContent)).toEqual(['One', 'Two', 'Three7'])
  })
})

describe('a question', () => {
  const confirmed = vi.fn<() => void>()
  function Page(): ReactElement {
    const { ask, dialog } = useConfirm()
    const question = { title: 'Delete a.wav?', text: 'It cannot come back.', action: 'Delete', onConfirm: confirmed }
    return (
      <>
        <button type="button" onClick={() => ask(question)}>
          Ask
        </button>
        {dialog}
      </>
    )
  }
  const dialog = (): HTMLElement | null => screen.queryByRole('dialog', { name: 'Delete a.wav?' })
  async function open(): Promise<HTMLElement> {
    confirmed.mockClear()
    render(<Page />)
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    return screen.getByRole('dialog', { name: 'Delete a.wav?' })
  }

  test('a question is in front of the page, and its harmless button comes first', async () => {
    const shown = await open()
    expect(shown.hasAttribute('open')).toBe(true)
    expect(namesOf('button', shown)).toEqual(['Close', 'Cancel', 'Delete'])
  })

  test.each(['Cancel', 'Close'])('is closed by %s without an effect', async (name) => {
    await open()
    await user.click(screen.getByRole('button', { name }))
    expect(dialog()).toBeNull()
    expect(confirmed).not.toHaveBeenCalled()
  })

  test('a question is closed by Escape and by a click beside it without an effect, and not by a click inside', async () => {
    const shown = await open()
    await user.click(within(shown).getByText('It cannot come back.'))
    expect(dialog()).not.toBeNull()
    // The browser turns Escape into this event.
    fireEvent(shown, new Event('cancel', { cancelable: true }))
    expect(dialog()).toBeNull()
    await user.click(screen.getByRole('button', { name: 'Ask' }))
    await user.click(screen.getByRole('dialog'))
    expect(dialog()).toBeNull()
    expect(confirmed).not.toHaveBeenCalled()
  })

  test('a question that is confirmed closes and acts once', async () => {
    await open()
    await user.click(screen.getByRole('button', { name: 'Delete' }))
    expect(dialog()).toBeNull()
    expect(confirmed).toHaveBeenCalledTimes(1)
  })
})

describe('the copy button', () => {
  test('the copy button copies the text, says so, and is ready again after two seconds', async () => {
    vi.useFakeTimers()
    const write = vi.spyOn(navigator.clipboard, 'writeText').mockResolvedValue()
    render(<CopyButton text="npm install" what="the command" />)
    const button = screen.getByRole('button', { name: 'Copy the command' })
    await act(async () => button.click())
    expect(write).toHaveBeenCalledExactlyOnceWith('npm install')
    expect(screen.getByRole('status').textContent).toBe('Copied the command.')
    await act(() => vi.advanceTimersByTimeAsync(1900))
    expect(screen.queryByText('Copied')).not.toBeNull()
    await act(() => vi.advanceTimersByTimeAsync(200))
    expect(screen.queryByText('Copy')).not.toBeNull()
  })

  test('the copy button says it when the browser does not allow it', async () => {
    vi.spyOn(navigator.clipboard, 'writeText').mockRejectedValue(new DOMException('no', 'NotAllowedError'))
    render(<CopyButton text="a" what="the code" />)
    await user.click(screen.getByRole('button', { name: 'Copy the code' }))
    expect(await screen.findByText('Not allowed')).toBeDefined()
    expect(screen.getByRole('status').textContent).toBe('The browser does not allow the page to copy the code.')
  })
})

describe('the download button', () => {
  test('the download button saves the file under its name, and frees its address later', async () => {
    vi.useFakeTimers()
    const saved: string[] = []
    vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function save(this: HTMLAnchorElement) {
      saved.push(`${this.download} ${this.href}`)
    })
    const address = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:here')
    const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
    const file = new Blob(['RIFF'])
    render(<DownloadButton file={async () => file} name="speech.wav" />)
    await act(async () => screen.getByRole('button', { name: 'Download' }).click())
    expect(address).toHaveBeenCalledExactlyOnceWith(file)
    expect(saved).toEqual(['speech.wav blob:here'])
    expect(revoke).not.toHaveBeenCalled()
    await act(() => vi.advanceTimersByTimeAsync(10_000))
    expect(revoke).toHaveBeenCalledExactlyOnceWith('blob:here')
  })

  test('the download button without a file cannot be pressed', () => {
    render(<DownloadButton file={undefined} name="a.wav" label="SRT" />)
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'SRT' }).disabled).toBe(true)
  })
})

describe('the place for a file', () => {
  const files: string[] = []
  const talk = new File(['RIFF'], 'talk.wav', { type: 'audio/wav' })
  function show(): { zone: Element; input: HTMLInputElement } {
    files.length = 0
    const { container } = render(
      <FileDrop title="Drop a recording here" label="Recording" onFile={({ name }) => files.push(name)}>
        <button type="button">Record</button>
      </FileDrop>,
    )
    const zone = container.querySelector('.drop-zone') ?? container
    return { zone, input: screen.getByLabelText<HTMLInputElement>('Recording') }
  }

  test('the place for a file takes a chosen file, and the same file again', async () => {
    const { input } = show()
    await user.upload(input, talk)
    expect(input.value).toBe('')
    await user.upload(input, talk)
    expect(files).toEqual(['talk.wav', 'talk.wav'])
  })

  test('the place for a file opens the list of files by a button, which the keyboard reaches in its place', async () => {
    const { input } = show()
    const opened = vi.spyOn(input, 'click')
    expect(input.tabIndex).toBe(-1)
    await user.click(screen.getByRole('button', { name: 'Choose a file' }))
    expect(opened).toHaveBeenCalledTimes(1)
    expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Choose a file', 'Record'])
  })

  test('the place for a file shows that a file is over it, and takes the first of the dropped ones', () => {
    const { zone } = show()
    const over = (): string | null => zone.getAttribute('data-over')
    fireEvent.dragOver(zone)
    expect(over()).toBe('true')
    fireEvent.dragLeave(zone)
    expect(over()).toBe('false')
    fireEvent.dragOver(zone)
    fireEvent.drop(zone, { dataTransfer: { files: [talk, new File([''], 'other.wav')] } })
    expect([over(), files]).toEqual(['false', ['talk.wav']])
  })

  test('the place for a file ignores a dropped text', () => {
    const { zone } = show()
    fireEvent.drop(zone, { dataTransfer: { files: [] } })
    expect(files).toEqual([])
  })
})
