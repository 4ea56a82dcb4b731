import { type FormEvent, type ReactElement, useState } from 'react'
import { Button, Chips } from '../../components/button.tsx'
import { FileDrop } from '../../components/file-drop.tsx'
import { LastSpeechButton } from '../../components/last-speech-button.tsx'
import { usePanel } from '../../shell/panel-context.ts'
import { makeSample, type Sample, SAMPLES } from './samples.ts'
import type { AudioSource } from './source.ts'

/** Options of {@link Sources}. */
export interface SourcesProps {
  /** The typed address. */
  readonly url: string
  readonly onUrl: (url: string) => void
  readonly onSource: (source: AudioSource) => void
  readonly onRecord: () => void
  /** See `FileDrop`. */
  readonly compact: boolean
  readonly onFail: (error: unknown, context?: string) => void
}

/** Where the audio comes from: a file, the microphone, the last speech, an address, or a sample. */
export function Sources({ url, onUrl, onSource, onRecord, compact, onFail }: SourcesProps): ReactElement {
  const address = url.trim()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSource({ url: address, name: nameIn(address) })
  }
  return (
    <div className="stack">
      <FileDrop
        title="Drop a recording here"
        label="Recording to transcribe"
        compact={compact}
        onFile={(file) => onSource({ file, name: file.name })}
      >
        <Button icon="microphone" onClick={onRecord}>
          Record
        </Button>
        <LastSpeechButton onUse={({ data, ...speech }) => onSource({ ...speech, file: data })} />
      </FileDrop>
      <div className="sources-more">
        <form className="address-form" onSubmit={submit}>
          <input
            type="url"
            required
            aria-label="Address of the audio"
            placeholder="https://example.com/talk.mp3"
            value={url}
            onChange={(event) => onUrl(event.target.value)}
          />
          <Button type="submit" icon="link" disabled={address === ''}>
            Transcribe address
          </Button>
        </form>
        <SampleChips onSource={onSource} onFail={onFail} />
      </div>
    </div>
  )
}

function SampleChips({ onSource, onFail }: Pick<SourcesProps, 'onSource' | 'onFail'>): ReactElement {
  const { client } = usePanel()
  const [making, setMaking] = useState<Sample>()
  const make = async (sample: Sample): Promise<void> => {
    setMaking(sample)
    try {
      onSource(await makeSample(client, sample))
    } catch (error) {
      onFail(error, sample.title)
    } finally {
      setMaking(undefined)
    }
  }
  const items = SAMPLES.map((sample) => ({ sample, title: sample === making ? 'Making …' : sample.title }))
  const choose = ({ sample }: { readonly sample: Sample }): void => void make(sample)
  return <Chips label="Samples" items={items} onChoose={choose} disabled={making !== undefined} />
}

function nameIn(url: string): string {
  const path = URL.canParse(url) ? new URL(url).pathname : ''
  return path.split('/').at(-1) || url
}
