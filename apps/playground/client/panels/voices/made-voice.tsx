import type { Voice } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import { Button } from '../../components/button.tsx'
import { CopyButton } from '../../components/copy-button.tsx'
import { PreviewButton } from '../../voices/preview-button.tsx'
import { nameOf } from '../../voices/voice-name.ts'
import { VoiceBadge } from '../../voices/voice-picker.tsx'

/** A voice that was made: hear it, copy its id, or compare it. */
export function MadeVoice(props: { readonly voice: Voice; readonly onCompare: (voice: Voice) => void }): ReactElement {
  const { voice, onCompare } = props
  return (
    <section className="card made-voice" aria-label="The new voice">
      <PreviewButton voice={voice} />
      <VoiceBadge id={voice.id} name={nameOf(voice)} />
      <div className="made-words">
        <b>{nameOf(voice)}</b>
        <code>{voice.id}</code>
      </div>
      <div className="actions">
        <CopyButton text={voice.id} what="the id of the new voice" />
        <Button icon="loop" look="small" onClick={() => onCompare(voice)}>
          Compare
        </Button>
      </div>
    </section>
  )
}
