import { expect, test } from 'vitest'
import { streamedTranscript } from './streamed-transcripts.ts'
import { mapForm, transcriptBody } from './transcripts.ts'

test.each(['srt', 'vtt'])(
  'the deltas of %s are the file, also for short utterances that follow each other',
  (format) => {
    const form = mapForm({ model: 'whisper-1', response_format: format }, { language: 'en' })
    const utterances = [
      { text: 'Yes.', startSecond: 0, endSecond: 0.4 },
      { text: 'No.', startSecond: 0.6, endSecond: 0.9 },
      { text: 'word '.repeat(40).trim(), startSecond: 0.95, endSecond: 12 },
      { text: 'Why?', startSecond: 20, endSecond: 20.3 },
    ]
    const text = utterances.map((one) => one.text).join(' ')
    const timed = { text, words: [], durationSeconds: 21, utterances, segments: undefined }
    const { eventsOfUtterance, lastEvents } = streamedTranscript(form, 'en')
    const events: { type?: string; delta?: string; text?: string }[] = [
      ...utterances.flatMap((one) => eventsOfUtterance(one)),
      ...lastEvents(timed),
    ]
    const { body } = transcriptBody(timed, form, 'en')
    expect(events.map(({ delta = '' }) => delta).join('')).toBe(body)
    expect(events.at(-1)).toMatchObject({ type: 'transcript.text.done', text: body })
    // The first cue does not wait for the end of the recording.
    expect(events.filter(({ type }) => type === 'transcript.text.delta')).toHaveLength(4)
  },
)

test('a recording without words is an empty file', () => {
  const form = mapForm({ model: 'whisper-1', response_format: 'vtt' }, { language: 'en' })
  const timed = { text: '', words: [], durationSeconds: 1, utterances: [], segments: undefined }
  expect(streamedTranscript(form, 'en').lastEvents(timed)).toMatchObject([
    { type: 'transcript.text.delta', delta: transcriptBody(timed, form, 'en').body },
    { type: 'transcript.text.done' },
  ])
})
