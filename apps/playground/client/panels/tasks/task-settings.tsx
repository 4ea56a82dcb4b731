import type { ReactElement } from 'react'
import { CheckField, FormatField } from '../../components/form.tsx'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import type { TaskDraft } from './draft.ts'

/** Options of {@link TaskSettings}. */
export interface TaskSettingsProps {
  readonly draft: TaskDraft
  readonly change: (change: Partial<TaskDraft>) => void
  /** Whether the service can call the playground. `undefined` until known. */
  readonly webhooks: boolean | undefined
}

/** Voice, format and webhook of a new task. */
export function TaskSettings({ draft, change, webhooks }: TaskSettingsProps): ReactElement {
  return (
    <>
      {draft.kind === 'speech' && <VoicePicker value={draft.voice} onChange={(voice) => change({ voice })} />}
      {draft.kind !== 'transcription' && <FormatField value={draft.format} onChange={(format) => change({ format })} />}
      <CheckField
        label="Call a webhook"
        checked={draft.webhook && webhooks === true}
        disabled={webhooks !== true}
        onChange={(webhook) => change({ webhook })}
        hint={
          webhooks === false ? (
            <>
              This service cannot call the playground. Set <code>SVC_AUDIO_WEBHOOK_URL</code> to an HTTPS address that
              leads to <code>/hooks/audio</code> of this page.
            </>
          ) : (
            'The service calls the playground when the task ends. The list shows the call as it arrives.'
          )
        }
      />
    </>
  )
}
