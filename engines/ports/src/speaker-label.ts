/** Returns the label of a speaker: `S01` for index 0 (interface: segments[].speaker). */
export function speakerLabel(index: number): string {
  return `S${String(index + 1).padStart(2, '0')}`
}
