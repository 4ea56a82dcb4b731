import type { Voice } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import { Button, CopyButton } from '../../components/button.tsx'
import { Empty, LoadedState } from '../../components/states.tsx'
import { type Column, Table } from '../../components/lists.tsx'
import { formatTime } from '../../lib/format.ts'
import { PreviewButton } from '../../voices/preview-button.tsx'
import { nameOf, useVoices } from '../../voices/use-voices.ts'
import { VoiceBadge } from '../../voices/voice-picker.tsx'

/** The voices of the account, each with a preview. */
export function ListView({ onCompare }: { readonly onCompare: (voice: Voice) => void }): ReactElement {
  const voices = useVoices()
  const { data } = voices
  return (
    <>
      <LoadedState loaded={voices} what="the voices" />
      {data?.length === 0 && (
        <Empty icon="voices" title="No voices yet">
          Make one from a recording, or describe one.
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <Table label="Voices" columns={columns(onCompare)} rows={data} keyOf={({ id }) => id} />
          <p className="hint">The interface has no call that renames or deletes a voice.</p>
        </>
      )}
    </>
  )
}

function columns(onCompare: (voice: Voice) => void): readonly Column<Voice>[] {
  return [
    {
      title: 'Voice',
      cell: (voice) => (
        <span className="row gap-2 slim">
          <PreviewButton voice={voice} />
          <VoiceBadge id={voice.id} name={nameOf(voice)} />
          <span className="breaks">{nameOf(voice)}</span>
        </span>
      ),
    },
    {
      title: 'Id',
      wide: true,
      cell: (voice) => (
        <span className="row gap-2 slim">
          <code className="short">{voice.id}</code>
          <CopyButton text={voice.id} what={`the id of ${nameOf(voice)}`} />
        </span>
      ),
    },
    {
      title: 'Made',
      wide: true,
      cell: ({ created_at }) => (created_at > 0 ? formatTime(created_at) : <span className="faint">Built in</span>),
    },
    {
      title: 'Actions',
      cell: (voice) => (
        <Button icon="loop" look="small" aria-label={`Compare ${nameOf(voice)}`} onClick={() => onCompare(voice)}>
          Compare
        </Button>
      ),
    },
  ]
}

/** A voice that was made: hear it, copy its id, or compare it. */
export function MadeVoice(props: { readonly voice: Voice; readonly onCompare: (voice: Voice) => void }): ReactElement {
  const { voice, onCompare } = props
  return (
    <section className="box row wraps gap-3 pad-item" aria-label="The new voice">
      <PreviewButton voice={voice} />
      <VoiceBadge id={voice.id} name={nameOf(voice)} />
      <div className="grid gap-1 grow">
        <b>{nameOf(voice)}</b>
        <code className="muted breaks">{voice.id}</code>
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
