import { memo, type ReactElement } from 'react'
import { Button, CopyButton, DownloadButton } from '../../components/button.tsx'
import { type Fact, Facts, StatusLine } from '../../components/states.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { formatBytes, formatMs, formatPace, formatSeconds, formatTime } from '../../lib/format.ts'
import { isLocal, shareAddress } from '../../lib/client.ts'
import { fileNameOf, isStream, type Sound, type SpeakPhase, type Take } from './take.ts'
import type { TakesControl } from './use-takes.ts'
import { HistoryList } from '../../components/history-list.tsx'
import { pathOf } from '../../shell/router.tsx'

/** The latest speech, or the one that the address names: player, measurements, download. */
export function TakeView(props: {
  readonly phase: SpeakPhase
  readonly take: Take | undefined
  readonly sound: Sound | undefined
}): ReactElement {
  const { take, sound, phase } = props
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

function statusOf(take: Take | undefined, phase: SpeakPhase): string {
  if (phase === 'waiting') return 'Waiting for the first audio …'
  if (take === undefined) return 'Nothing spoken yet.'
  if (take.end === 'open')
    return phase === 'receiving' ? 'Receiving …' : 'Incomplete: its page was closed, or another tab receives it.'
  const length = formatSeconds(take.seconds)
  if (take.end === 'cut') return `Incomplete: ${length} arrived. You can play and download them.`
  return `Complete: ${length} of audio.`
}

/** Options of {@link History}. */
export interface HistoryProps extends Pick<TakesControl, 'soundOf' | 'remove'> {
  /** Newest first. */
  readonly takes: readonly Take[]
  /** Puts text and settings of a take back. The same function in each render. */
  readonly onReuse: (take: Take) => void
}

/** Earlier speeches. */
export function History({ takes, soundOf, remove, onReuse }: HistoryProps): ReactElement {
  const rows = takes.map((take) => ({
    id: take.id,
    title: titleOf(take),
    note: noteOf(take),
    href: pathOf('speak', { task: take.id }),
    children: <Row take={take} sound={soundOf(take)} onReuse={onReuse} />,
  }))
  return <HistoryList rows={rows} onRemove={remove} />
}

/** The text of a take. That of a shared link is not known. */
function titleOf({ id, draft }: Take): string {
  return draft.text === '' ? `Speech of ${id}` : draft.text
}

function noteOf({ at, draft, end }: Take): string {
  const voice = draft.voice === '' ? 'default voice' : draft.voice
  return `${formatTime(at / 1000)} · ${voice}${end === 'complete' ? '' : ' · incomplete'}`
}

interface RowProps extends Pick<HistoryProps, 'onReuse'> {
  readonly take: Take
  readonly sound: Sound
}

/** While a new speech arrives, the panel renders several times per second. Earlier takes do not change. */
const Row = memo(function Row({ take, sound, onReuse }: RowProps): ReactElement {
  return (
    <PlayerBar player={sound.player} label={`the speech of ${formatTime(take.at / 1000)}`} compact>
      <DownloadButton file={sound.file} name={fileNameOf(take)} small />
      {take.draft.text !== '' && (
        <Button icon="replay" look="small" onClick={() => onReuse(take)}>
          Use again
        </Button>
      )}
    </PlayerBar>
  )
})
