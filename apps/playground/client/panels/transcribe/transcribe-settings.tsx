import type { ReactElement } from 'react'
import { Field, SelectField } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { useStore } from '../../lib/store.ts'
import { connection } from '../../shell/connection.ts'
import { SPEAKERS_MODEL, type TranscribeDraft } from './source.ts'

/** Options of {@link TranscribeSettings}. */
export interface TranscribeSettingsProps {
  readonly draft: TranscribeDraft
  readonly onChange: (draft: TranscribeDraft) => void
}

const MODELS = [
  { value: 'svc-transcribe-diarize-pro', label: 'svc-transcribe-diarize-pro' },
  { value: 'svc-transcribe-1.0', label: 'svc-transcribe-1.0' },
] as const

/** Model, live text and key terms. */
export function TranscribeSettings({ draft, onChange }: TranscribeSettingsProps): ReactElement {
  const { embedded } = useStore(connection)
  const speakers = draft.model === SPEAKERS_MODEL
  return (
    <>
      <SelectField
        label="Model"
        value={draft.model}
        options={MODELS}
        onChange={(model) => onChange({ ...draft, model })}
        hint={speakers ? 'Separates speakers and gives times.' : 'One text, without speakers and times.'}
      />
      {speakers && (
        <>
          <label className="check">
            <input
              type="checkbox"
              checked={draft.live}
              onChange={(event) => onChange({ ...draft, live: event.target.checked })}
            />
            <span>
              Live text
              <span className="hint">Shows the words while the service recognizes them.</span>
            </span>
          </label>
          <Field label="Key terms" hint="Names and terms to recognize, one per line.">
            {(ids) => (
              <textarea
                {...ids}
                rows={3}
                value={draft.keyterms}
                onChange={(event) => onChange({ ...draft, keyterms: event.target.value })}
              />
            )}
          </Field>
        </>
      )}
      {embedded === true && (
        <p className="note">
          <Icon name="warning" />
          <span>
            The local recognizer knows US English only. Speech in another language becomes English words that were not
            said.
          </span>
        </p>
      )}
    </>
  )
}
