import { silentWav, wholeWav } from '../audio.ts'
import { check, type Check } from '../check.ts'
import {
  ensure,
  type Fields,
  integer,
  isFields,
  like,
  list,
  NotSupported,
  number,
  object,
  oneOf,
  requireShape,
  string,
  text,
} from '../expect.ts'
import { type ApiResponse, eventsOf, readEvents, theEvent } from '../http/response.ts'
import { AudioFile, formatSample, LINES, SAMPLE_TEXT, speechWav, unique } from '../subject/fixtures.ts'
import { accept, finishedTask, plain, refuse, refused } from '../subject/requests.ts'
import { shared, type Subject } from '../subject/subject.ts'
import { dialogueOfTwo, requireHeard } from '../subject/listening.ts'
import { callsWebhook, createsTask, refusesPlainWebhook, requiresText } from './spoken.ts'

const DIARIZED = { task: text, duration: number, text: string, segments: list }
const SEGMENT = { type: text, id: text, start: number, end: number, text, speaker: text }

/** Returns the segments of the shared speech. @throws Violation without segments */
async function segments(subject: Subject): Promise<Fields[]> {
  const { segments: all } = (await plain(subject, 'diarization')).fields
  ensure(Array.isArray(all) && all.length > 0, 'speech of several seconds has no segment')
  return all
}

/** Returns the segments of a dialogue of two voices: more than one. */
async function dialogueSegments(subject: Subject): Promise<Fields[]> {
  const file = new AudioFile(await dialogueOfTwo(subject))
  const { segments: all } = (await accept(subject, 'diarization', { file })).fields
  return Array.isArray(all) ? all.filter(isFields) : []
}

function requireWords(where: string, response: ApiResponse): void {
  requireShape(where, response.fields, { text })
}

/** Requires refusals of addresses that a server must not fetch. */
const PRIVATE = [
  'http://localhost/a.wav',
  'https://localhost:8443/a.wav',
  'http://127.0.0.1/a.wav',
  'http://127.9.9.9/a.wav',
  'http://[::1]/a.wav',
  'http://[::ffff:127.0.0.1]/a.wav',
  'http://2130706433/a.wav',
  'http://0x7f.1/a.wav',
  'http://10.0.0.1/a.wav',
  'http://172.16.0.1/a.wav',
  'http://192.168.0.1/a.wav',
  'http://[fd00::1]/a.wav',
]

async function refusesPrivate(subject: Subject): Promise<void> {
  await plain(subject, 'transcription')
  for (const field of ['url', 'audio_url']) {
    for (const address of PRIVATE) {
      const json = { model: subject.model('transcribe-1.0'), [field]: address }
      refused(await subject.api.send('POST', '/v1/audio/transcriptions', { json }), `the ${field} ${address}`)
    }
  }
}

const transcribed = shared(async (subject, name: string) => {
  const { bytes, filename, hasWords } = formatSample(name)
  // As a browser sends a file of an unknown kind.
  const file = new AudioFile(bytes, filename, name === 'wav' ? 'audio/wav' : '')
  const response = await accept(subject, 'transcription', { file })
  requireShape(name, response.fields, { text: hasWords ? text : string })
  if (hasWords) requireHeard(`the transcript of ${filename}`, response.fields['text'], [SAMPLE_TEXT])
})

/** Transcribes each of these formats, three at a time. */
async function transcribes(subject: Subject, names: readonly string[]): Promise<void> {
  const left = [...names]
  const work = async (): Promise<void> => {
    for (let name = left.shift(); name !== undefined; name = left.shift()) await transcribed(subject, name)
  }
  await Promise.all([work(), work(), work()])
}

