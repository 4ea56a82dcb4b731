import type { Json } from '../request.ts'

/** The parts of a transcription that the AI SDK has a place for. */
export interface ReadTranscript {
  readonly text: string
  readonly segments: { text: string; startSecond: number; endSecond: number }[]
  /** The segments with their speakers, if the answer names any. */
  readonly speakers: { [field: string]: Json }[] | undefined
  readonly language: string | undefined
  readonly duration: number | undefined
}

/** Reads a transcription. Only the text is certain: the standard model reports nothing else. */
export function readTranscript(data: object & { readonly text: string }): ReadTranscript {
  const given: unknown = Reflect.get(data, 'segments')
  const segments: ReadTranscript['segments'] = []
  const speakers: { [field: string]: Json }[] = []
  for (const segment of Array.isArray(given) ? given : []) {
    const { text, start, end, speaker } = fieldsOf(segment)
    if (typeof text !== 'string' || typeof start !== 'number' || typeof end !== 'number') continue
    segments.push({ text, startSecond: start, endSecond: end })
    if (typeof speaker === 'string') speakers.push({ speaker, text, startSecond: start, endSecond: end })
  }
  const { language, duration } = fieldsOf(data)
  return {
    text: data.text,
    segments,
    speakers: speakers.length === 0 ? undefined : speakers,
    language: typeof language === 'string' ? language : undefined,
    duration: typeof duration === 'number' ? duration : undefined,
  }
}

function fieldsOf(value: unknown): Partial<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
