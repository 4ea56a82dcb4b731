import { setTimeout as delay } from 'node:timers/promises'
import { jsonResponse } from '../support/fault-proxy.ts'
import { answers, asks, asksForm, type Planted, queries, SPEECH, TRANSCRIPTION, VOICES, waves } from './plant.ts'

const MEGABYTE = 1024 * 1024

/** Faults that the suite does not find. src/blind-spots.ts has the reason for each. */
export const missedFaults: readonly Planted[] = [
  [
    'a transcript lacks one word',
    'transcription-result.text',
    answers(TRANSCRIPTION, (fields) => void (fields['text'] = String(fields['text']).replace(/ \w+/, ''))),
  ],
  [
    'the end of the speech is cut by a tenth of a second',
    'speech.input',
    waves(SPEECH, ({ samples, sampleRate }) =>
      samples.subarray(0, Math.max(0, samples.byteLength - 2 * Math.round(sampleRate / 10))),
    ),
  ],
  [
    'a creation result comes only when its task has ended',
    'creation.immediate',
    { newTasks: true, answer: (response) => delay(response.body.includes('"task_id"') ? 500 : 0) },
  ],
  [
    'a page has 25 voices by default',
    'voice-listing.limit',
    queries(VOICES, (query) => {
      if (!query.has('limit')) query.set('limit', '25')
    }),
  ],
  [
    'files over 100 MB are refused',
    'limits.file-size',
    {
      early: (_, length) => (length > 100 * MEGABYTE ? jsonResponse(413, { error: { code: 'too_large' } }) : undefined),
    },
  ],
  ['keyterms have no effect', 'transcription.keyterms', asksForm(TRANSCRIPTION, (form) => form.delete('keyterms'))],
  [
    'expected_duration_sec has no effect',
    'stream.expected-duration',
    asks(SPEECH, (json) => {
      if (Number(json['expected_duration_sec']) > 0) delete json['expected_duration_sec']
    }),
  ],
]
