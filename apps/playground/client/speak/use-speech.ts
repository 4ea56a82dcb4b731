import { useCallback, useEffect, useRef, useState } from 'react'
import type { SpeakRequest } from '../../shared/api.ts'
import { describeError } from '../api/request.ts'
import { SILENCE } from '../audio/level.ts'
import type { Speech } from './speech.ts'
import { replay, speakAloud, type SpeechListener } from './speech-session.ts'
import { IDLE, type SpeechState } from './speech-state.ts'

/** The speech and its actions. */
export interface SpeechControl {
  readonly state: SpeechState
  /** Speaks a text and silences the previous speech. Call it in a click or a key press. */
  readonly speak: (request: SpeakRequest) => void
  readonly playAgain: (speech: Speech) => void
  /** Silences playback at once and aborts the stream on the server. */
  readonly stop: () => void
}

/** Plays one speech at a time. Closing the page ends it. */
export function useSpeech(): SpeechControl {
  const [state, setState] = useState(IDLE)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])

  const run = useCallback((play: (signal: AbortSignal, listener: SpeechListener) => Promise<void>) => {
    running.current?.abort()
    const controller = new AbortController()
    running.current = controller
    const began = performance.now()
    const update = (change: (before: SpeechState) => Partial<SpeechState>): void => {
      // Ignore events of a replaced speech.
      if (running.current === controller) setState((before) => ({ ...before, ...change(before) }))
    }
    const listener: SpeechListener = {
      onReceived: (received) => update(() => ({ received })),
      onComplete: (speech) => update(() => ({ speech })),
      // A replay comes from memory: show the first-audio time of the stream.
      onStart: () =>
        update((before) => ({
          phase: 'speaking',
          firstAudioMs: before.firstAudioMs ?? performance.now() - began,
        })),
      onLevel: (level, playedSeconds) => update(() => ({ level, playedSeconds })),
    }
    play(controller.signal, listener).then(
      () => update(() => ({ phase: 'done', level: SILENCE })),
      (error: unknown) =>
        update(() =>
          controller.signal.aborted
            ? { phase: 'stopped', level: SILENCE }
            : { phase: 'failed', level: SILENCE, error: describeError(error) },
        ),
    )
  }, [])

  const speak = useCallback(
    (request: SpeakRequest) => {
      setState({ ...IDLE, phase: 'waiting' })
      run((signal, listener) => speakAloud(request, signal, listener))
    },
    [run],
  )
  const playAgain = useCallback(
    (speech: Speech) => {
      setState((before) => ({ ...before, phase: 'speaking', playedSeconds: 0 }))
      run((signal, listener) => replay(speech, signal, listener))
    },
    [run],
  )
  const stop = useCallback(() => running.current?.abort(), [])
  return { state, speak, playAgain, stop }
}
