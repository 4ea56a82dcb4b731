import type { ReactElement } from 'react'
import { Button, IconButton } from '../../components/button.tsx'
import { FormatField } from '../../components/form.tsx'
import { useVoices } from '../../voices/use-voices.ts'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { addSpeaker, MAX_SPEAKERS, removeSpeaker, type ScriptProps } from './script.ts'

/** The speakers with their voices, and the format. */
export function DialogueSettings({ script, onChange }: ScriptProps): ReactElement {
  const voices = useVoices()
  const { speakers, format } = script
  // The next speaker gets a voice that nobody has yet.
  const free = voices.data?.find(({ id }) => !speakers.some(({ voice }) => voice === id)) ?? voices.data?.[0]
  const setVoice = (id: string, voice: string): void =>
    onChange({ ...script, speakers: speakers.map((one) => (one.id === id ? { ...one, voice } : one)) })
  return (
    <>
      {speakers.map(({ id, voice }) => (
        <div key={id} className="speaker-row">
          <VoicePicker label={`Speaker ${id}`} value={voice} onChange={(chosen) => setVoice(id, chosen)} />
          <IconButton
            icon="trash"
            label={`Remove speaker ${id}`}
            disabled={speakers.length === 1}
            onClick={() => onChange(removeSpeaker(script, id))}
          />
        </div>
      ))}
      <Button
        icon="plus"
        look="small"
        disabled={speakers.length >= MAX_SPEAKERS || free === undefined}
        onClick={() => free !== undefined && onChange(addSpeaker(script, free.id))}
      >
        Add a speaker
      </Button>
      <FormatField
        value={format}
        onChange={(next) => onChange({ ...script, format: next })}
        hint="One file with all lines."
      />
    </>
  )
}
