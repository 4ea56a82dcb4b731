import type { ComponentType } from 'react'
import type { PanelId } from '../../shared/panels.ts'
import type { IconName } from '../components/button.tsx'

/** A panel of the page. */
export interface PanelDefinition {
  readonly id: PanelId
  /** In the navigation. */
  readonly title: string
  readonly icon: IconName
  readonly group: PanelGroup
  /** Loads its code, when it is opened. */
  readonly load: () => Promise<PanelModule>
}

/** The module of a panel. */
export interface PanelModule {
  readonly Panel: ComponentType
}

/** A heading in the navigation. */
export type PanelGroup = 'Audio' | 'Manage' | 'Verify'

/** Every panel, in the order of the navigation. To add one: README, "Add a panel". */
export const panels: readonly PanelDefinition[] = [
  { id: 'speak', title: 'Speak', icon: 'speak', group: 'Audio', load: () => import('./speak/panel.tsx') },
  {
    id: 'transcribe',
    title: 'Transcribe',
    icon: 'transcribe',
    group: 'Audio',
    load: () => import('./transcribe/panel.tsx'),
  },
  { id: 'dialogue', title: 'Dialogue', icon: 'dialogue', group: 'Audio', load: () => import('./dialogue/panel.tsx') },
  { id: 'talk', title: 'Talk', icon: 'microphone', group: 'Audio', load: () => import('./talk/panel.tsx') },
  { id: 'voices', title: 'Voices', icon: 'voices', group: 'Audio', load: () => import('./voices/panel.tsx') },
  { id: 'tasks', title: 'Tasks', icon: 'tasks', group: 'Manage', load: () => import('./tasks/panel.tsx') },
  { id: 'files', title: 'Files', icon: 'files', group: 'Manage', load: () => import('./files/panel.tsx') },
  { id: 'models', title: 'Models', icon: 'models', group: 'Manage', load: () => import('./models/panel.tsx') },
  {
    id: 'round-trip',
    title: 'Round trip',
    icon: 'loop',
    group: 'Verify',
    load: () => import('./round-trip/panel.tsx'),
  },
  {
    id: 'integrations',
    title: 'Integrations',
    icon: 'plug',
    group: 'Verify',
    load: () => import('./integrations/panel.tsx'),
  },
]
