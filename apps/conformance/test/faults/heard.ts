import type { Body, Fault } from '../support/fault.ts'
import { jsonResponse } from '../support/fault-proxy.ts'
import {
  accepts,
  answers,
  asks,
  asksForm,
  each,
  goesTo,
  type Planted,
  rejects,
  sendsHeader,
  streamEvent,
  streams,
  TASK,
  TRANSCRIPTION,
} from './plant.ts'

const OTHER_WORDS = 'Nobody knows why penguins dislike orange umbrellas.'

/** Changes the segments of a diarized response. */
const segments = (change: (segment: object, at: number) => object): Fault =>
  answers(TRANSCRIPTION, (fields) => {
    let at = 0
    if ('segments' in fields) fields['segments'] = each(fields['segments'], (segment) => change(segment, at++))
  })

const times = (segment: object, factor: number): object => ({
  ...segment,
  start: factor * Number(Reflect.get(segment, 'start')),
  end: factor * Number(Reflect.get(segment, 'end')),
})

const diarized = (change: (fields: Body) => void): Fault =>
  answers(TRANSCRIPTION, (fields) => {
    if ('segments' in fields) change(fields)
  })

const DONE = 'transcript.text.done'
const SEGMENT = 'transcript.segment.done'
const DELTA = 'transcript.text.delta'

/** Transcribes only the first half minute, as some recognizers do. */
const firstHalfMinute: Fault = {
  instead: (request) => {
    const file: unknown = request.form?.get('file')
    const isLong = file instanceof File && file.size > 30 * 16_000 * 2
    return goesTo(TRANSCRIPTION, request) && isLong ? jsonResponse(200, { text: '' }) : undefined
  },
}

