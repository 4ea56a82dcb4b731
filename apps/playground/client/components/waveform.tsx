import { type MouseEvent, type ReactElement, useEffect, useRef } from 'react'
import { drawWaveform } from '../audio/draw-waveform.ts'
import { type View, viewOf } from '../audio/levels.ts'
import type { Player, PlayerState } from '../audio/player.ts'
import { subscribeAppearance } from '../lib/appearance.ts'
import { formatClock } from '../lib/format.ts'
import { subscribeFrames, useFrames } from '../lib/frames.ts'

/** Options of {@link Waveform}. */
export interface WaveformProps {
  /** Of the player. */
  readonly state: Player['state']
  /** Moves to a position. The seek slider does the same for the keyboard. */
  readonly onSeek: (seconds: number) => void
}

/**
 * The waveform of audio, with its played part in colour. Of a long audio it shows the page around the position. It is
 * decorative: the slider and the times beside it are text.
 */
export function Waveform({ state, onSeek }: WaveformProps): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => (canvas.current === null ? undefined : keepDrawn(canvas.current, state)), [state])
  const idle = useFrames(state, ({ duration }) => duration === 0)
  const page = useFrames(state, pageText)
  const seek = (event: MouseEvent<HTMLDivElement>): void => {
    const { position, duration } = state.get()
    const view = viewOf(position, duration)
    const { left, width } = event.currentTarget.getBoundingClientRect()
    onSeek(Math.min(duration, view.from + ((event.clientX - left) / width) * (view.to - view.from)))
  }
  return (
    // The slider is the control for the keyboard and for screen readers.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className="waveform" aria-hidden="true" onClick={seek} data-idle={idle}>
      <canvas ref={canvas} />
      {page !== '' && <span className="waveform-view">{page}</span>}
    </div>
  )
}

/** The part of the audio on the screen, if it is not all of it. */
function pageText({ position, duration }: PlayerState): string {
  const { from, to } = viewOf(position, duration)
  if (to <= from || to - from >= duration) return ''
  return `${formatClock(from)} – ${formatClock(Math.min(to, duration))}`
}

/**
 * Draws now and after each visible change. React takes no part: a stream changes the picture with every animation
 * frame. @returns a function that ends it
 */
function keepDrawn(canvas: HTMLCanvasElement, state: Player['state']): () => void {
  const context = canvas.getContext('2d')
  let drawn = ''
  const draw = (): void => {
    const { clientWidth: width, clientHeight: height } = canvas
    const { levels, position, duration } = state.get()
    const view = viewOf(position, duration)
    const played = shareOf(position, view)
    const change = [width, devicePixelRatio, levels?.length, view.from, view.to, Math.round(played * width)].join()
    if (context === null || width === 0 || change === drawn) return
    drawn = change
    const ratio = devicePixelRatio
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const { color: colour, caretColor: playedColour } = getComputedStyle(canvas)
    drawWaveform(context, { levels, view, played, width, height, colour, playedColour })
  }
  const redraw = (): void => {
    drawn = ''
    draw()
  }
  const size = new ResizeObserver(draw)
  size.observe(canvas)
  const ends = [subscribeFrames(state, draw), subscribeAppearance(redraw), () => size.disconnect()]
  draw()
  return () => {
    for (const end of ends) end()
  }
}

function shareOf(position: number, { from, to }: View): number {
  return to <= from ? 0 : Math.max(0, Math.min(1, (position - from) / (to - from)))
}
