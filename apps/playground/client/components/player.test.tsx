import { act, fireEvent, render, screen, waitFor, within } from '@testing-library/react'
import { userEvent } from '@testing-library/user-event'
import type { ReactElement } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { MediaPlayer, type Player, type PlayerState, volume } from '../audio/player.ts'
import { createStore, readStored } from '../lib/store.ts'
import { stopAll } from '../shell/panel-context.ts'
import { FakeAudio } from '../test/fake-audio.ts'
import { button } from '../test/names.ts'
import { LevelMeter } from './audio-input.tsx'
import { PlayerBar, useMediaPlayer } from './player-bar.tsx'

const user = userEvent.setup({ delay: null })

class TestPlayer implements Player {
  readonly calls: string[] = []
  readonly state = createStore<PlayerState>({
    status: 'paused',
    position: 3,
    duration: 10,
    open: false,
    levels: undefined,
  })
  refuses = false

  async play(): Promise<void> {
    this.calls.push('play')
    if (this.refuses) throw new DOMException('no', 'NotSupportedError')
    this.set({ status: 'playing' })
  }
  pause(): void {
    this.calls.push('pause')
    this.set({ status: 'paused' })
  }
  seek(seconds: number): void {
    this.calls.push(`seek ${seconds}`)
  }
  close(): void {}
  set(change: Partial<PlayerState>): void {
    this.state.set({ ...this.state.get(), ...change })
  }
}

