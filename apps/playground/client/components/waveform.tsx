import { type MouseEvent, type ReactElement, useLayoutEffect, useRef, useState } from 'react'
import { barsOf, type Levels, viewOf } from '../audio/levels.ts'
import { formatClock } from '../lib/format.ts'

const HEIGHT = 72
/** Pixels from bar to bar. */
const STEP = 5
/** Levels below this value are drawn as silence. */
const QUIET = 0.04

/** Options of {@link Waveform}. */
export interface WaveformProps {
  readonly levels: Levels | undefined
  /** Seconds. */
  readonly position: number
  /** Seconds. */
  readonly duration: number
  /** Moves to a position. The seek slider does the same for the keyboard. */
  readonly onSeek?: (seconds: number) => void
}

/**
 * The waveform of audio, with its played part in colour. Of a long audio it shows the page around the position. It is
 * decorative: the slider and the times beside it are text.
 */
export function Waveform({ levels, position, duration, onSeek }: WaveformProps): ReactElement {
  const [box, width] = useWidth()
  const view = viewOf(position, duration)
  const count = Math.max(20, Math.floor(width / STEP))
  const bars = levels === undefined ? Array.from({ length: count }, () => 0) : barsOf(levels, view, count)
  // Scaled to the full height: it shows the shape.
  const loudest = bars.reduce((most, bar) => Math.max(most, bar), QUIET)
  const path = bars.map((bar, index) => drawBar(bar / loudest, index)).join('')
  const span = view.to - view.from
  const played = span <= 0 ? 0 : Math.max(0, Math.min(1, (position - view.from) / span))
  const seek = (event: MouseEvent<HTMLDivElement>): void => {
    const { left, width: wide } = event.currentTarget.getBoundingClientRect()
    onSeek?.(Math.min(duration, view.from + ((event.clientX - left) / wide) * span))
  }
  return (
    // The slider is the control for the keyboard and for screen readers.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className="waveform" aria-hidden="true" ref={box} onClick={seek} data-idle={duration === 0}>
      <svg viewBox={`0 0 ${count * STEP} ${HEIGHT}`} preserveAspectRatio="none">
        <path className="waveform-all" d={path} />
        <path className="waveform-played" d={path} style={{ clipPath: `inset(0 ${100 - played * 100}% 0 0)` }} />
      </svg>
      {span > 0 && span < duration && (
        <span className="waveform-view">
          {formatClock(view.from)} – {formatClock(Math.min(view.to, duration))}
        </span>
      )}
    </div>
  )
}

function drawBar(height: number, index: number): string {
  const half = Math.max(1, (height * (HEIGHT - 4)) / 2)
  const x = index * STEP + STEP / 2
  return `M${x} ${(HEIGHT / 2 - half).toFixed(1)}V${(HEIGHT / 2 + half).toFixed(1)}`
}

function useWidth(): [ref: (element: HTMLDivElement | null) => void, width: number] {
  const [element, setElement] = useState<HTMLDivElement | null>(null)
  const [width, setWidth] = useState(480)
  const observer = useRef<ResizeObserver>(undefined)
  useLayoutEffect(() => {
    if (element === null) return undefined
    observer.current = new ResizeObserver(([entry]) => {
      if (entry !== undefined && entry.contentRect.width > 0) setWidth(entry.contentRect.width)
    })
    observer.current.observe(element)
    return () => observer.current?.disconnect()
  }, [element])
  return [setElement, width]
}
