import { useCallback, useEffect, useRef, useState } from 'react'
import { type FailureControl, useFailure } from '../../lib/calls.ts'
import { useLatest, useStop } from '../../shell/panel-context.ts'
import { Conversation } from './conversation.ts'

/** The conversation of the panel. */
export interface ConversationControl extends Pick<FailureControl, 'failure'> {
  /** The last conversation, also after its end. */
  readonly conversation: Conversation | undefined
  readonly isOpen: boolean
  /** The conversation that is open at the moment of the call. */
  readonly current: () => Conversation | undefined
  /** Makes a conversation, which is not connected yet. */
  readonly begin: () => Conversation
  /** Runs a step of a conversation. Its failure ends the conversation, unless another has begun. */
  readonly run: (conversation: Conversation, step: () => Promise<void>) => void
  readonly stop: () => void
}

/** One conversation at a time. It ends with Escape and with the panel. @param voice The voice that answers. */
export function useConversation(voice: string): ConversationControl {
  const { failure, fail, clear } = useFailure()
  const [conversation, setConversation] = useState<Conversation>()
  const [isOpen, setOpen] = useState(false)
  const open = useRef<Conversation>(undefined)
  const latest = useLatest(voice)

  const stop = useCallback(() => {
    void open.current?.close()
    open.current = undefined
    setOpen(false)
  }, [])

  const end = useCallback(
    (ended: Conversation, error: unknown) => {
      if (open.current !== ended) return
      stop()
      fail(error)
    },
    [fail, stop],
  )

  const begin = useCallback((): Conversation => {
    clear()
    const begun: Conversation = new Conversation({
      voice: latest.current,
      onEnd: (reason) => end(begun, new Error(`The conversation ended: ${reason}`)),
    })
    open.current = begun
    setConversation(begun)
    setOpen(true)
    return begun
  }, [clear, end, latest])

  const run = useCallback(
    (begun: Conversation, step: () => Promise<void>) => void step().catch((error: unknown) => end(begun, error)),
    [end],
  )

  useStop(isOpen, stop)
  useEffect(() => stop, [stop])
  return { conversation, isOpen, failure, current: useCallback(() => open.current, []), begin, run, stop }
}
