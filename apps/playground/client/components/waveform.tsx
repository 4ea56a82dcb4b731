import type { ReactElement } from 'react'

/** Bars of a {@link Waveform}. */
export const WAVEFORM_BARS = 96

/** Below this peak it is drawn as the silence it is. */
const QUIET = 0.05

const HEIGHT = 64
const STEP = 5
const WIDTH = WAVEFORM_BARS * STEP

/** What a {@link Waveform} shows. */
export interface WaveformProps {
  /** {@link WAVEFORM_BARS} peaks, 0 to 1. */
  readonly bars: readonly number[]
  /** How much was played, 0 to 1. */
  readonly played: number
}

/** The outline of audio, as far as it has been played in colour. A picture only: the times beside it say it in words. */
export function Waveform({ bars, played }: WaveformProps): ReactElement {
  // As high as there is room: it is the shape that matters, the meter shows the level.
  const loudest = Math.max(...bars, QUIET)
  const path = bars.map((peak, index) => drawBar(peak / loudest, index)).join('')
  return (
    <div className="waveform" aria-hidden="true">
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none">
        <path className="waveform-all" d={path} />
        <path className="waveform-played" d={path} style={{ clipPath: `inset(0 ${100 - played * 100}% 0 0)` }} />
      </svg>
    </div>
  )
}

function drawBar(height: number, index: number): string {
  const half = Math.max(1, (height * HEIGHT) / 2)
  const x = index * STEP + STEP / 2
  return `M${x} ${(HEIGHT / 2 - half).toFixed(1)}V${(HEIGHT / 2 + half).toFixed(1)}`
}
