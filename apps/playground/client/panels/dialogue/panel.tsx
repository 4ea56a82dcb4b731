import './dialogue.css'
import { type KeyboardEvent, type ReactElement, useEffect, useRef, useState } from 'react'
import { Button, DownloadButton, Icon, IconButton } from '../../components/button.tsx'
import { Editor, FormatField } from '../../components/form.tsx'
import { PlayerBar } from '../../components/player-bar.tsx'
import { Facts, StatusLine } from '../../components/states.tsx'
import { formatBytes, formatMs } from '../../lib/format.ts'
import { useStored } from '../../lib/store.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useVoices } from '../../voices/use-voices.ts'
import { VoiceBadge, VoicePicker } from '../../voices/voice-picker.tsx'
import { fileNameOf, History, lineCount, statusOf, useDialogue } from './made.tsx'
import {
  addLine,
  addSpeaker,
  changeLine,
  dialogueSnippets,
  FIRST_SCRIPT,
  isEmpty,
  MAX_SPEAKERS,
  moveLine,
  removeLine,
  removeSpeaker,
  type Script,
  type ScriptLine,
  type ScriptProps,
} from './script.ts'

/** Speech of several speakers. */
export function Panel(): ReactElement {
  const [script, setScript] = useStored<Script>('dialogue', FIRST_SCRIPT)
  const control = useDialogue()
  const { making, takes, speak } = control
  const take = takes[0]
  const sound = take !== undefined && take.bytes > 0 && making === undefined ? control.soundOf(take) : undefined
  const foot = (
    <span className="hint">
      {script.lines.length} {script.lines.length === 1 ? 'line' : 'lines'}. Enter adds one, Alt and an arrow key moves
      it.
    </span>
  )
  const run = { action: 'Speak all', job: control.job, ready: !isEmpty(script) }
  return (
    <PanelFrame
      title="Dialogue"
      about="Let several voices speak one script, in one file."
      settings={<DialogueSettings script={script} onChange={setScript} />}
      code={() => dialogueSnippets(script)}
    >
      <Editor
        label="Dialogue"
        foot={foot}
        {...run}
        onRun={() => speak({ script })}
        onRetry={() => control.retryWith(script)}
      >
        <LineList
          script={script}
          onChange={setScript}
          making={making && (making.line ?? 'script')}
          onSpeakLine={({ key }) => speak({ script, line: key })}
        />
      </Editor>
      <section className="card" aria-label="Audio">
        <StatusLine text={statusOf(making, take)} />
        <PlayerBar player={sound?.player} label="the dialogue">
          <DownloadButton
            file={sound?.file}
            name={take === undefined ? 'dialogue.mp3' : fileNameOf(take.draft)}
            small
          />
        </PlayerBar>
        {take !== undefined && take.totalMs !== undefined && (
          <Facts
            facts={[
              { name: 'Lines', value: String(lineCount(take.draft)) },
              { name: 'Complete', value: formatMs(take.totalMs) },
              { name: 'Received', value: formatBytes(take.bytes) },
            ]}
          />
        )}
      </section>
      <History
        // One that has failed has its box, and its row when the box is gone: the service may be back.
        takes={takes.filter((one) => one !== take || (one.end === 'failed' && control.job.failure === undefined))}
        control={control}
        onReuse={setScript}
      />
    </PanelFrame>
  )
}

/** The speakers with their voices, and the format. */
export function DialogueSettings({ script, onChange }: ScriptProps): ReactElement {
  const voices = useVoices()
  const { speakers, format } = script
  // The next speaker gets a voice that nobody has yet.
  const free = voices.data?.find(({ id }) => !speakers.some(({ voice }) => voice === id)) ?? voices.data?.[0]
  const setVoice = (id: string, voice: string): void =>
    onChange({ ...script, speakers: speakers.map((one) => (one.id === id ? { ...one, voice } : one)) })
  return (
    <>
      {speakers.map(({ id, voice }) => (
        <div key={id} className="row ends gap-1">
          <VoicePicker label={`Speaker ${id}`} value={voice} onChange={(chosen) => setVoice(id, chosen)} />
          <IconButton
            icon="trash"
            label={`Remove speaker ${id}`}
            disabled={speakers.length === 1}
            onClick={() => onChange(removeSpeaker(script, id))}
          />
        </div>
      ))}
      <Button
        icon="plus"
        look="small"
        disabled={speakers.length >= MAX_SPEAKERS || free === undefined}
        onClick={() => free !== undefined && onChange(addSpeaker(script, free.id))}
      >
        Add a speaker
      </Button>
      <FormatField
        value={format}
        onChange={(next) => onChange({ ...script, format: next })}
        hint="One file with all lines."
      />
    </>
  )
}

interface LineListProps extends ScriptProps {
  /** What is being made: the script, or the key of a line. */
  readonly making: 'script' | number | undefined
  readonly onSpeakLine: (line: ScriptLine) => void
}

