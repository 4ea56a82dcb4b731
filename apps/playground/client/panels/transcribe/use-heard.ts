import { useCallback, useEffect, useRef, useState } from 'react'
import { failureOf } from '../../lib/calls.ts'
import { usePanel } from '../../shell/panel-context.ts'

/** The text of a recording that runs. */
export interface HeardText {
  /** The recognized pieces so far. */
  readonly text: string
  /** Why a piece has no text. The recording has it all the same. */
  readonly failure: string | undefined
  /** Recognizes the next piece, a WAV, after those before it. */
  readonly add: (wav: Blob) => void
  /** Forgets the text, and aborts what is not yet recognized. */
  readonly clear: () => void
}

/** Recognizes the pieces of a recording while the user still speaks. */
export function useHeard(): HeardText {
  const { client } = usePanel()
  const [heard, setHeard] = useState<{ readonly text: string; readonly failure?: string }>({ text: '' })
  const controller = useRef(new AbortController())
  const last = useRef<Promise<void>>(Promise.resolve())
  const add = useCallback(
    (wav: Blob) => {
      const { signal } = controller.current
      const recognize = async (): Promise<void> => {
        if (signal.aborted) return
        try {
          const file = { data: wav, name: 'piece.wav' }
          const { text } = await client.transcriptions.create({ model: 'svc-transcribe-1.0', file }, { signal })
          if (!signal.aborted) setHeard((before) => ({ text: `${before.text} ${text}`.trim() }))
        } catch (error) {
          if (!signal.aborted) setHeard(({ text }) => ({ text, failure: failureOf(error).message }))
        }
      }
      const before = last.current
      // One after another: the text keeps its order, and one recording takes one worker of the service.
      last.current = before.then(recognize)
    },
    [client],
  )
  const clear = useCallback(() => {
    controller.current.abort()
    controller.current = new AbortController()
    setHeard({ text: '' })
  }, [])
  useEffect(() => () => controller.current.abort(), [])
  return { text: heard.text, failure: heard.failure, add, clear }
}
