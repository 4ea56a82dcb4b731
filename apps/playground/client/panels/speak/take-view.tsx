import type { ReactElement } from 'react'
import { CopyButton } from '../../components/copy-button.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { type Fact, Facts } from '../../components/facts.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { StatusLine } from '../../components/states.tsx'
import { formatBytes, formatMs, formatPace, formatSeconds } from '../../lib/format.ts'
import { isLocal, shareAddress } from '../../lib/task-result.ts'
import { isStream } from './draft.ts'
import { fileNameOf, type Sound, type Take } from './take.ts'
import type { SpeakControl } from './use-speak.ts'

/** Options of {@link TakeView}. */
export interface TakeViewProps extends Pick<SpeakControl, 'phase'> {
  readonly take: Take | undefined
  readonly sound: Sound | undefined
}

/** The latest speech, or the one that the address names: player, measurements, download. */
export function TakeView({ take, sound, phase }: TakeViewProps): ReactElement {
  // A new speech has no audio yet: the old one must not look like it.
  const shown = phase === 'waiting' ? undefined : take
  const audio = phase === 'waiting' ? undefined : sound
  return (
    <section className="card" aria-label="Speech">
      <StatusLine text={statusOf(shown, phase)} />
      <PlayerBar player={audio?.player} label="the speech">
        {shown?.end === 'complete' && !isLocal(shown.id) && (
          <CopyButton text={shareAddress('speak', shown.id)} label="Copy link" what="to this speech" />
        )}
        <DownloadButton file={audio?.file} name={shown === undefined ? '' : fileNameOf(shown)} small />
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
  if (take.end === 'open')
    return phase === 'receiving' ? 'Receiving …' : 'Incomplete: its page was closed, or another tab receives it.'
  const length = formatSeconds(take.seconds)
  if (take.end === 'cut') return `Incomplete: ${length} arrived. You can play and download them.`
  return `Complete: ${length} of audio.`
}
