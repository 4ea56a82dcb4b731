import { type ReactElement, useId } from 'react'
import { FormatField } from '../../components/format-field.tsx'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import type { TaskDraft } from './draft.ts'

/** Options of {@link TaskSettings}. */
export interface TaskSettingsProps {
  readonly draft: TaskDraft
  readonly onChange: (draft: TaskDraft) => void
  /** Whether the service can call the playground. `undefined` until known. */
  readonly webhooks: boolean | undefined
}

/** Voice, format and webhook of a new task. */
export function TaskSettings({ draft, onChange, webhooks }: TaskSettingsProps): ReactElement {
  const id = useId()
  return (
    <>
      {draft.kind === 'speech' && (
        <VoicePicker value={draft.voice} onChange={(voice) => onChange({ ...draft, voice })} />
      )}
      {draft.kind !== 'transcription' && (
        <FormatField value={draft.format} onChange={(format) => onChange({ ...draft, format })} />
      )}
      <div className="field">
        <label className="check">
          <input
            type="checkbox"
            checked={draft.webhook && webhooks === true}
            disabled={webhooks !== true}
            aria-describedby={`${id}-hint`}
            onChange={(event) => onChange({ ...draft, webhook: event.target.checked })}
          />
          Call a webhook
        </label>
        <p className="hint" id={`${id}-hint`}>
          {webhooks === false ? (
            <>
              This service cannot call the playground. Set <code>SVC_AUDIO_WEBHOOK_URL</code> to an HTTPS address that
              leads to <code>/hooks/audio</code> of this page.
            </>
          ) : (
            'The service calls the playground when the task ends. The list shows the call as it arrives.'
          )}
        </p>
      </div>
    </>
  )
}
