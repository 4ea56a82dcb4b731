/**
 * Shortens a text for the integrations: after a sentence if possible, else after a word.
 * @param max Longest result, in characters.
 */
export function sampleText(text: string, max: number): string {
  const trimmed = text.trim()
  if (trimmed.length <= max) return trimmed
  const start = trimmed.slice(0, max)
  const sentences = /^.*[.!?](?=\s)/su.exec(trimmed.slice(0, max + 1))?.[0]
  const words = /^.*(?=\s)/su.exec(start)?.[0]
  return (sentences ?? words ?? start).trim()
}
