import type { ReactElement } from 'react'
import type { Level } from '../audio/level.ts'

/** Quietest level on the meter, in decibels below full scale. */
const FLOOR = -60

/** Shows the current loudness in decibels. The thin mark is the peak. */
export function LevelMeter({ label, level }: { readonly label: string; readonly level: Level }): ReactElement {
  const rms = decibels(level.rms)
  return (
    <div
      className="meter"
      role="meter"
      aria-label={label}
      aria-valuemin={FLOOR}
      aria-valuemax={0}
      aria-valuenow={Math.round(rms)}
      aria-valuetext={level.rms === 0 ? 'silent' : `${Math.round(rms)} decibels`}
    >
      <div className="meter-bar" style={{ clipPath: `inset(0 ${100 - share(rms)}% 0 0 round 3px)` }} />
      <div className="meter-peak" style={{ left: `${share(decibels(level.peak))}%` }} hidden={level.peak === 0} />
    </div>
  )
}

function decibels(amplitude: number): number {
  return amplitude === 0 ? FLOOR : Math.max(FLOOR, Math.min(0, 20 * Math.log10(amplitude)))
}

function share(db: number): number {
  return ((db - FLOOR) / -FLOOR) * 100
}
