import './talk.css'
import type { VoiceStatus } from '@svc-audio/voice/browser'
import { type ReactElement, useEffect, useRef, useState } from 'react'
import { microphoneFault, useMicrophones } from '../../audio/recorder.ts'
import { LevelMeter, MicrophoneField } from '../../components/audio-input.tsx'
import { Button, Chips } from '../../components/button.tsx'
import { Editor } from '../../components/form.tsx'
import { Lanes } from '../../components/lanes.tsx'
import { ErrorText, Facts, FailureBox, StatusLine } from '../../components/states.tsx'
import { HistoryList } from '../../components/lists.tsx'
import { failureOf, useFailure } from '../../lib/calls.ts'
import { blobOf, localId } from '../../lib/client.ts'
import { formatMs, formatTime } from '../../lib/format.ts'
import { useLeaveQuestion } from '../../lib/hooks.ts'
import { useDraft, useFrames, useShared, useStore } from '../../lib/store.ts'
import { usePanel, useStop } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useChosenVoice, useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { Conversation, LANES, type TalkLog } from './conversation.ts'
import { talkSnippets } from './snippets.ts'

const QUESTIONS = [{ title: 'What time is it?' }, { title: 'Tell me a story.' }, { title: 'Stop, please.' }]

/** Seconds on the timeline. */
const SHOWN_SECONDS = 30

/** A conversation with a scripted agent, by voice. */
export function Panel(): ReactElement {
  const [draft, change] = useDraft('talk', { voice: '' })
  const voice = useChosenVoice(draft)
  const control = useTalk(voice)
  const { conversation, isOpen, blocked, isMuted } = control
  const ready = voice !== ''
  return (
    <PanelFrame
      title="Talk"
      about="Talk with a scripted agent: it tells the time and a story. Speak into its answer to interrupt it."
      settings={<VoicePicker value={draft.voice} onChange={(chosen) => change({ voice: chosen })} />}
      code={() => talkSnippets(voice)}
    >
      <Editor
        label="Conversation"
        action="Talk"
        icon="microphone"
        job={{ busy: isOpen, stop: control.stop }}
        ready={ready}
        onRun={control.start}
        foot={
          <>
            <Chips label="Questions" items={QUESTIONS} disabled={!ready} onChoose={({ title }) => control.ask(title)} />
            {isOpen && (
              <Button
                icon={isMuted ? 'muted' : 'microphone'}
                aria-pressed={isMuted}
                onClick={() => control.mute(!isMuted)}
              >
                Mute
              </Button>
            )}
          </>
        }
      >
        <div className="stack pad-item">
          {isOpen && conversation !== undefined ? (
            <Live conversation={conversation} />
          ) : (
            <StatusLine text="Press Talk and speak. Without a microphone, choose a question: the page speaks it for you." />
          )}
          {isOpen && <MicrophoneField {...control} />}
          {conversation !== undefined && <Lines conversation={conversation} />}
        </div>
      </Editor>
      <ErrorText>
        {blocked && `${blocked} You need none to try the agent: choose a question, and the page speaks it for you.`}
      </ErrorText>
      <FailureBox failure={control.failure} />
      {conversation !== undefined && <Timeline conversation={conversation} />}
      <Past talks={control.talks.filter(({ id }) => id !== control.talk)} onRemove={control.remove} />
    </PanelFrame>
  )
}

