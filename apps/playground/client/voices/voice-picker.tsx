import { type ReactElement, useId, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import { Icon } from '../components/button.tsx'
import { FailureBox } from '../components/states.tsx'
import { hueStyle } from '../lib/hue.ts'
import { nameOf, useVoices } from './use-voices.ts'
import { VoiceList } from './voice-list.tsx'

/** A button with the chosen voice. It opens the list of the voices, where each can be heard. */
export function VoicePicker(props: {
  /** @default 'Voice' */
  readonly label?: string
  /** Id of the chosen voice. Empty for the service's default. */
  readonly value: string
  readonly onChange: (voice_id: string) => void
}): ReactElement {
  const { label = 'Voice', value, onChange } = props
  const voices = useVoices()
  const [open, setOpen] = useState(false)
  const id = useId()
  const chosen = voices.data?.find((voice) => voice.id === value) ?? (value === '' ? voices.data?.[0] : undefined)
  const name = chosen === undefined ? (value === '' ? 'Default voice' : value) : nameOf(chosen)
  return (
    <div className="field">
      <span className="strong small" id={id}>
        {label}
      </span>
      <button
        type="button"
        className="voice-button row gap-3"
        aria-haspopup="dialog"
        aria-labelledby={`${id} ${id}-name`}
        onClick={() => setOpen(true)}
      >
        <VoiceBadge id={chosen?.id ?? value} name={name} />
        <span className="short grow" id={`${id}-name`}>
          {name}
        </span>
        <Icon name="chevron" />
      </button>
      {voices.phase === 'failed' && <FailureBox failure={voices.failure} onRetry={voices.reload} />}
      {open && (
        <Dialog title="Choose a voice" onClose={() => setOpen(false)}>
          <VoiceList
            voices={voices}
            chosen={chosen?.id ?? value}
            onChoose={(voice) => {
              onChange(voice.id)
              setOpen(false)
            }}
          />
        </Dialog>
      )}
    </div>
  )
}

/** The initial of a voice on its colour. */
export function VoiceBadge({ id, name }: { readonly id: string; readonly name: string }): ReactElement {
  return (
    <span
      className="voice-badge grid tiny"
      style={hueStyle(hueOf(id))}
      data-initial={name.slice(0, 1).toUpperCase()}
      aria-hidden="true"
    />
  )
}

/** A colour of a voice's badge, from its id: one of eight, always the same. */
export function hueOf(id: string): number {
  let sum = 0
  for (const char of id) sum = (sum * 31 + (char.codePointAt(0) ?? 0)) % 997
  return sum % 8
}
