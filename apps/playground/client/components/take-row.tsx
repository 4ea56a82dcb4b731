import type { ReactElement } from 'react'
import type { Sound, Take } from '../lib/takes.ts'
import { Button, DownloadButton } from './button.tsx'
import { PlayerBar } from './player-bar.tsx'
import { ErrorText } from './states.tsx'

/** What a row of the history offers: the audio of a take, or why there is none, and a retry. */
export function TakeRow(props: {
  readonly take: Take<unknown>
  readonly sound: Sound
  /** Of the player, e.g. `the speech of 14:03`. */
  readonly label: string
  /** Of the file. */
  readonly name: string
  readonly onRetry: () => void
  /** Puts its text and settings back. */
  readonly onReuse?: () => void
}): ReactElement | false {
  const { take, sound, label, name, onRetry, onReuse } = props
  const reuse = onReuse && (
    <Button icon="replay" look="small" onClick={onReuse}>
      Use again
    </Button>
  )
  if (take.bytes > 0 || take.end === 'complete') {
    return (
      <PlayerBar player={sound.player} label={label} compact>
        <DownloadButton file={sound.file} name={name} small />
        {reuse}
      </PlayerBar>
    )
  }
  if (take.end === 'open') return false
  return (
    <div className="row gap-2 between">
      <ErrorText>{take.failure}</ErrorText>
      <div className="row gap-2">
        <Button look="small" aria-label={`Retry ${label}`} onClick={onRetry}>
          Retry
        </Button>
        {reuse}
      </div>
    </div>
  )
}
