import type { Voice } from '@svc-audio/core/pure'

/** The views of the panel, in the order of the tabs. */
export const VIEWS = ['list', 'record', 'design', 'compare'] as const

/** One of {@link VIEWS}. */
export type VoicesView = (typeof VIEWS)[number]

/** What the panel sends: all of it survives a reload, but the recording. */
export interface VoicesDraft {
  readonly view: VoicesView
  /** Of a new voice. */
  readonly name: string
  /** Of a new voice from a recording. */
  readonly about: string
  /** Description of a designed voice. */
  readonly instruction: string
  /** What a designed voice says. */
  readonly designText: string
  /** What both compared voices say. */
  readonly compareText: string
  /** Ids of the compared voices. Empty for the first two of the service. */
  readonly first: string
  readonly second: string
}

/** Options of a view of the panel. */
export interface ViewProps {
  readonly draft: VoicesDraft
  readonly change: (change: Partial<VoicesDraft>) => void
  /** Opens the comparison with this voice. */
  readonly onCompare: (voice: Voice) => void
  /** Whether the view is on the screen. */
  readonly active: boolean
}

/** The first draft. */
export const FIRST_DRAFT: VoicesDraft = {
  view: 'list',
  name: '',
  about: '',
  instruction: 'A calm, deep voice of an older man who speaks slowly.',
  designText: 'Welcome back. The kettle is on, and there is a chair by the window.',
  compareText: 'The evening light fell softly on the water, and the boats came home.',
  first: '',
  second: '',
}

/** Descriptions to start with. */
export const DESCRIPTIONS: readonly { readonly title: string; readonly text: string }[] = [
  { title: 'Calm and deep', text: FIRST_DRAFT.instruction },
  { title: 'Young and quick', text: 'A young, bright woman who speaks fast and with energy.' },
  { title: 'News', text: 'A clear, neutral newsreader with a steady pace.' },
]
