import type { PureAudioClient } from '@svc-audio/core/pure'
import { type Context, createContext, useContext } from 'react'
import type { PanelId } from '../../shared/panels.ts'
import type { ExchangeLog } from '../inspector/exchange-log.ts'

/** What the shell gives to a panel. */
export interface PanelContext {
  readonly id: PanelId
  /** Whether the panel is on the screen. A hidden panel stays as it is, and may still play or run. */
  readonly active: boolean
  /** The client of this repository. Its requests appear in the panel's inspector. */
  readonly client: PureAudioClient
  readonly log: ExchangeLog
}

/** Provides the {@link PanelContext}. */
export const PanelProvider: Context<PanelContext | undefined> = createContext<PanelContext | undefined>(undefined)

/** The context of the panel that the component is in. */
export function usePanel(): PanelContext {
  const context = useContext(PanelProvider)
  if (context === undefined) throw new Error('usePanel() works inside of a panel only')
  return context
}