/** Transcription. */
export const transcriptionChecks: readonly Check[] = [
  check('transcription-result.text', 'the response has the transcript', async (subject) => {
    requireWords('the response', await plain(subject, 'transcription'))
    requireWords('response_format=json', await accept(subject, 'transcription', { response_format: 'json' }))
  }),
  check('transcription-result.text-form', 'response_format=text returns plain text', async (subject) => {
    const response = await accept(subject, 'transcription', { response_format: 'text' })
    ensure(!response.mimeType.includes('json'), `response_format=text gives ${response.mimeType}`)
    const { text: heard } = (await plain(subject, 'transcription')).fields
    ensure(response.text.trim() !== '' && !response.text.trim().startsWith('{'), `the body is ${response.excerpt}`)
    ensure(String(heard).trim().length > 0, 'the JSON form has no text')
  }),
  check('transcription-result.diarized', 'the response has all its fields', async (subject) => {
    requireShape('the response', (await plain(subject, 'diarization')).fields, DIARIZED)
  }),
  check('transcription-result.no-segments', 'silence is not an error and has a list of segments', async (subject) => {
    const file = new AudioFile(silentWav(1))
    requireShape('the response', (await accept(subject, 'diarization', { file })).fields, { segments: list })
  }),
  check('transcription-result.segment-fields', 'a segment has all its fields', async (subject) => {
    for (const segment of await segments(subject)) requireShape('a segment', segment, SEGMENT)
  }),
  check('transcription-result.seconds', 'the times are in seconds', async (subject) => {
    const { seconds } = wholeWav(await speechWav(subject))
    const { duration } = (await plain(subject, 'diarization')).fields
    ensure(Math.abs(Number(duration) - seconds) < 1, `duration is ${String(duration)} for ${seconds.toFixed(2)} s`)
    for (const { start, end } of await segments(subject)) {
      const inside = Number(start) >= 0 && Number(start) < Number(end) && Number(end) <= seconds + 1
      ensure(inside, `a segment from ${String(start)} to ${String(end)} in ${seconds.toFixed(2)} s`)
    }
  }),
  check(
    'transcription-result.seconds',
    'the segments are in order and reach the end of the speech',
    async (subject) => {
      const { seconds } = wholeWav(await speechWav(subject))
      const all = await segments(subject)
      const starts = all.map(({ start }) => Number(start))
      ensure(
        starts.every((start, at) => start >= (starts[at - 1] ?? 0)),
        `the segments start at ${starts.join(', ')}`,
      )
      const end = Math.max(...all.map((segment) => Number(segment['end'])))
      ensure(end > 0.7 * seconds, `the last segment ends at ${end} s of ${seconds.toFixed(2)} s`)
    },
  ),
  check('transcription-result.seconds', 'the segments of a dialogue have the times of its lines', async (subject) => {
    const { seconds } = wholeWav(await dialogueOfTwo(subject))
    const parts = await dialogueSegments(subject)
    const [first, last] = [Number(parts[0]?.['end']), Number(parts.at(-1)?.['start'])]
    ensure(first < 0.8 * seconds, `the first of two lines ends at ${first} s of ${seconds.toFixed(2)} s`)
    ensure(last > 0.2 * seconds, `the last of two lines starts at ${last} s of ${seconds.toFixed(2)} s`)
  }),
  check('transcription-result.segment-fields', 'the ids of the segments differ', async (subject) => {
    const ids = (await dialogueSegments(subject)).map(({ id }) => id)
    ensure(new Set(ids).size === ids.length, `the ids are ${ids.join(', ')}`)
  }),
  check('transcription-result.speaker-label', 'speakers are S01, S02 and so on', async (subject) => {
    for (const segment of await segments(subject)) requireShape('a segment', segment, { speaker: like(/^S\d{2,}$/) })
  }),
  check('transcription.body', 'a form carries a file; JSON carries a file_id', async (subject) => {
    await plain(subject, 'transcription')
    await plain(subject, 'storedTranscription')
  }),
  requiresText('transcription.model', 'transcription', 'model'),
  check('transcription.model', 'both models transcribe; an unknown one is refused', async (subject) => {
    await plain(subject, 'diarization')
    await refuse(subject, 'transcription', { model: subject.model('transcribe-of-nobody') })
  }),
  check('transcription.diarize', 'diarize turns speakers on and off', async (subject) => {
    const on = await accept(subject, 'diarization', { diarize: true })
    requireShape('diarize=true', on.fields, { text, segments: list })
    const off = await accept(subject, 'diarization', { diarize: false })
    requireWords('diarize=false', off)
    const { segments: left } = off.fields
    const named = Array.isArray(left) && left.some((segment) => isFields(segment) && 'speaker' in segment)
    ensure(!named, 'diarize=false gives segments with speakers')
  }),
  check('transcription.stream', 'stream=true with the multi-speaker model returns events', async (subject) => {
    const { mimeType } = await accept(subject, 'diarization', { stream: true })
    ensure(mimeType === 'text/event-stream', `stream=true gives ${mimeType}`)
  }),
  check('transcription.response-format', 'json, text and no response_format are accepted', async (subject) => {
    for (const format of [undefined, 'json', 'text'])
      await accept(subject, 'transcription', { response_format: format })
  }),
  check('transcription.keyterms', 'the multi-speaker model accepts a list of terms', async (subject) => {
    await accept(subject, 'diarization', { keyterms: ['morning train', 'station'] })
    await accept(subject, 'storedDiarization', { keyterms: ['morning train', 'station'] })
  }),
  createsTask('transcription.async', 'transcription', 'audio.transcription'),
  check('transcription.task-result', 'the finished task has the text', async (subject) => {
    const { last } = await finishedTask(subject, 'transcription')
    const heard = Object.values(last).some((value) => typeof value === 'string' && value.split(/\s+/).length > 3)
    ensure(heard, `the task has no text: ${JSON.stringify(last).slice(0, 200)}`)
  }),
  refusesPlainWebhook('transcription.webhook-url', 'transcription'),
  callsWebhook('transcription.webhook-url', 'transcription'),
  check('transcription.one-source', 'a request without a source is refused', async (subject) => {
    await refuse(subject, 'transcription', { file: undefined })
    await refuse(subject, 'storedTranscription', { file_id: undefined })
  }),
  check('transcription.file-id', 'a stored file is transcribed; an unknown one is refused', async (subject) => {
    requireWords('the response', await plain(subject, 'storedTranscription'))
    await refuse(subject, 'storedTranscription', { file_id: unique() })
  }),
  check('transcription.url-public', 'a localhost or private address is refused', refusesPrivate),
  check('transcription.audio-url', 'audio_url works like url', async (subject) => {
    const address = subject.need('audioUrl', '--audio-url')
    for (const field of ['url', 'audio_url']) {
      await accept(subject, 'storedTranscription', { file_id: undefined, [field]: address })
    }
  }),
  check('transcription.no-audio-data', 'audio_data is not a source', async (subject) => {
    const data = Buffer.from(await speechWav(subject)).toString('base64')
    await refuse(subject, 'storedTranscription', { file_id: undefined, audio_data: data })
  }),
  check('transcription.formats', 'AAC, AMR, FLAC, M4A, ALAC, OGG, OPUS, WAV and WMA are transcribed', (subject) =>
    transcribes(subject, ['aac', 'amr', 'flac', 'm4a', 'alac', 'ogg', 'opus', 'wav', 'wma']),
  ),
  check('transcription.formats', 'MOV, MP4, MPG and WebM are transcribed', (subject) =>
    transcribes(subject, ['mov', 'mp4', 'mpg', 'webm']),
  ),
  check('transcription.containers', 'the audio track of MOV, MP4, MPG and WebM is transcribed', (subject) =>
    transcribes(subject, ['mov', 'mp4', 'mpg', 'webm']),
  ),
  check('errors.keyterms-array', 'keyterms must be an array', async (subject) => {
    for (const keyterms of ['station', { term: 'station' }, 7]) await refuse(subject, 'storedDiarization', { keyterms })
  }),
  check('errors.keyterms-strings', 'keyterms must be strings', async (subject) => {
    for (const keyterms of [[1], ['station', null], [['station']]]) {
      await refuse(subject, 'storedDiarization', { keyterms })
    }
  }),
  check('errors.keyterms-model', 'the standard model refuses keyterms and accepts an empty list', async (subject) => {
    await accept(subject, 'storedTranscription', { keyterms: [] })
    await refuse(subject, 'storedTranscription', { keyterms: ['station'] })
    await refuse(subject, 'transcription', { keyterms: ['station'] })
  }),
  check('transcription-result.diarized', 'the finished task has segments', async (subject) => {
    const { last } = await finishedTask(subject, 'diarization')
    requireShape('the task', last, { status: oneOf('SUCCESS'), segments: list })
  }),
]

