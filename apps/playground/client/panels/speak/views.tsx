import { memo, type MemoExoticComponent, type ReactElement, useId, useRef, useState } from 'react'
import { Button, Chips, CopyButton, DownloadButton } from '../../components/button.tsx'
import {
  Counter,
  Editor,
  FILE_FORMATS,
  named,
  SelectField,
  type SelectOption,
  SliderField,
  TextArea,
} from '../../components/form.tsx'
import { HistoryList } from '../../components/lists.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { type Fact, Facts, StatusLine } from '../../components/states.tsx'
import { TakeRow } from '../../components/take-row.tsx'
import { isLocal, shareAddress } from '../../lib/client.ts'
import type { Sound } from '../../lib/takes.ts'
import { formatBytes, formatMs, formatPace, formatSeconds, formatTime } from '../../lib/format.ts'
import { pathOf } from '../../shell/router.tsx'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { isReady, isStream, SAMPLES, type SpeakDraft, STREAMING_MODEL } from './draft.ts'
import { fileNameOf, type SpeakPhase, type Take } from './take.ts'

/** Options of {@link SpeakEditor}. */
export interface SpeakEditorProps {
  readonly draft: SpeakDraft
  readonly change: (change: Partial<SpeakDraft>) => void
  readonly busy: boolean
  readonly onSpeak: () => void
  readonly onStop: () => void
}

/** The text, its helpers, and the button that speaks it. They do not render again while a speech arrives. */
export const SpeakEditor: MemoExoticComponent<(props: SpeakEditorProps) => ReactElement> = memo(View)

function View({ draft, change, busy, onSpeak, onStop }: SpeakEditorProps): ReactElement {
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  // The panel's keys speak again while a speech arrives.
  const run = { action: 'Speak', ready: isReady(draft), onRun: onSpeak, active: false, hint: true }
  const foot = <Counter text={draft.text} id={id} />
  return (
    <Editor label="Text to speak" {...run} job={{ busy, stop: onStop }} foot={foot}>
      <TextArea
        ref={area}
        className=""
        value={draft.text}
        placeholder="Type a text, or start with a sample."
        describedBy={id}
        onChange={(text) => change({ text })}
      />
      <div className="row wraps between gap-2 pad-item ruled">
        <Chips label="Samples" items={SAMPLES} onChoose={({ text }) => replaceText(area.current, text)} />
        {draft.model === STREAMING_MODEL && (
          <PauseHelper
            seconds={draft.pause}
            onChange={(pause) => change({ pause })}
            onInsert={() => insertPause(area.current, draft.pause)}
          />
        )}
      </div>
    </Editor>
  )
}

function PauseHelper(props: {
  readonly seconds: number
  readonly onChange: (seconds: number) => void
  readonly onInsert: () => void
}): ReactElement {
  const { seconds, onChange, onInsert } = props
  const id = useId()
  const [typed, setTyped] = useState(String(seconds))
  const isWrong = !isPause(Number(typed))
  return (
    <div className="row gap-1 muted small" role="group" aria-label="Pause">
      <input
        type="number"
        aria-label="Length of the pause in seconds"
        min={0.1}
        max={10}
        step={0.1}
        value={typed}
        aria-invalid={isWrong}
        aria-describedby={id}
        onChange={(event) => {
          setTyped(event.target.value)
          const value = event.target.valueAsNumber
          if (isPause(value)) onChange(Math.round(value * 10) / 10)
        }}
      />
      <span aria-hidden="true">s</span>
      <span className="breaks" data-tone="bad" id={id}>
        {isWrong && '0.1 to 10 s'}
      </span>
      <Button icon="plus" look="small" disabled={isWrong} onClick={onInsert}>
        Insert pause
      </Button>
    </div>
  )
}

function isPause(seconds: number): boolean {
  return seconds >= 0.1 && seconds <= 10
}

/** Inserts a marker, with a space to each word beside it. */
function insertPause(area: HTMLTextAreaElement | null, seconds: number): void {
  const { value = '', selectionStart = 0, selectionEnd = 0 } = area ?? {}
  const before = /\S$/.test(value.slice(0, selectionStart)) ? ' ' : ''
  const after = /^\S/.test(value.slice(selectionEnd)) ? ' ' : ''
  insertText(area, `${before}[pause ${seconds.toFixed(1)}s]${after}`)
}

/** Replaces the text as typing does: the browser's Undo brings the old text back. */
function replaceText(area: HTMLTextAreaElement | null, text: string): void {
  area?.focus()
  area?.select()
  insertText(area, text)
}

/**
 * Inserts at the cursor as typing does. `execCommand` is deprecated, but nothing else that a page can call takes part in
 * the browser's Undo.
 */
function insertText(area: HTMLTextAreaElement | null, text: string): void {
  area?.focus()
  document.execCommand('insertText', false, text)
}

type SettingsProps = Pick<SpeakEditorProps, 'draft' | 'change'>

const MODELS = named('svc-tts-1.5-flash', 'svc-tts-1.0-pro')
const STREAM: SelectOption<SpeakDraft['output']> = { value: 'stream', label: 'Stream' }

/** Voice, model, output and speed. They do not render again while a speech arrives. */
export const SpeakSettings: MemoExoticComponent<(props: SettingsProps) => ReactElement> = memo(SettingsView)

