import type { ComponentType } from 'react'
import type { PanelId } from '../../shared/panels.ts'
import type { IconName } from '../components/button.tsx'

/** A panel of the page. */
export interface PanelDefinition {
  readonly id: PanelId
  /** In the navigation. */
  readonly title: string
  readonly icon: IconName
  /** A heading in the navigation. */
  readonly group: 'Audio' | 'Manage' | 'Verify'
  /** Loads its code, when it is opened. */
  readonly load: () => Promise<PanelModule>
}

/** The module of a panel. */
export interface PanelModule {
  readonly Panel: ComponentType
}

// Each panel is a file of its own, which the browser loads when it is opened.
const MODULES = import.meta.glob<PanelModule>('./*/panel.tsx')

/** Every panel, in the order of the navigation. To add one: README, "Add a panel". */
export const panels: readonly PanelDefinition[] = [
  panel('speak', 'Speak', 'speak', 'Audio'),
  panel('transcribe', 'Transcribe', 'transcribe', 'Audio'),
  panel('dialogue', 'Dialogue', 'dialogue', 'Audio'),
  panel('talk', 'Talk', 'microphone', 'Audio'),
  panel('voices', 'Voices', 'voices', 'Audio'),
  panel('tasks', 'Tasks', 'tasks', 'Manage'),
  panel('files', 'Files', 'files', 'Manage'),
  panel('models', 'Models', 'models', 'Manage'),
  panel('round-trip', 'Round trip', 'loop', 'Verify'),
  panel('integrations', 'Integrations', 'plug', 'Verify'),
]

function panel(id: PanelId, title: string, icon: IconName, group: PanelDefinition['group']): PanelDefinition {
  const load = MODULES[`./${id}/panel.tsx`] ?? (() => Promise.reject(new Error(`There is no panel ${id}`)))
  return { id, title, icon, group, load }
}
