import { type Check, check } from '../check.ts'
import { ensure, NotSupported } from '../outcomes.ts'
import type { Fields } from '../http/response.ts'
import { eventsOf, readEvents, theEvent } from '../http/events.ts'
import { integer, object, oneOf, requireShape, string, text } from '../shape.ts'
import { LINES } from '../subject/fixtures.ts'
import { accept } from '../subject/requests.ts'
import { shared } from '../subject/shared.ts'
import type { Subject } from '../subject/subject.ts'
import { requireHeard } from '../subject/words.ts'

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
