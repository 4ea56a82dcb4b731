import type { SpeechModel } from '@svc-audio/core/pure'
import { memo, type MemoExoticComponent, type ReactElement } from 'react'
import { SelectField, type SelectOption, SliderField } from '../../components/field.tsx'
import { FILE_FORMATS } from '../../components/format-field.tsx'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { isStream, type SpeakDraft, SPEED_MAX, SPEED_MIN, STREAMING_MODEL } from './draft.ts'

const MODELS: readonly SelectOption<SpeechModel>[] = [
  { value: 'svc-tts-1.5-flash', label: 'svc-tts-1.5-flash' },
  { value: 'svc-tts-1.0-pro', label: 'svc-tts-1.0-pro' },
]

/** Options of {@link SpeakSettings}. */
export interface SpeakSettingsProps {
  readonly draft: SpeakDraft
  readonly onChange: (draft: SpeakDraft) => void
}

/** Voice, model, output and speed. They do not render again while a speech arrives. */
export const SpeakSettings: MemoExoticComponent<(props: SpeakSettingsProps) => ReactElement> = memo(Settings)

function Settings({ draft, onChange }: SpeakSettingsProps): ReactElement {
  const streams = draft.model === STREAMING_MODEL
  const options: readonly SelectOption<SpeakDraft['output']>[] = streams
    ? [{ value: 'stream', label: 'Stream' }, ...FILE_FORMATS]
    : FILE_FORMATS
  const output = !streams && draft.output === 'stream' ? 'mp3' : draft.output
  return (
    <>
      <VoicePicker value={draft.voice} onChange={(voice) => onChange({ ...draft, voice })} />
      <SelectField
        label="Model"
        value={draft.model}
        options={MODELS}
        onChange={(model) => onChange({ ...draft, model })}
        hint={streams ? 'Streams, and knows pauses.' : 'Makes files, without pauses.'}
      />
      <SelectField
        label="Output"
        value={output}
        options={options}
        onChange={(next) => onChange({ ...draft, output: next })}
        hint={
          isStream(draft)
            ? 'PCM, played as it arrives. The download is a WAV.'
            : 'One file, played when it is complete.'
        }
      />
      <SliderField
        label="Speed"
        value={draft.speed}
        min={SPEED_MIN}
        max={SPEED_MAX}
        step={0.05}
        format={(speed) => `${speed.toFixed(2)} ×`}
        disabled={!isStream(draft)}
        onChange={(speed) => onChange({ ...draft, speed })}
        {...(isStream(draft) ? {} : { hint: 'Only streams have a speed.' })}
      />
    </>
  )
}
