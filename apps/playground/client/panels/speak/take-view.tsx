import type { ReactElement } from 'react'
import { DownloadButton } from '../../components/download-button.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { StatusLine } from '../../components/states.tsx'
import { formatBytes, formatMs, formatPace, formatSeconds } from '../../lib/format.ts'
import { isStream } from './draft.ts'
import type { Take } from './take.ts'
import type { SpeakControl } from './use-speak.ts'

/** The latest speech: player, measurements, download. */
export function TakeView({ takes: [take], phase }: Pick<SpeakControl, 'takes' | 'phase'>): ReactElement {
  // A new speech has no audio yet: the old one must not look like it.
  const shown = phase === 'waiting' ? undefined : take
  return (
    <section className="card" aria-label="Speech">
      <StatusLine text={statusOf(shown, phase)} />
      <PlayerBar player={shown?.player} label="the speech">
        <DownloadButton file={shown?.file} name={shown?.fileName ?? 'speech.wav'} small />
      </PlayerBar>
      {take !== undefined && <Facts facts={factsOf(shown)} />}
    </section>
  )
}

/** Without a take, all values are open: nothing moves when audio comes. */
function factsOf(take: Take | undefined): readonly Fact[] {
  const { seconds = 0, totalMs, firstAudioMs, bytes } = take ?? {}
  const factor = totalMs === undefined || seconds === 0 ? undefined : totalMs / 1000 / seconds
  return [
    ...(take === undefined || isStream(take.draft)
      ? [{ name: 'First audio', value: firstAudioMs === undefined ? undefined : formatMs(firstAudioMs) }]
      : []),
    { name: 'Complete', value: totalMs === undefined ? undefined : formatMs(totalMs) },
    { name: 'Speed', value: factor === undefined ? undefined : formatPace(factor) },
    { name: 'Duration', value: seconds === 0 ? undefined : formatSeconds(seconds) },
    { name: 'Received', value: bytes === undefined ? undefined : formatBytes(bytes) },
  ]
}

function statusOf(take: Take | undefined, phase: SpeakControl['phase']): string {
  if (phase === 'waiting') return 'Waiting for the first audio …'
  if (take === undefined) return 'Nothing spoken yet.'
  if (take.end === 'open') return 'Receiving …'
  const length = formatSeconds(take.seconds)
  if (take.end === 'cut') return `Incomplete: ${length} arrived. You can play and download them.`
  return `Complete: ${length} of audio.`
}
