/** The name of a speaker: the user's, else the service's label. */
export function speakerName(speaker: string, names: Readonly<Record<string, string>>): string {
  return names[speaker]?.trim() || speaker
}
