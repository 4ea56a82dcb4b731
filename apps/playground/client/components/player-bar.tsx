import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { MediaPlayer, type Player, type PlayerState, UNPLAYABLE, volume } from '../audio/player.ts'
import { failureOf } from '../lib/calls.ts'
import { formatClock } from '../lib/format.ts'
import { createStore, subscribeFrames, useFrames, useStore } from '../lib/store.ts'
import { Icon, IconButton } from './button.tsx'
import { waveformPath } from '../audio/pcm.ts'

/** Plays audio: play and pause, seek by click, drag and keys, volume. One clock, one position: the waveform is the slider. */
export function PlayerBar(props: {
  /** `undefined` shows an empty bar, so that nothing moves when audio comes. */
  readonly player: Player | undefined
  /** What plays, for screen readers, e.g. `the speech`. */
  readonly label: string
  /** Buttons at the end, e.g. a download. */
  readonly children?: ReactNode
  /** Below the waveform, on the same scale: e.g. who speaks when. */
  readonly under?: ReactNode
  /** A bar without a waveform, for lists. */
  readonly compact?: boolean
}): ReactElement {
  const { player, label, children, under, compact = false } = props
  const state = stateOf(player)
  const [refusal, setRefusal] = useState<string>()
  const playing = useFrames(state, ({ status }) => status === 'playing' || status === 'waiting')
  const empty = useFrames(state, ({ duration }) => duration === 0)
  const fault = useFrames(state, (now) => now.fault ?? '')
  const toggle = (): void => {
    setRefusal(undefined)
    if (playing) player?.pause()
    else player?.play().catch((error: unknown) => setRefusal(refusalOf(error)))
  }
  const seek = <Seek state={state} label={label} empty={empty} onSeek={(seconds) => player?.seek(seconds)} />
  return (
    <div className="player grid gap-3 slim" data-compact={compact} role="group" aria-label={`Player of ${label}`}>
      {!compact && (
        <div className="player-track grid gap-2">
          <Waveform state={state} />
          {under}
          {seek}
        </div>
      )}
      <div className="player-controls row gap-3 slim">
        <button
          type="button"
          className="player-toggle"
          disabled={empty && !playing}
          onClick={toggle}
          aria-label={`${playing ? 'Pause' : 'Play'} ${label}`}
        >
          <Icon name={playing ? 'pause' : 'play'} />
        </button>
        <Clock state={state} select={({ position }) => formatClock(position)} />
        {compact ? seek : <span className="faint">/</span>}
        <Clock
          state={state}
          select={({ duration, open }) => formatClock(duration) + (open && duration > 0 ? ' …' : '')}
        />
        {!compact && <Volume />}
        {children}
      </div>
      {(refusal ?? fault) !== '' && (
        <p className="hint" role="alert">
          {refusal ?? fault}
        </p>
      )}
    </div>
  )
}

function refusalOf(error: unknown): string {
  if (error instanceof DOMException) return `${UNPLAYABLE} Download the file.`
  return failureOf(error).message
}

function Clock(props: {
  readonly state: Player['state']
  readonly select: (state: PlayerState) => string
}): ReactElement {
  return <span className="clock">{useFrames(props.state, props.select)}</span>
}

/** Places of the slider. More cannot be seen. */
const PLACES = 500

function Seek(props: {
  readonly state: Player['state']
  readonly label: string
  readonly empty: boolean
  readonly onSeek: (seconds: number) => void
}): ReactElement {
  const { state, label, empty, onSeek } = props
  // The length of a stream grows with every chunk. Tenths of a second are enough until it is complete.
  const max = useFrames(state, ({ duration, open }) => (open ? Math.ceil(duration * 10) / 10 : duration))
  const place = useFrames(state, ({ position }) => (max === 0 ? 0 : Math.round((position / max) * PLACES)))
  const text = useFrames(state, ({ position, duration }) => `${formatClock(position)} of ${formatClock(duration)}`)
  return (
    <input
      type="range"
      className="player-seek grow"
      aria-label={`Position in ${label}`}
      aria-valuetext={text}
      min={0}
      max={Math.max(max, 0.01)}
      step={0.01}
      value={(Math.min(place, PLACES) / PLACES) * max}
      disabled={empty}
      onChange={(event) => onSeek(event.target.valueAsNumber)}
      // The browser's steps are hundredths of a second.
      onKeyDown={(event) => {
        const step = STEPS[event.key]
        if (step === undefined) return
        event.preventDefault()
        const { position, duration } = state.get()
        onSeek(Math.max(0, Math.min(duration, position + step)))
      }}
    />
  )
}

