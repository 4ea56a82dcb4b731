import { barsOf, type Levels } from './levels.ts'

/** Pixels from bar to bar, and of a bar. */
const STEP = 5
const BAR = 3
/** Levels below this value are drawn as silence. */
const QUIET = 0.04

/** What {@link drawWaveform} draws. */
export interface WaveformPicture {
  readonly levels: Levels | undefined
  /** Length of the audio, in seconds. */
  readonly duration: number
  /** Share of the audio that was played, 0 to 1. */
  readonly played: number
  /** Size of the canvas, in CSS pixels. */
  readonly width: number
  readonly height: number
  readonly colour: string
  readonly playedColour: string
}

/** The part of a 2D context that {@link drawWaveform} needs. */
export type WaveformContext = Pick<
  CanvasRenderingContext2D,
  'clearRect' | 'beginPath' | 'roundRect' | 'fill' | 'fillStyle'
>

/** Draws the bars of audio, scaled to the full height: it shows the shape. The work depends on the width alone. */
export function drawWaveform(context: WaveformContext, picture: WaveformPicture): void {
  const { levels, duration, played, width, height, colour, playedColour } = picture
  const count = Math.max(1, Math.floor(width / STEP))
  const bars = levels === undefined ? Array.from({ length: count }, () => 0) : barsOf(levels, duration, count)
  const loudest = bars.reduce((most, bar) => Math.max(most, bar), QUIET)
  const border = Math.round(played * count)
  context.clearRect(0, 0, width, height)
  for (const [from, to, style] of [
    [0, border, playedColour],
    [border, count, colour],
  ] as const) {
    context.beginPath()
    for (let index = from; index < to; index += 1) {
      const size = Math.max(BAR, ((bars[index] ?? 0) / loudest) * height)
      context.roundRect(index * STEP + (STEP - BAR) / 2, (height - size) / 2, BAR, size, BAR / 2)
    }
    context.fillStyle = style
    context.fill()
  }
}
