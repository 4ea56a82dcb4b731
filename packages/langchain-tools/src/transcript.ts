import type { TranscriptionSegment } from '@svc-audio/core'

/** The segments of a diarized result; none if the service sent none, or any that cannot be read. */
export function readSegments(result: object): readonly TranscriptionSegment[] {
  const segments: unknown = Reflect.get(result, 'segments')
  // All or none: a turn that is left out would change what was said.
  return Array.isArray(segments) && segments.every(isSegment) ? segments : []
}

function isSegment(value: unknown): value is TranscriptionSegment {
  if (typeof value !== 'object' || value === null) return false
  const strings = ['type', 'id', 'text', 'speaker'].every((name) => typeof Reflect.get(value, name) === 'string')
  return strings && ['start', 'end'].every((name) => typeof Reflect.get(value, name) === 'number')
}

/** A transcript as a model reads it best: a line for each turn where speakers are known, else the text. */
export function readableTranscript(text: string, segments: readonly TranscriptionSegment[]): string {
  if (segments.length === 0) return text.trim() === '' ? 'No words were recognized in this audio.' : text
  const lines: string[] = []
  let last: string | undefined
  for (const { speaker, text: said } of segments) {
    if (speaker === last) lines.push(`${lines.pop() ?? ''} ${said.trim()}`)
    else lines.push(`${speaker}: ${said.trim()}`)
    last = speaker
  }
  return lines.join('\n')
}

/** The beginning of a long text, with a note that says so. No character is cut in two. */
export function truncate(text: string, max: number): { readonly content: string; readonly truncated: boolean } {
  if (text.length <= max) return { content: text, truncated: false }
  const splitsPair = /[\uD800-\uDBFF]/.test(text.charAt(max - 1))
  const kept = text.slice(0, splitsPair ? max - 1 : max)
  const note = `[Cut here: these are the first ${kept.length} of ${text.length} characters. The application has them all.]`
  return { content: `${kept}\n\n${note}`, truncated: true }
}