describe('the bar of a player', () => {
  let player: TestPlayer
  beforeEach(() => {
    player = new TestPlayer()
  })
  const show = (): HTMLElement => render(<PlayerBar player={player} label="the speech" />).container
  /** The screen follows with the next animation frame. */
  const set = (change: Partial<PlayerState>): Promise<void> =>
    act(async () => {
      player.set(change)
      await new Promise(requestAnimationFrame)
    })
  const seek = (): HTMLInputElement => screen.getByRole<HTMLInputElement>('slider', { name: 'Position in the speech' })

  test('the bar of a player plays and pauses with one button, whose name says what it does', async () => {
    show()
    await user.click(button('Play the speech'))
    await user.click(button('Pause the speech'))
    expect(player.calls).toEqual(['play', 'pause'])
    expect(button('Play the speech').disabled).toBe(false)
  })

  test('the bar of a player can pause a player that waits for audio', async () => {
    show()
    await set({ status: 'waiting', duration: 0, open: true })
    expect(button('Pause the speech').disabled).toBe(false)
    await user.click(button('Pause the speech'))
    expect(player.calls).toEqual(['pause'])
  })

  test('the bar of a player without audio can neither play nor seek', () => {
    render(<PlayerBar player={undefined} label="the speech" />)
    expect([button('Play the speech').disabled, seek().disabled]).toEqual([true, true])
  })

  test('the bar of a player says its position in words, and that more may come', async () => {
    const container = show()
    expect(seek().getAttribute('aria-valuetext')).toBe('0:03 of 0:10')
    await set({ position: 65, duration: 125, open: true })
    expect(seek().getAttribute('aria-valuetext')).toBe('1:05 of 2:05')
    const clocks = Array.from(container.querySelectorAll('.clock'), ({ textContent }) => textContent)
    expect(clocks).toEqual(['1:05', '2:05 …'])
  })

  test.each([
    ['ArrowRight', 'seek 4'],
    ['ArrowUp', 'seek 4'],
    ['ArrowLeft', 'seek 2'],
    ['ArrowDown', 'seek 2'],
    ['PageUp', 'seek 10'],
    ['PageDown', 'seek 0'],
    ['Home', 'seek 0'],
    ['End', 'seek 10'],
  ])('the key %s means %s, inside of the audio', (key, expected) => {
    show()
    const handled = !fireEvent.keyDown(seek(), { key })
    expect([player.calls, handled]).toEqual([[expected], true])
  })

  test('other keys keep their meaning', () => {
    show()
    expect(fireEvent.keyDown(seek(), { key: 'Tab' })).toBe(true)
    expect(player.calls).toEqual([])
  })

  test('the bar of a player seeks as its slider is dragged', () => {
    show()
    fireEvent.change(seek(), { target: { value: '7.25' } })
    expect(player.calls).toEqual(['seek 7.25'])
  })

  test('the bar of a player says that the browser cannot play the format, until the next try', async () => {
    show()
    player.refuses = true
    await user.click(button('Play the speech'))
    expect((await screen.findByRole('alert')).textContent).toMatch(/cannot play the format. Download/)
    player.refuses = false
    await user.click(button('Play the speech'))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  test('the bar of a player says at once that the browser cannot play the audio', async () => {
    show()
    act(() => player.set({ duration: 0, fault: 'This browser cannot play the format.' }))
    expect((await screen.findByRole('alert')).textContent).toBe('This browser cannot play the format.')
  })

  test('the bar of a player mutes, and comes back with the volume from before', async () => {
    show()
    fireEvent.change(screen.getByRole('slider', { name: 'Volume' }), { target: { value: '0.4' } })
    expect(screen.getByRole('slider', { name: 'Volume' }).getAttribute('aria-valuetext')).toBe('40 percent')
    await user.click(button('Mute'))
    expect(volume.get()).toBe(0)
    await user.click(button('Unmute'))
    expect(volume.get()).toBe(0.4)
    expect(readStored('volume', 1)).toBe(0.4)
  })

  test('the bar of a player of a list has no waveform and no volume', () => {
    const { container } = render(<PlayerBar player={player} label="the speech" compact />)
    expect(container.querySelector('.waveform')).toBeNull()
    expect(screen.queryByRole('slider', { name: 'Volume' })).toBeNull()
  })
})

describe('the waveform', () => {
  test('the waveform is the slider of the player: there is one, over the picture and what stands below it', () => {
    const { container } = render(<PlayerBar player={new TestPlayer()} label="the speech" under={<p>Who speaks</p>} />)
    const track = container.querySelector<HTMLElement>('.player-track') ?? container
    expect(within(track).getByText('Who speaks')).toBeDefined()
    expect(screen.getAllByRole('slider', { name: 'Position in the speech' })).toHaveLength(1)
    expect(within(track).getByRole('slider', { name: 'Position in the speech' })).toBeDefined()
    expect(track.querySelector('.waveform')?.getAttribute('aria-hidden')).toBe('true')
  })

  test('the waveform has the part that was played in colour', () => {
    const player = new TestPlayer()
    player.state.set({ ...player.state.get(), position: 1, duration: 4 })
    const { container } = render(<PlayerBar player={player} label="the speech" />)
    const drawing = container.querySelector<SVGElement>('.waveform')
    expect(drawing?.style.getPropertyValue('--played')).toBe('25%')
  })
})

describe('the meter of the microphone', () => {
  test.each([
    [0, 'silent', '-60'],
    [1, '0 decibels', '0'],
    [0.1, '-20 decibels', '-20'],
    [0.000_01, '-60 decibels', '-60'],
    [4, '0 decibels', '0'],
  ])('a loudness of %d is %s', (rms, text, now) => {
    render(<LevelMeter label="Level" level={{ rms, peak: rms }} />)
    const meter = screen.getByRole('meter', { name: 'Level' })
    expect([meter.getAttribute('aria-valuetext'), meter.getAttribute('aria-valuenow')]).toEqual([text, now])
  })
})

describe('a player of files', () => {
  const wav = new Blob(['RIFF'], { type: 'audio/wav' })

  test('a player of files plays, and notes its state from the audio alone', async () => {
    const player = new MediaPlayer(wav)
    expect(player.state.get()).toMatchObject({ status: 'paused', duration: 0 })
    await player.play()
    expect(player.state.get()).toMatchObject({ status: 'playing', duration: 4 })
    FakeAudio.latest().finish()
    expect(player.state.get()).toMatchObject({ status: 'ended', position: 4 })
    player.close()
  })

  test('waits while the browser has too little to play', async () => {
    const player = new MediaPlayer('/api/audio/1')
    await player.play()
    FakeAudio.latest().readyState = 2
    FakeAudio.latest().emit('waiting')
    expect(player.state.get().status).toBe('waiting')
    player.close()
  })

  test('a player of files is the only one that is heard', async () => {
    const [first, second] = [new MediaPlayer(wav), new MediaPlayer(wav)]
    await first.play()
    await second.play()
    expect([first.state.get().status, second.state.get().status]).toEqual(['paused', 'playing'])
    first.close()
    second.close()
  })

  test('a player of files is paused by Escape, and has nothing to stop after its end', async () => {
    const player = new MediaPlayer(wav)
    await player.play()
    expect(stopAll()).toBe(true)
    expect(player.state.get().status).toBe('paused')
    await player.play()
    FakeAudio.latest().finish()
    expect(stopAll()).toBe(false)
    player.close()
  })

  test('a player of files follows the volume of the page until it is closed', () => {
    volume.set(0.5)
    const player = new MediaPlayer(wav)
    expect(FakeAudio.latest().volume).toBe(0.5)
    volume.set(0.25)
    expect(FakeAudio.latest().volume).toBe(0.25)
    player.close()
    volume.set(1)
    expect(FakeAudio.latest().volume).toBe(0.25)
  })

  test('a player of files frees its bytes when it is closed', () => {
    const address = vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:speech')
    const revoke = vi.spyOn(URL, 'revokeObjectURL').mockReturnValue()
    const player = new MediaPlayer(wav)
    expect([address.mock.calls.length, FakeAudio.latest().src]).toEqual([1, 'blob:speech'])
    player.close()
    expect(revoke).toHaveBeenCalledExactlyOnceWith('blob:speech')
    expect(FakeAudio.latest().src).toBe('')
  })

  test('a player of files draws a waveform of what the browser can decode', async () => {
    const decodeAudioData = async (): Promise<object> => ({
      getChannelData: () => new Float32Array(1600).fill(0.5),
      sampleRate: 16_000,
      duration: 0.1,
    })
    vi.stubGlobal(
      'OfflineAudioContext',
      class {
        readonly decodeAudioData = decodeAudioData
      },
    )
    const player = new MediaPlayer(wav)
    await waitFor(() => expect(player.state.get().levels?.length).toBe(2))
    expect([player.state.get().levels?.at(0), player.state.get().duration]).toEqual([0.5, 0.1])
    player.close()
  })

  test('a player of files does not decode a file that would fill the memory', () => {
    const Context = vi.fn<() => void>()
    vi.stubGlobal('OfflineAudioContext', Context)
    const large = new Blob([new Uint8Array(12_000_001)])
    new MediaPlayer(large).close()
    expect(Context).not.toHaveBeenCalled()
  })

  test('a player of files of a component is closed with it, and with the next source', () => {
    function Bar({ source }: { readonly source: Blob | undefined }): ReactElement {
      return <PlayerBar player={useMediaPlayer(source)} label="it" compact />
    }
    const { rerender, unmount } = render(<Bar source={wav} />)
    const first = FakeAudio.latest()
    rerender(<Bar source={new Blob(['other'])} />)
    expect([first.src, FakeAudio.made.length]).toEqual(['', 2])
    rerender(<Bar source={undefined} />)
    expect([FakeAudio.latest().src, button('Play it').disabled]).toEqual(['', true])
    rerender(<Bar source={wav} />)
    unmount()
    expect(FakeAudio.made.map(({ src }) => src)).toEqual(['', '', ''])
  })
})
