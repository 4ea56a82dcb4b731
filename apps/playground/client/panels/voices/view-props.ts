import type { Voice } from '@svc-audio/core/pure'
import type { VoicesDraft } from './draft.ts'

/** Options of a view of the panel. */
export interface ViewProps {
  readonly draft: VoicesDraft
  readonly onChange: (draft: VoicesDraft) => void
  /** Opens the comparison with this voice. */
  readonly onCompare: (voice: Voice) => void
  /** Whether the view is on the screen. */
  readonly active: boolean
}
