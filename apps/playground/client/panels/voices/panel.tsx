import type { Voice } from '@svc-audio/core/pure'
import type { ReactElement } from 'react'
import { type TabItem, TabPanels, Tabs } from '../../components/tabs.tsx'
import { useDraft } from '../../lib/store.ts'
import { usePanel } from '../../shell/panel-context.ts'
import { PanelFrame } from '../../shell/panel-frame.tsx'
import { useVoices } from '../../voices/use-voices.ts'
import { CompareView } from './compare-view.tsx'
import { DesignView } from './make-voice.tsx'
import { FIRST_DRAFT, VIEWS, type VoicesView } from './draft.ts'
import { ListView } from './list-view.tsx'
import { RecordView } from './record-view.tsx'
import { voicesSnippets } from './voices-snippets.ts'

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
