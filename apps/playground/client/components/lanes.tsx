import type { CSSProperties, ReactElement } from 'react'

/** A part of a {@link Lane}, in seconds. */
export interface Span {
  readonly id: string
  readonly start: number
  readonly end: number
}

/** One who speaks or works, and when. */
export interface Lane {
  readonly id: string
  readonly spans: readonly Span[]
}

/** Who speaks when: one row for each. What it shows must stand on the page in words too. */
export function Lanes(props: {
  readonly lanes: readonly Lane[]
  /** Second at the left border. @default 0 */
  readonly from?: number
  /** Seconds from border to border. */
  readonly duration: number
}): ReactElement {
  const { lanes, from = 0, duration } = props
  const share = (seconds: number): string => `${duration === 0 ? 0 : (seconds / duration) * 100}%`
  return (
    <div className="lanes grid gap-1 grow" aria-hidden="true">
      {lanes.map(({ id: lane, spans }, index) => (
        <div className="lane" key={lane}>
          {spans.map(({ id, start, end }) => (
            <span
              key={id}
              className="lane-span"
              style={{ ...hueStyle(index), left: share(start - from), width: share(end - start) }}
            />
          ))}
        </div>
      ))}
    </div>
  )
}

/** The style of one of the eight colours that tell voices and speakers apart. CSS reads it as `--hue`. */
export function hueStyle(index: number): CSSProperties {
  return { '--hue': `var(--hue-${Math.max(0, index) % 8})` }
}