/** One conversation at a time with the agent. It ends with Escape and with the panel. @param voice The voice that answers. */
function useTalk(voice: string) {
  const { client } = usePanel()
  const { data: voices } = useVoices()
  const { devices, device, choose: remember, blocked, setBlocked, listen } = useEar()
  const { failure, fail, clear } = useFailure()
  /** The last conversation, also after its end. */
  const [conversation, setConversation] = useState<Conversation>()
  const [isOpen, setOpen] = useState(false)
  const [isMuted, setMuted] = useState(false)
  /** The conversation that is open now. */
  const current = useRef<Conversation>(undefined)
  const { talks, talk, note, remove } = useTalks()
  // A conversation is nowhere but here.
  useLeaveQuestion(isOpen)

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
    note(ended, failureOf(error).message)
  }
  /** Makes a conversation, which is not connected yet. */
  const begin = (): Conversation => {
    clear()
    setBlocked(undefined)
    setMuted(false)
    const onEnd = (reason: string): void => end(begun, new Error(`The conversation ended: ${reason}`))
    // Another microphone takes its place, if there is one.
    const begun: Conversation = new Conversation(voice, onEnd, () => void listen(begun, ''))
    current.current = begun
    note(begun)
    setConversation(begun)
    setOpen(true)
    return begun
  }
  const run = (begun: Conversation, step: () => Promise<void>): void =>
    void step().catch((error: unknown) => end(begun, error))
  /** Begins a conversation with the microphone. */
  const start = (): void => {
    const begun = begin()
    run(begun, async () => {
      if (await listen(begun, device)) await begun.open()
      else if (current.current === begun) stop()
    })
  }
  /** Speaks a question in the user's place. Without a conversation, it begins one that needs no microphone. */
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
  useEffect(() => () => void current.current?.close(), [])
  const ear = { blocked, devices, device, choose, isMuted, mute }
  return { conversation, isOpen, failure, ...ear, start, ask, stop, talks, talk, remove }
}

/** What was said in a conversation. The browser stores it while it is said. */
interface Talk {
  readonly id: string
  /** Unix milliseconds. */
  readonly at: number
  readonly lines: TalkLog['lines']
  /** Why it ended by itself, in a sentence. */
  readonly failure?: string
}

const NONE: readonly Talk[] = []

/** Conversations in the history. */
const MAX_TALKS = 20

/** The conversations of this browser. */
function useTalks() {
  const [talks, change] = useShared('talks', NONE)
  /** The one of this page. */
  const [talk, setTalk] = useState<string>()
  const rows = useRef(new WeakMap<Conversation, Talk>())
  /** Stores a conversation from its first words on. @param failure Why it ended by itself. */
  const note = (conversation: Conversation, failure?: string): void => {
    const isNew = !rows.current.has(conversation)
    const { id, at } = rows.current.get(conversation) ?? { id: localId(), at: Date.now() }
    const store = (): void => {
      const row: Talk = { id, at, lines: conversation.log.get().lines, ...(failure === undefined ? {} : { failure }) }
      const before = rows.current.get(conversation)
      rows.current.set(conversation, row)
      if (row.lines.length === 0 && failure === undefined) return
      if (before?.lines === row.lines && failure === undefined) return
      change((all) => [row, ...all.filter((one) => one.id !== id)].slice(0, MAX_TALKS))
    }
    store()
    if (!isNew) return
    setTalk(id)
    conversation.log.subscribe(store)
  }
  const remove = (id: string): void => change((all) => all.filter((one) => one.id !== id))
  return { talks, talk, note, remove }
}

/** Earlier conversations. */
function Past({
  talks,
  onRemove,
}: {
  readonly talks: readonly Talk[]
  readonly onRemove: (id: string) => void
}): ReactElement | false {
  const rows = talks.map(({ id, at, lines, failure }) => ({
    id,
    title: lines[0]?.text ?? 'Nothing was said',
    note: `${formatTime(at / 1000)} · ${lines.length} ${lines.length === 1 ? 'turn' : 'turns'}${failure === undefined ? '' : ` · ${failure}`}`,
    children: (
      <details>
        <summary className="small">What was said</summary>
        <ul className="grid gap-1 small">
          {lines.map((line) => (
            <li key={line.id}>
              <b className="muted">{line.who}</b> {line.text}
            </li>
          ))}
        </ul>
      </details>
    ),
  }))
  return <HistoryList rows={rows} onRemove={onRemove} />
}

