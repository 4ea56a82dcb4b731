import { type ReactElement, useEffect, useRef, useState } from 'react'
import { Button, Icon, IconButton } from '../../components/button.tsx'
import { VoiceBadge } from '../../voices/voice-picker.tsx'
import { addLine, changeLine, moveLine, removeLine, type Script, type ScriptLine, type ScriptProps } from './script.ts'
import type { DialogueControl } from './use-dialogue.ts'

/** The lines of the script. Drag the handle, or press Alt and an arrow key, to move a line. Enter adds a line. */
export function LineList(
  props: ScriptProps & {
    readonly busy: DialogueControl['busy']
    readonly onSpeakLine: (line: ScriptLine) => void
  },
): ReactElement {
  const { script, onChange, busy, onSpeakLine } = props
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
  const move = (line: ScriptLine, to: number): void => {
    const next = moveLine(script, line.key, to)
    if (next === script) return
    wanted.current = line.key
    setSaid(`Line moved to ${to + 1} of ${script.lines.length}.`)
    onChange(next)
  }
  const add = (after: number): void => {
    const next = addLine(script, after)
    wanted.current = next.lines[after + 1]?.key
    onChange(next)
  }
  const remove = (index: number): void => {
    const { lines } = script
    const next = removeLine(script, lines[index]?.key ?? 0)
    wanted.current = (next.lines[index] ?? next.lines.at(-1))?.key
    setSaid(`Line ${index + 1} deleted.`)
    onChange(next)
  }
  return (
    <>
      <ol className="grid gap-1 pad-4" ref={list} aria-label="Script">
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
              busy={busy === line.key}
              onChange={(change) => onChange(changeLine(script, line.key, change))}
              onMove={(by) => move(line, index + by)}
              onAdd={() => add(index)}
              onRemove={() => remove(index)}
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
  const { line, index, script, onChange, onMove, onAdd } = props
  const name = `line ${index + 1}`
  const voice = script.speakers.find(({ id }) => id === line.speaker)?.voice ?? ''
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
        onKeyDown={(event) => {
          const { key, altKey, ctrlKey, metaKey, shiftKey } = event
          if (altKey && (key === 'ArrowUp' || key === 'ArrowDown')) {
            event.preventDefault()
            onMove(key === 'ArrowUp' ? -1 : 1)
          } else if (key === 'Enter' && !ctrlKey && !metaKey && !shiftKey) {
            event.preventDefault()
            onAdd()
          }
        }}
      />
      <LineButtons {...props} name={name} />
    </>
  )
}

function LineButtons(props: LineProps & { readonly name: string }): ReactElement {
  const { line, index, script, busy, name, onMove, onRemove, onSpeak } = props
  return (
    <span className="script-buttons row">
      <IconButton
        icon={busy ? 'clock' : 'play'}
        label={`Speak ${name}`}
        disabled={line.text.trim() === '' || busy}
        onClick={onSpeak}
      />
      <IconButton icon="up" label={`Move ${name} up`} disabled={index === 0} onClick={() => onMove(-1)} />
      <IconButton
        icon="chevron"
        label={`Move ${name} down`}
        disabled={index === script.lines.length - 1}
        onClick={() => onMove(1)}
      />
      <IconButton icon="trash" label={`Delete ${name}`} onClick={onRemove} />
    </span>
  )
}