function SettingsView({ draft, change }: SettingsProps): ReactElement {
  const streams = draft.model === STREAMING_MODEL
  const isLive = isStream(draft)
  return (
    <>
      <VoicePicker value={draft.voice} onChange={(voice) => change({ voice })} />
      <SelectField
        label="Model"
        value={draft.model}
        options={MODELS}
        onChange={(model) => change({ model })}
        hint={streams ? 'Streams audio and supports pause markers.' : 'Makes files. It has no pause markers.'}
      />
      <SelectField
        label="Output"
        value={!streams && draft.output === 'stream' ? 'mp3' : draft.output}
        options={streams ? [STREAM, ...FILE_FORMATS] : FILE_FORMATS}
        onChange={(output) => change({ output })}
        hint={isLive ? 'PCM, played as it arrives. The download is a WAV.' : 'One file, played when it is complete.'}
      />
      <SliderField
        label="Speed"
        value={draft.speed}
        min={0.25}
        max={4}
        step={0.05}
        format={(speed) => `${speed.toFixed(2)} ×`}
        disabled={!isLive}
        onChange={(speed) => change({ speed })}
        hint={isLive ? undefined : 'Only streams have a speed.'}
      />
    </>
  )
}

/** The latest speech, or the one that the address names: player, measurements, download. */
export function TakeView(props: {
  readonly phase: SpeakPhase
  readonly take: Take | undefined
  readonly sound: Sound | undefined
  readonly onRetry: (take: Take) => void
}): ReactElement {
  const { take, sound, phase, onRetry } = props
  // A new speech has no audio yet: the old one must not look like it.
  const shown = phase === 'waiting' ? undefined : take
  const isEmpty = take !== undefined && take.bytes === 0
  const audio = phase === 'waiting' || isEmpty ? undefined : sound
  return (
    <section className="card" aria-label="Speech">
      <StatusLine text={statusOf(shown, phase)} />
      <PlayerBar player={audio?.player} label="the speech">
        {shown?.end === 'complete' && !isLocal(shown.id) && (
          <CopyButton text={shareAddress('speak', shown.id)} label="Copy link" what="to this speech" />
        )}
        <DownloadButton file={audio?.file} name={shown === undefined ? '' : fileNameOf(shown)} small />
        {shown !== undefined && (shown.end === 'failed' || shown.end === 'cut') && shown.draft.text !== '' && (
          <Button icon="replay" look="small" onClick={() => onRetry(shown)}>
            Speak again
          </Button>
        )}
      </PlayerBar>
      {take !== undefined && <Facts facts={factsOf(shown)} />}
    </section>
  )
}

/** Without a take, all values are open: nothing moves when audio comes. */
function factsOf(take: Take | undefined): readonly Fact[] {
  const { seconds = 0, totalMs, firstAudioMs, bytes } = take ?? {}
  const factor = totalMs === undefined || seconds === 0 ? undefined : totalMs / 1000 / seconds
  return [
    ...(take === undefined || isStream(take.draft)
      ? [{ name: 'First audio', value: firstAudioMs === undefined ? undefined : formatMs(firstAudioMs) }]
      : []),
    { name: 'Complete', value: totalMs === undefined ? undefined : formatMs(totalMs) },
    { name: 'Speed', value: factor === undefined ? undefined : formatPace(factor) },
    { name: 'Duration', value: seconds === 0 ? undefined : formatSeconds(seconds) },
    { name: 'Received', value: bytes === undefined ? undefined : formatBytes(bytes) },
  ]
}

function statusOf(take: Take | undefined, phase: SpeakPhase): string {
  if (phase === 'waiting') return 'Waiting for the first audio …'
  if (take === undefined) return 'Nothing spoken yet.'
  if (take.end === 'open') return phase === 'receiving' ? 'Receiving …' : 'It is made by another tab, or by its task.'
  if (take.end === 'failed') return `Not spoken. ${take.failure ?? ''}`.trim()
  const length = formatSeconds(take.seconds)
  if (take.end === 'cut') return `Incomplete: ${length} arrived. You can play and download them.`
  return `Complete: ${length} of audio.`
}

interface HistoryProps {
  /** Newest first. */
  readonly takes: readonly Take[]
  readonly soundOf: (take: Take) => Sound
  readonly remove: (id: string) => void
  /** Makes a speech again that has failed. The same function in each render. */
  readonly onRetry: (take: Take) => void
  /** Puts text and settings of a take back. The same function in each render. */
  readonly onReuse: (take: Take) => void
}

/** Earlier speeches. */
export function History({ takes, soundOf, remove, onReuse, onRetry }: HistoryProps): ReactElement {
  const rows = takes.map((take) => ({
    id: take.id,
    title: titleOf(take),
    note: noteOf(take),
    ...(take.bytes === 0 ? {} : { href: pathOf('speak', { task: take.id }) }),
    children: <Row take={take} sound={soundOf(take)} onReuse={onReuse} onRetry={onRetry} />,
  }))
  return <HistoryList rows={rows} onRemove={remove} />
}

/** The text of a take. That of a shared link is not known. */
function titleOf({ id, draft }: Take): string {
  return draft.text === '' ? `Speech of ${id}` : draft.text
}

function noteOf({ at, draft, end }: Take): string {
  const voice = draft.voice === '' ? 'default voice' : draft.voice
  return `${formatTime(at / 1000)} · ${voice}${NOTES[end]}`
}

const NOTES: Readonly<Record<Take['end'], string>> = {
  open: ' · is made',
  complete: '',
  cut: ' · incomplete',
  failed: ' · not spoken',
}

interface RowProps extends Pick<HistoryProps, 'onReuse' | 'onRetry'> {
  readonly take: Take
  readonly sound: Sound
}

/** While a new speech arrives, the panel renders several times per second. Earlier takes do not change. */
const Row = memo(function Row({ take, sound, onReuse, onRetry }: RowProps): ReactElement {
  return (
    <TakeRow
      take={take}
      sound={sound}
      label={`the speech of ${formatTime(take.at / 1000)}`}
      name={fileNameOf(take)}
      onRetry={() => onRetry(take)}
      {...(take.draft.text === '' ? {} : { onReuse: () => onReuse(take) })}
    />
  )
})