/** The microphones, and why the last one cannot be heard: a fault, and what to do. */
function useEar() {
  const microphones = useMicrophones()
  const [blocked, setBlocked] = useState<string>()
  /** Lets a conversation hear a microphone. @returns whether it does */
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

const STATES: Readonly<Record<VoiceStatus, string>> = {
  closed: 'The conversation has ended.',
  blocked: 'The browser has stopped the sound. Click here to continue.',
  unplugged: 'The microphone is gone. Plug one in to continue.',
  connecting: 'Connecting …',
  listening: 'The agent listens.',
  thinking: 'The agent thinks.',
  speaking: 'The agent speaks.',
  paused: 'The answer pauses: you make a sound.',
  reconnecting: 'The connection is lost. Trying again …',
}

/** The state and the loudness of both. */
function Live({ conversation: { status, levels } }: { readonly conversation: Conversation }): ReactElement {
  const heard = useFrames(levels, ({ microphone }) => microphone)
  const played = useFrames(levels, ({ speaker }) => speaker)
  return (
    <>
      <StatusLine text={STATES[useStore(status)]} />
      <div className="pair">
        <Level label="Level of what the agent hears" rms={heard} />
        <Level label="Level of the answer" rms={played} />
      </div>
    </>
  )
}

function Level({ label, rms }: { readonly label: string; readonly rms: number }): ReactElement {
  return (
    <div className="field">
      <span className="hint" aria-hidden="true">
        {label}
      </span>
      <LevelMeter label={label} level={{ rms, peak: rms }} />
    </div>
  )
}

/** What both have said. */
function Lines({ conversation }: { readonly conversation: Conversation }): ReactElement {
  const { lines } = useStore(conversation.log)
  return (
    <div className="stack" role="log" aria-label="What was said">
      {lines.map(({ id, who, text }) => (
        <p key={id} className="large">
          <b className="muted small">{who}</b> {text}
        </p>
      ))}
    </div>
  )
}

/** Each event, newest first, below a drawing of the last half minute. */
function Timeline({ conversation }: { readonly conversation: Conversation }): ReactElement {
  const log = useStore(conversation.log)
  const { events, wait } = log
  return (
    <section className="card" aria-label="Timeline">
      <Drawing conversation={conversation} log={log} />
      <Facts
        facts={[
          { name: 'From your words to the answer', value: wait === undefined ? undefined : formatMs(wait * 1000) },
          { name: 'Events', value: String(events.length) },
        ]}
      />
      {/* It scrolls, so the keyboard must reach it. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="scrolls" role="region" aria-label="Events" tabIndex={0}>
        <ol reversed className="list">
          {events.toReversed().map(({ id, at, what, text }) => (
            <li key={id} className="talk-event row gap-3 small breaks">
              <span className="clock">{at.toFixed(2)} s</span>
              <span>
                {what}
                {text !== '' && <span className="muted">: {text}</span>}
              </span>
            </li>
          ))}
        </ol>
      </div>
    </section>
  )
}

function Drawing(props: { readonly conversation: Conversation; readonly log: TalkLog }): ReactElement {
  const { conversation, log } = props
  // Ten drawings a second are enough.
  const now = useFrames(conversation.levels, ({ at }) => Math.round(at * 10) / 10)
  const from = Math.max(0, now - SHOWN_SECONDS)
  const lanes = LANES.map((id) => ({
    id,
    spans: log.spans
      .filter(({ lane, end = now }) => lane === id && end > from)
      .map(({ id: span, start, end = now }) => ({ id: String(span), start: Math.max(from, start), end })),
  }))
  return (
    <div className="talk-drawing row gap-3">
      <div className="grid gap-1 muted tiny" aria-hidden="true">
        {LANES.map((lane) => (
          <span key={lane}>{lane}</span>
        ))}
      </div>
      <Lanes lanes={lanes} from={from} duration={SHOWN_SECONDS} />
    </div>
  )
}
