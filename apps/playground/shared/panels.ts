/** Ids of the panels. Each is a path of the page. */
export const PANEL_IDS = [
  'speak',
  'transcribe',
  'dialogue',
  'talk',
  'voices',
  'tasks',
  'files',
  'models',
  'round-trip',
  'integrations',
] as const

/** Id of a panel. */
export type PanelId = (typeof PANEL_IDS)[number]

/** Whether a text is the id of a panel. */
export function isPanelId(text: string): text is PanelId {
  return PANEL_IDS.some((id) => id === text)
}
