import type { Voice } from '@svc-audio/core/pure'
import { type ReactElement, useState } from 'react'
import { Button, CopyButton } from '../../components/button.tsx'
import { Counter, Editor, TextArea } from '../../components/form.tsx'
import { type Column, Table } from '../../components/lists.tsx'
import { PlayerBar, useMediaPlayer, usePlayerState } from '../../components/player-bar.tsx'
import { Empty, Facts, LoadedState } from '../../components/states.tsx'
import { type TabItem, TabPanels, Tabs } from '../../components/tabs.tsx'
import { useJob } from '../../lib/calls.ts'
import { blobOf } from '../../lib/client.ts'
import { formatMs, formatSeconds, formatTime } from '../../lib/format.ts'
import { useDraft } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { nameOf, useVoices } from '../../voices/use-voices.ts'
import { PreviewButton, VoiceBadge, VoicePicker } from '../../voices/voice-picker.tsx'
import { FIRST_DRAFT, type ViewProps, VIEWS, type VoicesDraft, voicesSnippets, type VoicesView } from './draft.ts'
import { DesignView, RecordView } from './make-voice.tsx'

const ITEMS: readonly TabItem<VoicesView>[] = [
  { id: 'list', label: 'All voices' },
  { id: 'record', label: 'Recording' },
  { id: 'design', label: 'Description' },
  { id: 'compare', label: 'Compare' },
]

const CONTENTS = { list: ListView, record: RecordView, design: DesignView, compare: CompareView }

/** The voices: list, make, design, compare. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, change] = useDraft('voices', FIRST_DRAFT)
  const { data: voices } = useVoices()
  const first = stored.first || (voices?.[0]?.id ?? '')
  const other = voices?.find(({ id }) => id !== first)?.id ?? ''
  const draft = { ...stored, first, second: stored.second || other }
  const compare = ({ id }: Voice): void => change({ view: 'compare', first: id === first ? other : first, second: id })
  const tabs = { prefix: 'voices-view', selected: draft.view }
  return (
    <PanelFrame
      title="Voices"
      about="Hear the voices, make one from a recording, describe one in words, and compare two."
      code={() => voicesSnippets(draft)}
    >
      <Tabs {...tabs} label="Views of the voices" items={ITEMS} onSelect={(view) => change({ view })} />
      <TabPanels {...tabs} ids={VIEWS} className="stack">
        {(view, shown) => {
          const Content = CONTENTS[view]
          return <Content draft={draft} change={change} onCompare={compare} active={active && shown} />
        }}
      </TabPanels>
    </PanelFrame>
  )
}

/** The voices of the account, each with a preview. */
function ListView({ onCompare }: { readonly onCompare: (voice: Voice) => void }): ReactElement {
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

interface Spoken {
  readonly audio: Blob
  readonly ms: number
}

/** One text in two voices. */
function CompareView({ draft, change, active }: ViewProps): ReactElement {
  const { client } = usePanel()
  const job = useJob()
  const [spoken, setSpoken] = useState<readonly [Spoken, Spoken]>()
  const { compareText: input, first, second } = draft
  const ready = input.trim() !== '' && first !== '' && second !== ''
  const compare = (): void =>
    job.run(async (signal) => {
      const speak = async (voice_id: string): Promise<Spoken> => {
        const began = performance.now()
        const body = { model: 'svc-tts-1.5-flash', input, voice_id, response_format: 'wav' } as const
        const audio = await blobOf(await client.speech.create(body, { signal }))
        return { audio, ms: performance.now() - began }
      }
      // One after the other: each time is then its own.
      setSpoken([await speak(first), await speak(second)])
      return 'Both voices are ready.'
    })
  const changeAll = (next: Partial<VoicesDraft>): void => {
    setSpoken(undefined)
    change(next)
  }
  const run = { action: 'Compare', job, active, ready, onRun: compare, foot: <Counter text={input} />, hint: true }
  return (
    <>
      <Editor label="Text of both voices" {...run}>
        <TextArea value={input} onChange={(compareText) => changeAll({ compareText })} />
      </Editor>
      <div className="pair">
        <Side label="First voice" voice={first} spoken={spoken?.[0]} onVoice={(id) => changeAll({ first: id })} />
        <Side label="Second voice" voice={second} spoken={spoken?.[1]} onVoice={(id) => changeAll({ second: id })} />
      </div>
    </>
  )
}

function Side(props: {
  readonly label: string
  readonly voice: string
  readonly spoken: Spoken | undefined
  readonly onVoice: (voice: string) => void
}): ReactElement {
  const { label, voice, spoken, onVoice } = props
  const player = useMediaPlayer(spoken?.audio)
  const { duration } = usePlayerState(player)
  return (
    <section className="card" aria-label={label}>
      <VoicePicker label={label} value={voice} onChange={onVoice} />
      <PlayerBar player={player} label={`the ${label.toLowerCase()}`} compact />
      <Facts
        facts={[
          { name: 'Length', value: duration === 0 ? undefined : formatSeconds(duration) },
          { name: 'Time', value: spoken === undefined ? undefined : formatMs(spoken.ms) },
        ]}
      />
    </section>
  )
}
