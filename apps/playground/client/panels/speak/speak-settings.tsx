import { memo, type MemoExoticComponent, type ReactElement } from 'react'
import { FILE_FORMATS, named, SelectField, type SelectOption, SliderField } from '../../components/form.tsx'
import { VoicePicker } from '../../voices/voice-picker.tsx'
import { isStream, type SpeakDraft, SPEED_MAX, SPEED_MIN, STREAMING_MODEL } from './draft.ts'
import type { SpeakEditorProps } from './editor.tsx'

type SettingsProps = Pick<SpeakEditorProps, 'draft' | 'change'>

const MODELS = named('svc-tts-1.5-flash', 'svc-tts-1.0-pro')
const STREAM: SelectOption<SpeakDraft['output']> = { value: 'stream', label: 'Stream' }

/** Voice, model, output and speed. They do not render again while a speech arrives. */
export const SpeakSettings: MemoExoticComponent<(props: SettingsProps) => ReactElement> = memo(View)

function View({ draft, change }: SettingsProps): ReactElement {
  const streams = draft.model === STREAMING_MODEL
  const isLive = isStream(draft)
  return (
    <>
      <VoicePicker value={draft.voice} onChange={(voice) => change({ voice })} />
      <SelectField
        label="Model"
        value={draft.model}
        options={MODELS}
        onChange={(model) => change({ model })}
        hint={streams ? 'Streams audio and supports pause markers.' : 'Makes files. It has no pause markers.'}
      />
      <SelectField
        label="Output"
        value={!streams && draft.output === 'stream' ? 'mp3' : draft.output}
        options={streams ? [STREAM, ...FILE_FORMATS] : FILE_FORMATS}
        onChange={(output) => change({ output })}
        hint={isLive ? 'PCM, played as it arrives. The download is a WAV.' : 'One file, played when it is complete.'}
      />
      <SliderField
        label="Speed"
        value={draft.speed}
        min={SPEED_MIN}
        max={SPEED_MAX}
        step={0.05}
        format={(speed) => `${speed.toFixed(2)} ×`}
        disabled={!isLive}
        onChange={(speed) => change({ speed })}
        hint={isLive ? undefined : 'Only streams have a speed.'}
      />
    </>
  )
}
