import { useCallback, useEffect, useRef, useState } from 'react'
import { microphoneFault, type Microphones, useMicrophones } from '../../audio/microphone.ts'
import { blobOf } from '../../lib/client.ts'
import { type FailureControl, useFailure } from '../../lib/use-failure.ts'
import { useLatest, useStop } from '../../shell/keys.ts'
import { usePanel } from '../../shell/panel-context.ts'
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

/** Talks with the agent of the playground. @param voice The voice that answers. */
export function useTalk(voice: string): TalkControl {
  const { client } = usePanel()
  const { data: voices } = useVoices()
  const { devices, device, choose: remember, name } = useMicrophones()
  const { failure, fail, clear } = useFailure()
  const [conversation, setConversation] = useState<Conversation>()
  const [isOpen, setOpen] = useState(false)
  const [blocked, setBlocked] = useState<string>()
  const [isMuted, setMuted] = useState(false)
  const current = useRef<Conversation>(undefined)
  const latest = useLatest({ voice, voices, device })

  const stop = useCallback(() => {
    void current.current?.close()
    current.current = undefined
    setOpen(false)
  }, [])

  /** Runs a step of a conversation. Its failure ends the conversation, unless another has begun. */
  const run = useCallback(
    async (begun: Conversation, step: () => Promise<void>): Promise<void> => {
      try {
        await step()
      } catch (error) {
        if (current.current !== begun) return
        stop()
        fail(error)
      }
    },
    [fail, stop],
  )

  const begin = useCallback((): Conversation => {
    clear()
    setBlocked(undefined)
    setMuted(false)
    const begun: Conversation = new Conversation({
      voice: latest.current.voice,
      onEnd: (reason) => {
        if (current.current !== begun) return
        stop()
        fail(new Error(`The conversation ended: ${reason}`))
      },
    })
    current.current = begun
    setConversation(begun)
    setOpen(true)
    return begun
  }, [clear, fail, latest, stop])

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
    void run(begun, async () => {
      if (await listen(begun, latest.current.device)) await begun.open()
      else if (current.current === begun) stop()
    })
  }, [begin, latest, listen, run, stop])

  const ask = useCallback(
    (question: string) => {
      const talking = current.current ?? begin()
      // Another voice than the one that answers.
      const asker = latest.current.voices?.find(({ id }) => id !== latest.current.voice)?.id ?? latest.current.voice
      const body = { model: 'svc-tts-1.5-flash', input: question, voice_id: asker, response_format: 'wav' } as const
      void run(talking, async () => {
        const [recording] = await Promise.all([client.speech.create(body).then(blobOf), talking.open()])
        await talking.say(recording)
      })
    },
    [begin, client, latest, run],
  )

  const choose = useCallback(
    (id: string) => {
      setBlocked(undefined)
      remember(id)
      if (current.current !== undefined) void listen(current.current, id)
    },
    [listen, remember],
  )

  const mute = useCallback((muted: boolean) => {
    current.current?.mute(muted)
    setMuted(muted)
  }, [])

  useStop(isOpen, stop)
  useEffect(() => stop, [stop])
  return { conversation, isOpen, failure, blocked, devices, device, choose, isMuted, mute, start, ask, stop }
}
