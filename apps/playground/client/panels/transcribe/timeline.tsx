import type { ReactElement } from 'react'
import { hueStyle } from '../../lib/hue.ts'
import { isTimed, speakersOf, type Turn } from './result.ts'

/** Options of {@link Timeline}. */
export interface TimelineProps {
  readonly turns: readonly Turn[]
  /** Seconds. */
  readonly duration: number
}

/** Who speaks when: one row for each speaker, below the waveform. The turns say the same in words. */
export function Timeline({ turns, duration }: TimelineProps): ReactElement {
  const share = (seconds: number): string => `${duration === 0 ? 0 : (seconds / duration) * 100}%`
  return (
    <div className="timeline" aria-hidden="true">
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
    </div>
  )
}
