import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { MediaPlayer } from '../audio/media-player.ts'
import { Icon } from '../components/button.tsx'
import { failureOf } from '../lib/calls.ts'
import { useLatest } from '../shell/panel-context.ts'
import { nameOf, previewOf } from './use-voices.ts'

/** Milliseconds that a row has the focus before its preview plays: who moves on hears nothing. */
const REST_MS = 350

/** Plays a sentence in a voice. The first press makes it. */
export function PreviewButton(props: {
  readonly voice: Voice
  /** Plays without a press, after a moment, as long as it is true. @default false */
  readonly isWanted?: boolean
}): ReactElement {
  const { voice, isWanted = false } = props
  const [state, setState] = useState<'idle' | 'loading' | 'playing'>('idle')
  const [error, setError] = useState<string>()
  const player = useRef<MediaPlayer>(undefined)
  useEffect(() => () => player.current?.close(), [])
  const play = async (): Promise<void> => {
    setError(undefined)
    try {
      if (player.current === undefined) {
        setState('loading')
        const made = new MediaPlayer(await previewOf(voice.id))
        made.state.subscribe(() => {
          const { status } = made.state.get()
          setState(status === 'playing' || status === 'waiting' ? 'playing' : 'idle')
        })
        player.current = made
      }
      await player.current.play()
    } catch (reason) {
      setState('idle')
      setError(failureOf(reason).message)
    }
  }
  const latest = useLatest(play)
  useEffect(() => {
    if (!isWanted) return undefined
    const timer = setTimeout(() => void latest.current(), REST_MS)
    return () => {
      clearTimeout(timer)
      player.current?.pause()
    }
  }, [isWanted, latest])
  return (
    <button
      type="button"
      className="icon-button preview-button"
      data-state={state}
      title={error}
      aria-label={`${state === 'playing' ? 'Pause' : 'Play'} a preview of ${nameOf(voice)}${error === undefined ? '' : `. ${error}`}`}
      onClick={() => (state === 'playing' ? player.current?.pause() : void play())}
    >
      {state === 'loading' ? (
        <span className="spinner" aria-hidden="true" />
      ) : (
        <Icon name={error !== undefined ? 'warning' : state === 'playing' ? 'pause' : 'play'} />
      )}
    </button>
  )
}
