/**
 * The beginning of a text that the integrations run on: all of it where it fits, else whole sentences, else whole words.
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
