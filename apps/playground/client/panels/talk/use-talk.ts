import { useCallback, useEffect, useRef, useState } from 'react'
import { microphoneFault, type Microphones, useMicrophones } from '../../audio/microphone.ts'
import { blobOf } from '../../lib/client.ts'
import { useLatest, usePanel, useStop } from '../../shell/panel-context.ts'
import { useVoices } from '../../voices/use-voices.ts'
import { Conversation } from './conversation.ts'
import { type FailureControl, useFailure } from '../../lib/calls.ts'

/** A conversation with the agent, and its actions. */
export interface TalkControl
  extends
    Pick<ConversationControl, 'conversation' | 'isOpen' | 'failure' | 'stop'>,
    Pick<Microphones, 'devices' | 'device' | 'choose'> {
  /** Why there is no microphone, and what to do. */
  readonly blocked: string | undefined
  readonly isMuted: boolean
  readonly mute: (isMuted: boolean) => void
  /** Begins a conversation with the microphone. */
  readonly start: () => void
  /** Speaks a question in the user's place. Without a conversation, it begins one that needs no microphone. */
  readonly ask: (question: string) => void
}

/** Talks with the agent of the playground. @param voice The voice that answers. */
export function useTalk(voice: string): TalkControl {
  const { client } = usePanel()
  const { data: voices } = useVoices()
  const { devices, device, choose: remember, name } = useMicrophones()
  const { conversation, isOpen, failure, current, begin: open, run, stop } = useConversation(voice)
  const [blocked, setBlocked] = useState<string>()
  const [isMuted, setMuted] = useState(false)
  // Another voice than the one that answers.
  const asker = voices?.find(({ id }) => id !== voice)?.id ?? voice
  const latest = useLatest({ asker, device })

  const begin = useCallback((): Conversation => {
    setBlocked(undefined)
    setMuted(false)
    return open()
  }, [open])

  const listen = useCallback(
    async (talking: Conversation, id: string): Promise<boolean> => {
      try {
        await talking.listen(id)
        void name()
        return true
      } catch (reason) {
        setBlocked(microphoneFault(reason))
        return false
      }
    },
    [name],
  )

  const start = useCallback(() => {
    const begun = begin()
    run(begun, async () => {
      if (await listen(begun, latest.current.device)) await begun.open()
      else if (current() === begun) stop()
    })
  }, [begin, current, latest, listen, run, stop])

  const ask = useCallback(
    (input: string) => {
      const talking = current() ?? begin()
      const body = {
        model: 'svc-tts-1.5-flash',
        input,
        voice_id: latest.current.asker,
        response_format: 'wav',
      } as const
      run(talking, async () => {
        const [recording] = await Promise.all([client.speech.create(body).then(blobOf), talking.open()])
        await talking.say(recording)
      })
    },
    [begin, client, current, latest, run],
  )

  const choose = useCallback(
    (id: string) => {
      setBlocked(undefined)
      remember(id)
      const talking = current()
      if (talking !== undefined) void listen(talking, id)
    },
    [current, listen, remember],
  )

  const mute = useCallback(
    (muted: boolean) => {
      current()?.mute(muted)
      setMuted(muted)
    },
    [current],
  )

  return { conversation, isOpen, failure, blocked, devices, device, choose, isMuted, mute, start, ask, stop }
}

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
