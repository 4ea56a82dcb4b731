import type { PureAudioClient } from '@svc-audio/core/pure'
import { blobOf } from '../../lib/client.ts'
import type { AudioSource } from './source.ts'

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
