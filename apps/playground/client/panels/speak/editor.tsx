import { memo, type MemoExoticComponent, type ReactElement, useId, useRef } from 'react'
import { Icon } from '../../components/icon.tsx'
import { RunButton } from '../../components/run-button.tsx'
import { Counter, TextArea } from '../../components/text-area.tsx'
import { type SpeakDraft, STREAMING_MODEL } from './draft.ts'
import { SAMPLES } from './samples.ts'
import type { SpeakControl } from './use-speak.ts'

/** Options of {@link Editor}. */
export interface EditorProps {
  readonly draft: SpeakDraft
  readonly onChange: (draft: SpeakDraft) => void
  readonly phase: SpeakControl['phase']
  /** Whether the draft can be spoken. */
  readonly ready: boolean
  readonly onSpeak: () => void
  readonly onStop: () => void
}

/** The text, its helpers, and the button that speaks it. They do not render again while a speech arrives. */
export const Editor: MemoExoticComponent<(props: EditorProps) => ReactElement> = memo(EditorView)

function EditorView({ draft, onChange, phase, ready, onSpeak, onStop }: EditorProps): ReactElement {
  const area = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const busy = phase !== 'idle'
  return (
    <section className="editor" aria-label="Text to speak">
      <TextArea
        ref={area}
        className=""
        value={draft.text}
        placeholder="Type a text, or start with a sample."
        describedBy={id}
        onChange={(text) => onChange({ ...draft, text })}
      />
      <div className="editor-tools">
        <div className="chips" role="group" aria-label="Samples">
          {SAMPLES.map(({ title, text }) => (
            <button key={title} type="button" className="chip" onClick={() => replaceText(area.current, text)}>
              {title}
            </button>
          ))}
        </div>
        {draft.model === STREAMING_MODEL && (
          <PauseHelper
            seconds={draft.pause}
            onChange={(pause) => onChange({ ...draft, pause })}
            onInsert={() => insertText(area.current, `[pause ${draft.pause.toFixed(1)}s]`)}
          />
        )}
      </div>
      <div className="editor-foot">
        <Counter text={draft.text} id={id} />
        <RunButton busy={busy} label="Speak" ready={ready} onRun={onSpeak} onStop={onStop} hint />
      </div>
    </section>
  )
}

function PauseHelper(props: {
  readonly seconds: number
  readonly onChange: (seconds: number) => void
  readonly onInsert: () => void
}): ReactElement {
  const { seconds, onChange, onInsert } = props
  return (
    <div className="pause-helper" role="group" aria-label="Pause">
      <input
        type="number"
        aria-label="Length of the pause in seconds"
        min={0.1}
        max={10}
        step={0.1}
        value={seconds}
        onChange={(event) => {
          const value = event.target.valueAsNumber
          if (value >= 0.1 && value <= 10) onChange(Math.round(value * 10) / 10)
        }}
      />
      <span aria-hidden="true">s</span>
      <button type="button" className="chip" onClick={onInsert}>
        <Icon name="plus" />
        Insert pause
      </button>
    </div>
  )
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