const events = shared(async (subject) => readEvents(await accept(subject, 'diarization', { stream: true })))

/** Returns optional events. */
async function applicable(subject: Subject, type: string): Promise<Fields[]> {
  const found = eventsOf(await events(subject), type)
  if (found.length === 0) throw new NotSupported(`the stream has no ${type}`)
  return found
}

/** Events of a transcription stream. */
export const transcriptionEventChecks: readonly Check[] = [
  check('transcription-events.frames', 'every line is data with JSON and a type', async (subject) => {
    ensure((await events(subject)).length > 0, 'the stream has no event')
  }),
  check('transcription-events.task-created', 'task.created has all its fields', async (subject) => {
    requireShape('task.created', theEvent(await events(subject), 'task.created'), {
      task_id: text,
      object: oneOf('audio.transcription'),
      status: oneOf('PROCESSING'),
      model: oneOf(subject.model('transcribe-diarize-pro')),
    })
  }),
  check('transcription-events.delta', 'a delta is text', async (subject) => {
    for (const event of await applicable(subject, 'transcript.text.delta')) {
      requireShape('transcript.text.delta', event, { delta: string })
    }
  }),
  check('transcription-events.delta', 'the deltas together have the words of the speech', async (subject) => {
    const deltas = (await applicable(subject, 'transcript.text.delta')).map(({ delta }) => String(delta))
    requireHeard('the stream', deltas.join(''), LINES)
  }),
  check('transcription-events.segment', 'the segments together have the words of the speech', async (subject) => {
    const texts = (await applicable(subject, 'transcript.segment.done')).map(({ text: said }) => String(said))
    requireHeard('the list of segments', texts.join(' '), LINES)
  }),
  check('transcription-events.segment', 'content_index rises', async (subject) => {
    const places = (await applicable(subject, 'transcript.segment.done')).map((event) => Number(event['content_index']))
    const rises = places.every((place, at) => at === 0 || place > Number(places[at - 1]))
    ensure(rises, `content_index is ${places.join(', ')}`)
  }),
  check('transcription-events.done', 'the full text has the words of the speech', async (subject) => {
    const { text: said } = theEvent(await events(subject), 'transcript.text.done')
    if (said === undefined) throw new NotSupported('transcript.text.done carries no text')
    requireHeard('transcript.text.done', said, LINES)
  }),
  check('transcription-events.segment', 'a segment has its index, speaker and text', async (subject) => {
    for (const event of await applicable(subject, 'transcript.segment.done')) {
      requireShape('transcript.segment.done', event, { content_index: integer, speaker: text, text: string })
    }
  }),
  check('transcription-events.done', 'the stream ends with transcript.text.done', async (subject) => {
    const all = await events(subject)
    const done = theEvent(all, 'transcript.text.done')
    ensure(all.at(-1) === done, `after transcript.text.done comes ${String(all.at(-1)?.['type'])}`)
    if ('text' in done) requireShape('transcript.text.done', done, { text: string })
  }),
  check('transcription-events.usage', 'usage has its three counts', async (subject) => {
    const { usage } = theEvent(await events(subject), 'transcript.text.done')
    if (usage === undefined) throw new NotSupported('transcript.text.done carries no usage')
    requireShape('transcript.text.done', { usage }, { usage: object })
    const counts = { prompt_tokens: integer, completion_tokens: integer, total_tokens: integer }
    const { prompt_tokens, completion_tokens, total_tokens } = Object(usage)
    requireShape('usage', { prompt_tokens, completion_tokens, total_tokens }, counts)
    const sum = Number(prompt_tokens) + Number(completion_tokens)
    ensure(Number(total_tokens) === sum, `total_tokens is ${total_tokens}, not ${sum}`)
  }),
]
