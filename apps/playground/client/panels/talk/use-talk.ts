import { useEffect, useRef, useState } from 'react'
import { microphoneFault, type Microphones, useMicrophones } from '../../audio/microphone.ts'
import { type FailureControl, useFailure } from '../../lib/calls.ts'
import { blobOf } from '../../lib/client.ts'
import { usePanel, useStop } from '../../shell/panel-context.ts'
import { useVoices } from '../../voices/use-voices.ts'
import { Conversation } from './conversation.ts'

/** A conversation with the agent, and its actions. */
export interface TalkControl
  extends Pick<FailureControl, 'failure'>, Pick<Microphones, 'devices' | 'device' | 'choose'> {
  /** The last conversation, also after its end. */
  readonly conversation: Conversation | undefined
  readonly isOpen: boolean
  /** Why there is no microphone, and what to do. */
  readonly blocked: string | undefined
  readonly isMuted: boolean
  readonly mute: (isMuted: boolean) => void
  /** Begins a conversation with the microphone. */
  readonly start: () => void
  /** Speaks a question in the user's place. Without a conversation, it begins one that needs no microphone. */
  readonly ask: (question: string) => void
  readonly stop: () => void
}

/** One conversation at a time with the agent. It ends with Escape and with the panel. @param voice The voice that answers. */
export function useTalk(voice: string): TalkControl {
  const { client } = usePanel()
  const { data: voices } = useVoices()
  const { devices, device, choose: remember, blocked, setBlocked, listen } = useEar()
  const { failure, fail, clear } = useFailure()
  const [conversation, setConversation] = useState<Conversation>()
  const [isOpen, setOpen] = useState(false)
  const [isMuted, setMuted] = useState(false)
  /** The conversation that is open now. */
  const current = useRef<Conversation>(undefined)

  const stop = (): void => {
    void current.current?.close()
    current.current = undefined
    setOpen(false)
  }
  /** Ends a conversation that failed, unless another has begun. */
  const end = (ended: Conversation, error: unknown): void => {
    if (current.current !== ended) return
    stop()
    fail(error)
  }
  /** Makes a conversation, which is not connected yet. */
  const begin = (): Conversation => {
    clear()
    setBlocked(undefined)
    setMuted(false)
    const onEnd = (reason: string): void => end(begun, new Error(`The conversation ended: ${reason}`))
    const begun: Conversation = new Conversation({ voice, onEnd })
    current.current = begun
    setConversation(begun)
    setOpen(true)
    return begun
  }
  const run = (begun: Conversation, step: () => Promise<void>): void =>
    void step().catch((error: unknown) => end(begun, error))

  const start = (): void => {
    const begun = begin()
    run(begun, async () => {
      if (await listen(begun, device)) await begun.open()
      else if (current.current === begun) stop()
    })
  }
  const ask = (input: string): void => {
    const talking = current.current ?? begin()
    // Another voice than the one that answers.
    const voice_id = voices?.find(({ id }) => id !== voice)?.id ?? voice
    const body = { model: 'svc-tts-1.5-flash', input, voice_id, response_format: 'wav' } as const
    run(talking, async () => {
      const [recording] = await Promise.all([client.speech.create(body).then(blobOf), talking.open()])
      await talking.say(recording)
    })
  }
  const choose = (id: string): void => {
    setBlocked(undefined)
    remember(id)
    if (current.current !== undefined) void listen(current.current, id)
  }
  const mute = (muted: boolean): void => {
    current.current?.mute(muted)
    setMuted(muted)
  }

  useStop(isOpen, stop)
  useEffect(
    () => () => {
      void current.current?.close()
      current.current = undefined
    },
    [],
  )
  return { conversation, isOpen, failure, blocked, devices, device, choose, isMuted, mute, start, ask, stop }
}

interface Ear extends Microphones {
  readonly blocked: string | undefined
  readonly setBlocked: (fault: string | undefined) => void
  /** Lets a conversation hear a microphone. @returns whether it does */
  readonly listen: (talking: Conversation, id: string) => Promise<boolean>
}

/** The microphones, and why the last one cannot be heard. */
function useEar(): Ear {
  const microphones = useMicrophones()
  const [blocked, setBlocked] = useState<string>()
  const listen = async (talking: Conversation, id: string): Promise<boolean> => {
    try {
      await talking.listen(id)
      void microphones.name()
      return true
    } catch (reason) {
      setBlocked(microphoneFault(reason))
      return false
    }
  }
  return { ...microphones, blocked, setBlocked, listen }
}
