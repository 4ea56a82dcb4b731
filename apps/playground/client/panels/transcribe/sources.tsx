import { type FormEvent, type ReactElement, useState } from 'react'
import type { PureAudioClient } from '@svc-audio/core/pure'
import { Button, Chips } from '../../components/button.tsx'
import { FileDrop, LastSpeechButton } from '../../components/audio-input.tsx'
import { usePanel } from '../../shell/panel-context.ts'
import type { AudioSource } from './transcript.ts'
import { blobOf } from '../../lib/client.ts'

/** Options of {@link Sources}. */
export interface SourcesProps {
  /** The typed address. */
  readonly url: string
  readonly onUrl: (url: string) => void
  readonly onSource: (source: AudioSource) => void
  readonly onRecord: () => void
  readonly onFail: (error: unknown, context?: string) => void
}

/** Where the audio comes from: a file, the microphone, the last speech, an address, or a sample. */
export function Sources({ url, onUrl, onSource, onRecord, onFail }: SourcesProps): ReactElement {
  const address = url.trim()
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    onSource({ url: address, name: nameIn(address) })
  }
  return (
    <div className="stack">
      <FileDrop
        title="Drop recordings here"
        label="Recording to transcribe"
        many
        onFile={(file) => onSource({ file, name: file.name })}
      >
        <Button icon="microphone" onClick={onRecord}>
          Record
        </Button>
        <LastSpeechButton onUse={({ data, ...speech }) => onSource({ ...speech, file: data })} />
      </FileDrop>
      <div className="row gap-3 wraps between">
        <form className="address-form row gap-2" onSubmit={submit}>
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

/** Lines of a sample, by speaker. One speaker makes speech, several make a dialogue. */
export interface Sample {
  readonly title: string
  readonly lines: readonly { readonly speaker: number; readonly text: string }[]
}

/** Samples to transcribe. The service speaks them, so the spoken text is known. */
export const SAMPLES: readonly Sample[] = [
  {
    title: 'Sample: one voice',
    lines: [
      {
        speaker: 0,
        text: 'The train to the coast leaves at seven forty-five in the morning. Please keep your ticket ready.',
      },
    ],
  },
  {
    title: 'Sample: two voices',
    lines: [
      { speaker: 0, text: 'Good morning. Did you sleep well last night?' },
      { speaker: 1, text: 'Yes, thank you. The house was quiet and the bed was warm.' },
      { speaker: 0, text: 'Then let us open the window and have breakfast in the garden.' },
    ],
  },
]

/**
 * Speaks a sample with the service's own voices.
 * @throws errors of the client; Error when the service has too few voices
 */
export async function makeSample(client: PureAudioClient, { title, lines }: Sample): Promise<AudioSource> {
  const { data: voices } = await client.voices.list({ limit: 20 })
  const speakers = [...new Set(lines.map(({ speaker }) => speaker))].map((speaker) => {
    const voice = voices[speaker]
    if (voice === undefined) throw new Error('The service has too few voices for this sample.')
    return { id: String(speaker), voice_id: voice.id }
  })
  const said = lines.map(({ text }) => text).join(' ')
  const [first] = speakers
  const response_format = 'wav'
  const speech = { model: 'svc-tts-1.5-flash', input: said, voice_id: first?.voice_id ?? '', response_format } as const
  const segments = lines.map(({ speaker, text }) => ({ speaker: String(speaker), text }))
  const dialogue = { model: 'svc-ttsd-1.0', speakers, segments, response_format } as const
  const audio = speakers.length === 1 ? client.speech.create(speech) : client.dialogue.create(dialogue)
  const file = await blobOf(await audio)
  return { file, name: `${title.replaceAll(/\W+/g, '-').toLowerCase()}.wav`, said }
}
