import type { ReactElement } from 'react'
import { CheckField, named, SelectField, TextField } from '../../components/form.tsx'
import { Icon } from '../../components/button.tsx'
import { useStore } from '../../lib/store.ts'
import { connection } from '../../shell/connection.ts'
import { SPEAKERS_MODEL, type TranscribeDraft } from './transcript.ts'

/** Model, live text and key terms. */
export function TranscribeSettings(props: {
  readonly draft: TranscribeDraft
  readonly change: (change: Partial<TranscribeDraft>) => void
}): ReactElement {
  const { draft, change } = props
  const { embedded } = useStore(connection)
  const speakers = draft.model === SPEAKERS_MODEL
  return (
    <>
      <SelectField
        label="Model"
        value={draft.model}
        options={named('svc-transcribe-diarize-pro', 'svc-transcribe-1.0')}
        onChange={(model) => change({ model })}
        hint={speakers ? 'Separates speakers and gives times.' : 'One text, without speakers and times.'}
      />
      <CheckField
        label="Live text"
        hint="Shows the words of a recording while you speak, and those of a model with speakers as it recognizes them."
        checked={draft.live}
        onChange={(live) => change({ live })}
      />
      {speakers && (
        <>
          <TextField
            label="Key terms"
            hint="Names and terms to recognize, one per line."
            rows={3}
            value={draft.keyterms}
            onChange={(keyterms) => change({ keyterms })}
          />
        </>
      )}
      {embedded === true && (
        <p className="notice warning">
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
