import { type ReactElement, useEffect, useRef } from 'react'
import { drawWaveform } from '../audio/draw-waveform.ts'
import type { Player } from '../audio/player.ts'
import { subscribeAppearance } from '../lib/appearance.ts'
import { subscribeFrames } from '../lib/frames.ts'

/** The waveform of audio, with its played part in colour. The slider over it says the position, and moves it. */
export function Waveform({ state }: { readonly state: Player['state'] }): ReactElement {
  const canvas = useRef<HTMLCanvasElement>(null)
  useEffect(() => (canvas.current === null ? undefined : keepDrawn(canvas.current, state)), [state])
  return <canvas ref={canvas} className="waveform" aria-hidden="true" />
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
    const played = duration === 0 ? 0 : Math.min(1, position / duration)
    const change = [width, devicePixelRatio, levels?.length, duration, Math.round(played * width)].join()
    if (context === null || width === 0 || change === drawn) return
    drawn = change
    const ratio = devicePixelRatio
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio)
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio)
    context.setTransform(ratio, 0, 0, ratio, 0, 0)
    const { color: colour, caretColor: playedColour } = getComputedStyle(canvas)
    drawWaveform(context, { levels, duration, played, width, height, colour, playedColour })
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
