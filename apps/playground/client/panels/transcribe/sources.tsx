import { type FormEvent, type ReactElement, useId, useState } from 'react'
import { FileDrop } from '../../components/file-drop.tsx'
import { Icon } from '../../components/icon.tsx'
import { lastSpeech } from '../../lib/last-speech.ts'
import { useStore } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { makeSample, SAMPLES } from './samples.ts'
import type { AudioSource, TranscribeDraft } from './source.ts'

/** Options of {@link Sources}. */
export interface SourcesProps {
  readonly draft: TranscribeDraft
  readonly onChange: (draft: TranscribeDraft) => void
  readonly onSource: (source: AudioSource) => void
  readonly onRecord: () => void
  /** See `FileDrop`. */
  readonly compact: boolean
  readonly onFail: (error: unknown, context?: string) => void
}

/** Where the audio comes from: a file, the microphone, the last speech, an address, or a sample. */
export function Sources({ draft, onChange, onSource, onRecord, compact, onFail }: SourcesProps): ReactElement {
  const speech = useStore(lastSpeech)
  const useSpeech = async (): Promise<void> => {
    if (speech !== undefined) onSource({ file: await speech.file(), name: speech.name, said: speech.text })
  }
  return (
    <div className="sources">
      <FileDrop
        title="Drop a recording here"
        label="Recording to transcribe"
        compact={compact}
        onFile={(file) => onSource({ file, name: file.name })}
      >
        <button type="button" className="button" onClick={onRecord}>
          <Icon name="microphone" />
          Record
        </button>
        <button type="button" className="button" disabled={speech === undefined} onClick={() => void useSpeech()}>
          <Icon name="arrow" />
          Use the last speech
        </button>
      </FileDrop>
      <div className="sources-more">
        <AddressForm
          url={draft.url}
          onChange={(url) => onChange({ ...draft, url })}
          onSubmit={(url) => onSource({ url, name: nameIn(url) })}
        />
        <SampleChips onSource={onSource} onFail={onFail} />
      </div>
    </div>
  )
}

function AddressForm(props: {
  readonly url: string
  readonly onChange: (url: string) => void
  readonly onSubmit: (url: string) => void
}): ReactElement {
  const { url, onChange, onSubmit } = props
  const id = useId()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSubmit(url.trim())
  }
  return (
    <form className="address-form" onSubmit={submit}>
      <label className="visually-hidden" htmlFor={id}>
        Address of the audio
      </label>
      <input
        id={id}
        type="url"
        required
        placeholder="https://example.com/talk.mp3"
        value={url}
        onChange={(event) => onChange(event.target.value)}
      />
      <button type="submit" className="button" disabled={url.trim() === ''}>
        <Icon name="link" />
        Transcribe address
      </button>
    </form>
  )
}

function SampleChips(props: Pick<SourcesProps, 'onSource' | 'onFail'>): ReactElement {
  const { client } = usePanel()
  const [making, setMaking] = useState<string>()
  const make = async (sample: (typeof SAMPLES)[number]): Promise<void> => {
    setMaking(sample.title)
    try {
      props.onSource(await makeSample(client, sample))
    } catch (error) {
      props.onFail(error, sample.title)
    } finally {
      setMaking(undefined)
    }
  }
  return (
    <div className="chips" role="group" aria-label="Samples">
      {SAMPLES.map((sample) => (
        <button
          key={sample.title}
          type="button"
          className="chip"
          disabled={making !== undefined}
          onClick={() => void make(sample)}
        >
          {making === sample.title ? 'Making …' : sample.title}
        </button>
      ))}
    </div>
  )
}

function nameIn(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  return path.split('/').at(-1) || url
}
