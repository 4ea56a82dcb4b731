import { type KeyboardEvent, type ReactElement, type ReactNode, useId } from 'react'
import { MAX_SPEECH_CHARACTERS, type VoiceChoice } from '../../shared/api.ts'
import { formatCount } from '../components/format.ts'
import { Icon } from '../components/icon.tsx'

/** The input of the Speak panel. */
export interface SpeechDraft {
  readonly text: string
  readonly voice: string
  readonly speed: number
}

/** Options of {@link SpeakForm}. */
export interface SpeakFormProps {
  readonly draft: SpeechDraft
  readonly onChange: (draft: SpeechDraft) => void
  readonly voices: readonly VoiceChoice[]
  /** Whether speech plays or loads. */
  readonly busy: boolean
  readonly onSpeak: () => void
  readonly onStop: () => void
  /** Content beside the button. */
  readonly children: ReactNode
}

/** Text, voice and speed. Ctrl+Enter speaks, Escape stops. */
export function SpeakForm(props: SpeakFormProps): ReactElement {
  const { draft, onChange, voices, busy, onSpeak, onStop, children } = props
  const ids = { text: useId(), count: useId(), voice: useId(), speed: useId() }
  const tooLong = draft.text.length > MAX_SPEECH_CHARACTERS
  const ready = draft.text.trim() !== '' && !tooLong && draft.voice !== ''
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && ready) onSpeak()
    else if (event.key === 'Escape' && busy) onStop()
    else return
    event.preventDefault()
  }
  return (
    <form
      className="speak-form"
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault()
        if (busy) onStop()
        else onSpeak()
      }}
    >
      <div className="field">
        <div className="field-head">
          <label htmlFor={ids.text}>Text</label>
          <span id={ids.count} className={tooLong ? 'counter error' : 'counter'}>
            {formatCount(draft.text.length)} of {formatCount(MAX_SPEECH_CHARACTERS)} characters
          </span>
        </div>
        <textarea
          id={ids.text}
          rows={5}
          value={draft.text}
          aria-describedby={ids.count}
          aria-invalid={tooLong}
          onChange={(event) => onChange({ ...draft, text: event.target.value })}
        />
      </div>
      <div className="speak-options">
        <div className="field">
          <label htmlFor={ids.voice}>Voice</label>
          <select
            id={ids.voice}
            value={draft.voice}
            disabled={voices.length === 0}
            onChange={(event) => onChange({ ...draft, voice: event.target.value })}
          >
            {voices.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <div className="field-head">
            <label htmlFor={ids.speed}>Speed</label>
            <output htmlFor={ids.speed}>{draft.speed.toFixed(2)} ×</output>
          </div>
          <input
            id={ids.speed}
            type="range"
            min={0.5}
            max={2}
            step={0.05}
            value={draft.speed}
            aria-valuetext={`${draft.speed.toFixed(2)} times`}
            onChange={(event) => onChange({ ...draft, speed: event.target.valueAsNumber })}
          />
        </div>
      </div>
      <div className="speak-actions">
        <button type="submit" className="button button-primary" disabled={!busy && !ready}>
          <Icon name={busy ? 'stop' : 'play'} />
          {busy ? 'Stop' : 'Speak'}
        </button>
        <span className="hint">
          <kbd>{busy ? 'Esc' : 'Ctrl'}</kbd>
          {busy ? '' : <kbd>Enter</kbd>}
        </span>
        {children}
      </div>
    </form>
  )
}
