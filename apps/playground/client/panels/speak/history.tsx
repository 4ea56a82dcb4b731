import { memo, type ReactElement } from 'react'
import { Button } from '../../components/button.tsx'
import { DownloadButton } from '../../components/download-button.tsx'
import { HistoryList } from '../../components/history-list.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { formatTime } from '../../lib/format.ts'
import { pathOf } from '../../shell/router.ts'
import { fileNameOf, type Sound, type Take } from './take.ts'
import type { SpeakControl } from './use-speak.ts'

/** Options of {@link History}. */
export interface HistoryProps extends Pick<SpeakControl, 'soundOf' | 'remove'> {
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