/** The lines of the script. Drag the handle, or press Alt and an arrow key, to move a line. Enter adds a line. */
function LineList({ script, onChange, making, onSpeakLine }: LineListProps): ReactElement {
  const [dragged, setDragged] = useState<number>()
  const [said, setSaid] = useState('')
  const wanted = useRef<number>(undefined)
  const list = useRef<HTMLOListElement>(null)
  // A line that was added or moved gets the focus where it is now. So does the one after a deleted line.
  useEffect(() => {
    if (wanted.current === undefined) return
    list.current?.querySelector<HTMLElement>(`[data-line="${wanted.current}"] textarea`)?.focus()
    wanted.current = undefined
  }, [script.lines])
  const show = (next: Script, focus: number | undefined, words: string): void => {
    wanted.current = focus
    setSaid(words)
    onChange(next)
  }
  const move = ({ key }: ScriptLine, to: number): void => {
    const next = moveLine(script, key, to)
    if (next !== script) show(next, key, `Line moved to ${to + 1} of ${script.lines.length}.`)
  }
  const add = (after: number): void => {
    const next = addLine(script, after)
    show(next, next.lines[after + 1]?.key, '')
  }
  const remove = ({ key }: ScriptLine, index: number): void => {
    const next = removeLine(script, key)
    show(next, (next.lines[index] ?? next.lines.at(-1))?.key, `Line ${index + 1} deleted.`)
  }
  return (
    <>
      <ol className="grid gap-1 pad-item" ref={list} aria-label="Script">
        {script.lines.map((line, index) => (
          <li
            key={line.key}
            className="script-line grid gap-2"
            data-line={line.key}
            data-dragged={dragged === line.key}
            onDragOver={(event) => {
              event.preventDefault()
              if (dragged !== undefined && dragged !== line.key) onChange(moveLine(script, dragged, index))
            }}
          >
            <Line
              line={line}
              index={index}
              script={script}
              busy={making === line.key}
              onChange={(change) => onChange(changeLine(script, line.key, change))}
              onMove={(by) => move(line, index + by)}
              onAdd={() => add(index)}
              onRemove={() => remove(line, index)}
              onSpeak={() => onSpeakLine(line)}
              onDrag={(dragging) => setDragged(dragging ? line.key : undefined)}
            />
          </li>
        ))}
      </ol>
      <p className="visually-hidden" role="status">
        {said}
      </p>
      <div className="pad-item">
        <Button icon="plus" look="small" onClick={() => add(script.lines.length - 1)}>
          Add a line
        </Button>
      </div>
    </>
  )
}

interface LineProps {
  readonly line: ScriptLine
  readonly index: number
  readonly script: Script
  readonly busy: boolean
  readonly onChange: (change: Partial<Omit<ScriptLine, 'key'>>) => void
  readonly onMove: (by: -1 | 1) => void
  readonly onAdd: () => void
  readonly onRemove: () => void
  readonly onSpeak: () => void
  readonly onDrag: (dragging: boolean) => void
}

function Line(props: LineProps): ReactElement {
  const { line, index, script, busy, onChange, onMove } = props
  const name = `line ${index + 1}`
  const voice = script.speakers.find(({ id }) => id === line.speaker)?.voice ?? ''
  const press = (event: KeyboardEvent): void => {
    const { key, altKey, ctrlKey, metaKey, shiftKey } = event
    const isMove = altKey && (key === 'ArrowUp' || key === 'ArrowDown')
    if (!isMove && (key !== 'Enter' || ctrlKey || metaKey || shiftKey)) return
    event.preventDefault()
    if (isMove) onMove(key === 'ArrowUp' ? -1 : 1)
    else props.onAdd()
  }
  return (
    <>
      <span
        className="script-grip grid faint"
        aria-hidden="true"
        draggable
        onDragStart={(event) => {
          event.dataTransfer.effectAllowed = 'move'
          props.onDrag(true)
        }}
        onDragEnd={() => props.onDrag(false)}
      >
        <Icon name="grip" />
      </span>
      <label className="script-speaker row gap-2">
        <span className="visually-hidden">Speaker of {name}</span>
        <VoiceBadge id={voice} name={line.speaker} />
        <select value={line.speaker} onChange={(event) => onChange({ speaker: event.target.value })}>
          {script.speakers.map(({ id }) => (
            <option key={id} value={id}>
              {id}
            </option>
          ))}
        </select>
      </label>
      <textarea
        aria-label={`Text of ${name}`}
        className="script-text grows"
        rows={1}
        value={line.text}
        placeholder="Say something …"
        onChange={(event) => onChange({ text: event.target.value })}
        onKeyDown={press}
      />
      <span className="script-buttons row">
        <IconButton
          icon={busy ? 'clock' : 'play'}
          label={`Speak ${name}`}
          disabled={line.text.trim() === '' || busy}
          onClick={props.onSpeak}
        />
        <IconButton icon="up" label={`Move ${name} up`} disabled={index === 0} onClick={() => onMove(-1)} />
        <IconButton
          icon="chevron"
          label={`Move ${name} down`}
          disabled={index === script.lines.length - 1}
          onClick={() => onMove(1)}
        />
        <IconButton icon="trash" label={`Delete ${name}`} onClick={props.onRemove} />
      </span>
    </>
  )
}
