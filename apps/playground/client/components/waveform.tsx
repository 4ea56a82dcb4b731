import type { ReactElement } from 'react'

/** Bars of a {@link Waveform}. */
export const WAVEFORM_BARS = 96

/** Peaks below this value are drawn as silence. */
const QUIET = 0.05

const HEIGHT = 64
const STEP = 5
const WIDTH = WAVEFORM_BARS * STEP

/** Options of {@link Waveform}. */
export interface WaveformProps {
  /** {@link WAVEFORM_BARS} peaks, 0 to 1. */
  readonly bars: readonly number[]
  /** Played share, 0 to 1. */
  readonly played: number
}

/** The waveform of audio, with its played part in colour. It is decorative: the times beside it are text. */
export function Waveform({ bars, played }: WaveformProps): ReactElement {
  // Scale to full height: the waveform shows the shape, the meter shows the level.
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
