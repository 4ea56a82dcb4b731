import { useEffect, useState } from 'react'
import type { VoiceChoice, VoicesAnswer } from '../shared/api.ts'
import { describeError, requestJson } from './api/request.ts'

/** The available voices. Empty until loaded. */
export interface Voices {
  readonly voices: readonly VoiceChoice[]
  /** Why loading failed. */
  readonly error: string | undefined
}

const NONE: Voices = { voices: [], error: undefined }

/** Loads the voices when the page opens. */
export function useVoices(): Voices {
  const [state, setState] = useState(NONE)
  useEffect(() => {
    const controller = new AbortController()
    requestJson<VoicesAnswer>('/api/voices', { signal: controller.signal }).then(
      ({ voices }) => setState({ voices, error: undefined }),
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ voices: [], error: describeError(error) })
      },
    )
    return () => controller.abort()
  }, [])
  return state
}
