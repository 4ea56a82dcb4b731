import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { MediaPlayer } from '../audio/media-player.ts'
import { Icon } from '../components/icon.tsx'
import { failureOf } from '../lib/failure.ts'
import { previewOf } from './use-voices.ts'
import { nameOf } from './voice-name.ts'

/** Plays a sentence in a voice. The first press makes it. */
export function PreviewButton({ voice }: { readonly voice: Voice }): ReactElement {
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
