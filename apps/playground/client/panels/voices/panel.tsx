import type { Voice } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import { tabContentId, tabId, type TabItem, Tabs } from '../../components/tabs.tsx'
import { useStored } from '../../lib/stored.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useVoices } from '../../voices/use-voices.ts'
import { CompareView } from './compare-view.tsx'
import { DesignView } from './design-view.tsx'
import { FIRST_DRAFT, type VoicesDraft, type VoicesView, VIEWS } from './draft.ts'
import { ListView } from './list-view.tsx'
import { RecordView } from './record-view.tsx'
import { voicesSnippets } from './voices-snippets.ts'
import './voices.css'

const PREFIX = 'voices-view'

const ITEMS: readonly TabItem<VoicesView>[] = [
  { id: 'list', label: 'All voices', icon: 'voices' },
  { id: 'record', label: 'Recording', icon: 'microphone' },
  { id: 'design', label: 'Description', icon: 'edit' },
  { id: 'compare', label: 'Compare', icon: 'loop' },
]

/** The voices: list, make, design, compare. */
export function Panel(): ReactElement {
  const { active } = usePanel()
  const [stored, setDraft] = useStored<VoicesDraft>('voices', FIRST_DRAFT)
  const { data: voices } = useVoices()
  const first = stored.first === '' ? (voices?.[0]?.id ?? '') : stored.first
  const other = voices?.find(({ id }) => id !== first)?.id ?? ''
  const draft = { ...stored, first, second: stored.second === '' ? other : stored.second }
  const compare = (voice: Voice): void => {
    const rest = voice.id === first ? other : first
    setDraft({ ...stored, view: 'compare', first: rest, second: voice.id })
  }
  const props = { draft, onChange: setDraft, onCompare: compare }
  const here = (view: VoicesView): boolean => active && draft.view === view
  return (
    <PanelFrame
      title="Voices"
      about="Hear the voices, make one from a recording, describe one in words, and compare two."
      code={() => voicesSnippets(draft)}
    >
      <Tabs
        label="Views of the voices"
        prefix={PREFIX}
        items={ITEMS}
        selected={draft.view}
        onSelect={(view) => setDraft({ ...stored, view })}
        className="tabs-pills voices-tabs"
      />
      {VIEWS.map((view) => (
        <div
          key={view}
          role="tabpanel"
          className="voices-view"
          id={tabContentId(PREFIX, view)}
          aria-labelledby={tabId(PREFIX, view)}
          hidden={view !== draft.view}
        >
          {view === 'list' && <ListView onCompare={compare} />}
          {view === 'record' && <RecordView {...props} active={here(view)} />}
          {view === 'design' && <DesignView {...props} active={here(view)} />}
          {view === 'compare' && <CompareView {...props} active={here(view)} />}
        </div>
      ))}
    </PanelFrame>
  )
}