/** Seconds that a key moves. Chromium itself does not move this slider by Home and End. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowDown: -1,
  ArrowRight: 1,
  ArrowUp: 1,
  PageDown: -10,
  PageUp: 10,
  Home: -Infinity,
  End: Infinity,
}

function Volume(): ReactElement {
  const value = useStore(volume)
  const [before, setBefore] = useState(1)
  const mute = (): void => {
    if (value > 0) setBefore(value)
    volume.set(value > 0 ? 0 : before)
  }
  return (
    <div className="player-volume row">
      <IconButton icon={value > 0 ? 'volume' : 'muted'} label={value > 0 ? 'Mute' : 'Unmute'} onClick={mute} />
      <input
        type="range"
        aria-label="Volume"
        min={0}
        max={1}
        step={0.05}
        value={value}
        aria-valuetext={`${Math.round(value * 100)} percent`}
        onChange={(event) => volume.set(event.target.valueAsNumber)}
      />
    </div>
  )
}

/** The waveform of audio, with its played part in colour. The slider over it says the position, and moves it. */
function Waveform({ state }: { readonly state: Player['state'] }): ReactElement {
  const drawing = useRef<SVGSVGElement>(null)
  useEffect(() => (drawing.current === null ? undefined : keepDrawn(drawing.current, state)), [state])
  return (
    <svg ref={drawing} className="waveform" aria-hidden="true">
      <path />
      <path className="waveform-played" />
      <rect />
    </svg>
  )
}

/**
 * Draws now and after each visible change. React takes no part: a stream changes the picture with every animation
 * frame. @returns a function that ends it
 */
function keepDrawn(svg: SVGSVGElement, state: Player['state']): () => void {
  let drawn = ''
  const draw = (): void => {
    const { clientWidth: width, clientHeight: height } = svg
    const { levels, position, duration } = state.get()
    svg.style.setProperty('--played', `${duration === 0 ? 0 : Math.min(100, (position / duration) * 100)}%`)
    const change = [width, levels?.length, duration].join()
    if (width === 0 || change === drawn) return
    drawn = change
    const path = waveformPath(levels, duration, width, height)
    for (const part of svg.querySelectorAll('path')) part.setAttribute('d', path)
  }
  const size = new ResizeObserver(draw)
  size.observe(svg)
  const end = subscribeFrames(state, draw)
  draw()
  return () => {
    end()
    size.disconnect()
  }
}

const NO_AUDIO = createStore<PlayerState>({
  status: 'paused',
  position: 0,
  duration: 0,
  open: false,
  levels: undefined,
})

/** The state of a player. Without a player: paused, and without audio. */
export function usePlayerState(player: Player | undefined): PlayerState {
  return useStore(stateOf(player))
}

/** The store of a player's state. Without a player: paused, and without audio. */
export function stateOf(player: Player | undefined): Player['state'] {
  return player?.state ?? NO_AUDIO
}

/** A player for bytes or an address. `undefined` without a source. The player of the last source is closed. */
export function useMediaPlayer(source: Blob | string | undefined): Player | undefined {
  const [player, setPlayer] = useState<MediaPlayer>()
  useEffect(() => {
    if (source === undefined) {
      setPlayer(undefined)
      return undefined
    }
    const made = new MediaPlayer(source)
    setPlayer(made)
    return () => {
      made.close()
      setPlayer(undefined)
    }
  }, [source])
  return player
}