/** Faults of transcription. */
export const transcriptionFaults: readonly Planted[] = [
  [
    'the transcript has quite other words',
    'transcription-result.text',
    answers(TRANSCRIPTION, (fields) => {
      if ('text' in fields) fields['text'] = OTHER_WORDS
    }),
  ],
  ['only the first half minute is transcribed', 'transcription-result.text', firstHalfMinute],
  [
    'the transcript loses its second half',
    'transcription-result.text',
    answers(TRANSCRIPTION, (fields) => {
      const words = String(fields['text']).split(' ')
      fields['text'] = words.slice(0, words.length / 2).join(' ')
    }),
  ],
  [
    'the text form is JSON',
    'transcription-result.text-form',
    asksForm(TRANSCRIPTION, (form) => form.delete('response_format')),
  ],
  [
    'a diarized response has no duration',
    'transcription-result.diarized',
    diarized((fields) => void delete fields['duration']),
  ],
  [
    'a diarized response has no task',
    'transcription-result.diarized',
    diarized((fields) => void delete fields['task']),
  ],
  [
    'silence has no segments',
    'transcription-result.no-segments',
    diarized((fields) => {
      if (Array.isArray(fields['segments']) && fields['segments'].length === 0) fields['segments'] = null
    }),
  ],
  [
    'the segments have quite other words than the text',
    'transcription-result.segment-fields',
    segments((segment) => ({ ...segment, text: OTHER_WORDS })),
  ],
  [
    'every segment has the same id',
    'transcription-result.segment-fields',
    segments((segment) => ({ ...segment, id: 'segment' })),
  ],
  [
    'a segment has no end',
    'transcription-result.segment-fields',
    segments((segment) => ({ ...segment, end: undefined })),
  ],
  [
    'the duration is in milliseconds',
    'transcription-result.seconds',
    diarized((fields) => void (fields['duration'] = 1000 * Number(fields['duration']))),
  ],
  [
    'the times of segments are in milliseconds',
    'transcription-result.seconds',
    segments((segment) => times(segment, 1000)),
  ],
  [
    'every segment spans the whole file',
    'transcription-result.seconds',
    diarized((fields) => {
      fields['segments'] = each(fields['segments'], (segment) => ({ ...segment, start: 0, end: fields['duration'] }))
    }),
  ],
  ['a segment ends before it starts', 'transcription-result.seconds', segments((segment) => ({ ...segment, end: -1 }))],
  [
    'every segment has the same speaker',
    'transcription-result.speaker-label',
    segments((segment) => ({ ...segment, speaker: 'S01' })),
  ],
  ['speakers are letters', 'transcription-result.speaker-label', segments((segment) => ({ ...segment, speaker: 'A' }))],
  [
    'each segment has a speaker of its own',
    'transcription-result.speaker-label',
    segments((segment, at) => ({ ...segment, speaker: `speaker ${at}` })),
  ],
  ['diarize=false is ignored', 'transcription.diarize', asksForm(TRANSCRIPTION, (form) => form.delete('diarize'))],
  ['stream=true is ignored', 'transcription.stream', asksForm(TRANSCRIPTION, (form) => form.delete('stream'))],
  [
    'keyterms are refused',
    'transcription.keyterms',
    rejects(TRANSCRIPTION, ({ json }) => Array.isArray(json['keyterms'])),
  ],
  [
    'keyterms of the standard model are ignored',
    'errors.keyterms-model',
    asks(TRANSCRIPTION, (json) => void delete json['keyterms']),
  ],
  [
    'keyterms may be a text',
    'errors.keyterms-array',
    asks(TRANSCRIPTION, (json) => {
      if (!Array.isArray(json['keyterms'])) delete json['keyterms']
    }),
  ],
  ['keyterms may be numbers', 'errors.keyterms-strings', accepts(TRANSCRIPTION)],
  ['a private address is fetched', 'transcription.url-public', accepts(TRANSCRIPTION)],
  ['audio_data is read', 'transcription.no-audio-data', accepts(TRANSCRIPTION)],
  ['a request without a source is accepted', 'transcription.one-source', accepts(TRANSCRIPTION)],
  ['an unknown file has an empty transcript', 'transcription.file-id', accepts(TRANSCRIPTION, { text: '' })],
  [
    'WMA is refused',
    'transcription.formats',
    rejects(TRANSCRIPTION, ({ form }) => String(Object(form?.get('file')).name).endsWith('.wma')),
  ],
  [
    'WebM has an empty transcript',
    'transcription.containers',
    {
      instead: (request) =>
        String(Object(request.form?.get('file')).name).endsWith('.webm') ? jsonResponse(200, { text: '' }) : undefined,
    },
  ],
  ['an unknown model transcribes', 'transcription.model', accepts(TRANSCRIPTION)],
  [
    'response_format json is refused',
    'transcription.response-format',
    rejects(TRANSCRIPTION, ({ form }) => form?.get('response_format') === 'json'),
  ],
  [
    'a transcription task has the object task',
    'transcription.async',
    answers(TRANSCRIPTION, (fields) => {
      if ('task_id' in fields) fields['object'] = 'task'
    }),
  ],
  [
    'the words of a task are others',
    'transcription.task-result',
    answers(TASK, (task) => {
      if ('text' in task) task['text'] = OTHER_WORDS
    }),
  ],
  [
    'a transcript is sent as HTML',
    'transcription-result.text',
    sendsHeader(TRANSCRIPTION, 'content-type', 'text/html'),
  ],
  [
    'the events have no task.created',
    'transcription-events.task-created',
    streams(TRANSCRIPTION, (events) => events.filter(({ type }) => type !== 'task.created')),
  ],
  [
    'the task of the events is speech',
    'transcription-events.task-created',
    streamEvent(TRANSCRIPTION, 'task.created', (event) => void (event['object'] = 'audio.speech')),
  ],
  [
    'deltas repeat the text so far',
    'transcription-events.delta',
    streams(TRANSCRIPTION, (events) => {
      let text = ''
      for (const event of events.filter(({ type }) => type === DELTA)) {
        text += `${String(event['delta'])} ${text}`
        event['delta'] = text.repeat(3)
      }
      return events
    }),
  ],
  [
    'every segment has the content_index 0',
    'transcription-events.segment',
    streams(TRANSCRIPTION, (events) => {
      const segment = events.find(({ type }) => type === SEGMENT)
      return events.flatMap((event) => (event === segment ? [event, { ...event }] : [event]))
    }),
  ],
  [
    'a segment of the events has no speaker',
    'transcription-events.segment',
    streamEvent(TRANSCRIPTION, SEGMENT, (event) => void delete event['speaker']),
  ],
  [
    'the full text has other words',
    'transcription-events.done',
    streamEvent(TRANSCRIPTION, DONE, (event) => void (event['text'] = OTHER_WORDS)),
  ],
  [
    'the events end without transcript.text.done',
    'transcription-events.done',
    streams(TRANSCRIPTION, (events) => events.filter(({ type }) => type !== DONE)),
  ],
  [
    'transcript.text.done comes twice',
    'transcription-events.done',
    streams(TRANSCRIPTION, (events) => [...events, ...events.slice(-1)]),
  ],
  [
    'the counts of usage do not add up',
    'transcription-events.usage',
    streamEvent(
      TRANSCRIPTION,
      DONE,
      (event) => void (event['usage'] = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 3 }),
    ),
  ],
  [
    'an event is no JSON',
    'transcription-events.frames',
    streams(TRANSCRIPTION, (events) => [...events, Object.assign(Object.create(null), { toJSON: () => 'DONE' })]),
  ],
]
