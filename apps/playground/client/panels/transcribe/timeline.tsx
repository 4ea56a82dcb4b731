import type { MouseEvent, ReactElement } from 'react'
import { hueStyle } from '../../lib/hue.ts'
import { isTimed, speakersOf, type Turn } from './result.ts'

/** Options of {@link Timeline}. */
export interface TimelineProps {
  readonly turns: readonly Turn[]
  /** Seconds. */
  readonly duration: number
  /** Seconds. */
  readonly position: number
  readonly onSeek: (seconds: number) => void
}

/**
 * Who speaks when: one row for each speaker. A click moves the player. It repeats what the turns say with a button each,
 * so the keyboard and screen readers skip it.
 */
export function Timeline({ turns, duration, position, onSeek }: TimelineProps): ReactElement {
  const seek = (event: MouseEvent<HTMLDivElement>): void => {
    const { left, width } = event.currentTarget.getBoundingClientRect()
    onSeek(((event.clientX - left) / width) * duration)
  }
  const share = (seconds: number): string => `${duration === 0 ? 0 : (seconds / duration) * 100}%`
  return (
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div className="timeline" aria-hidden="true" onClick={seek}>
      {speakersOf(turns).map((speaker, index) => (
        <div className="timeline-row" key={speaker}>
          {turns
            .filter((turn) => turn.speaker === speaker)
            .filter(isTimed)
            .map(({ id, start, end }) => (
              <span
                key={id}
                className="timeline-turn"
                style={{ ...hueStyle(index), left: share(start), width: share(end - start) }}
              />
            ))}
        </div>
      ))}
      <span className="timeline-head" style={{ left: share(position) }} />
    </div>
  )
}
