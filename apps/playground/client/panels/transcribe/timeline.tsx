import type { ReactElement } from 'react'
import { Lanes } from '../../components/lanes.tsx'
import { isTimed, speakersOf, type Turn } from './result.ts'

/** Options of {@link Timeline}. */
export interface TimelineProps {
  readonly turns: readonly Turn[]
  /** Seconds. */
  readonly duration: number
}

/** Who speaks when: one row for each speaker, below the waveform. The turns say the same in words. */
export function Timeline({ turns, duration }: TimelineProps): ReactElement {
  const timed = turns.filter(isTimed)
  const lanes = speakersOf(turns).map((id) => ({ id, spans: timed.filter(({ speaker }) => speaker === id) }))
  return <Lanes lanes={lanes} duration={duration} />
}
