import { type Check, check } from '../check.ts'
import { ensure, NotSupported } from '../outcomes.ts'
import type { Fields } from '../http/response.ts'
import { eventLines, eventsOf, readEvents, theEvent } from '../http/events.ts'
import { oneOf, positive, requireShape, string, text } from '../shape.ts'
import { plain, send } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'

async function events(subject: Subject): Promise<Fields[]> {
  return readEvents(await plain(subject, 'stream'))
}

/** Largest values in the header of a WAV file. */
const WAV_RANGE = { sample_rate: 0xffff_ffff, channels: 0xffff, bit_depth: 0xffff }

async function format(subject: Subject): Promise<Fields> {
  return theEvent(await events(subject), 'speech.created')
}

/** Returns `task.created`, the first event of some servers. */
async function taskCreated(subject: Subject): Promise<Fields> {
  const [event] = eventsOf(await events(subject), 'task.created')
  if (event === undefined) throw new NotSupported('the stream has no task.created')
  return event
}

async function survivesDisconnect(subject: Subject): Promise<void> {
  await plain(subject, 'stream')
  const json = {
    model: subject.model('tts-1.5-flash'),
    input: 'The morning train leaves at seven. '.repeat(30),
    stream: true,
    response_format: 'pcm',
    stream_format: 'sse',
  }
  const response = await subject.api.open('POST', '/v1/audio/speech', { json })
  const reader = response.body?.getReader()
  const first = await reader?.read()
  ensure(first?.done === false, 'the stream ended before its first event')
  await reader?.cancel()
  ensure((await send(subject, 'stream')).accepted, 'after a disconnect the next stream is refused')
}

/** Events of a speech stream. */
export const speechEventChecks: readonly Check[] = [
  check('speech-events.frames', 'every line is data; no line is an event name', async (subject) => {
    const response = await plain(subject, 'stream')
    readEvents(response)
    const named = eventLines(response).find((line) => line.startsWith('event'))
    ensure(named === undefined, `the stream has the line ${named}`)
  }),
  check('speech-events.task-created', 'task.created has all its fields', async (subject) => {
    requireShape('task.created', await taskCreated(subject), {
      task_id: text,
      object: oneOf('audio.speech'),
      status: text,
      model: oneOf(subject.model('tts-1.5-flash')),
    })
  }),
  check('states.stream-processing', 'a new stream task is PROCESSING', async (subject) => {
    requireShape('task.created', await taskCreated(subject), { status: oneOf('PROCESSING') })
  }),
  check('speech-events.format', 'the format is pcm', async (subject) => {
    requireShape('speech.created', await format(subject), { format: oneOf('pcm') })
  }),
  check('speech-events.values', 'sample rate, channels and bit depth fit a WAV header', async (subject) => {
    const created = await format(subject)
    requireShape('speech.created', created, { sample_rate: positive, channels: positive, bit_depth: positive })
    for (const [name, max] of Object.entries(WAV_RANGE)) {
      ensure(Number(created[name]) <= max, `speech.created: ${name} exceeds a WAV header`)
    }
    ensure(Number(created['bit_depth']) % 8 === 0, 'speech.created: bit_depth is not divisible by 8')
  }),
  check('speech-events.values', 'speech.created comes before the first delta', async (subject) => {
    const types = (await events(subject)).map(({ type }) => type)
    const [created, delta] = [types.indexOf('speech.created'), types.indexOf('speech.audio.delta')]
    ensure(created !== -1 && (delta === -1 || created < delta), `the events come as ${types.slice(0, 5).join(', ')}`)
  }),
  check('speech-events.delta', 'the deltas are Base64 PCM and add up to whole frames', async (subject) => {
    const all = await events(subject)
    const deltas = eventsOf(all, 'speech.audio.delta')
    for (const delta of deltas) {
      requireShape('speech.audio.delta', delta, { audio: string })
      ensure(isBase64(String(delta['audio'])), 'speech.audio.delta: audio is not Base64')
    }
    const bytes = deltas.reduce((sum, { audio }) => sum + Buffer.from(String(audio), 'base64').byteLength, 0)
    const created = await format(subject)
    const frame = (Number(created['channels']) * Number(created['bit_depth'])) / 8
    ensure(bytes > 0 && bytes % frame === 0, `${bytes} bytes of PCM are not whole frames of ${frame}`)
  }),
  check('speech-events.empty-delta', 'a delta without audio is an empty string, not null', async (subject) => {
    for (const delta of eventsOf(await events(subject), 'speech.audio.delta')) {
      requireShape('speech.audio.delta', delta, { audio: string })
    }
  }),
  check('speech-events.done', 'the stream ends with speech.audio.done, which has only `type`', async (subject) => {
    const all = await events(subject)
    const done = theEvent(all, 'speech.audio.done')
    ensure(all.at(-1) === done, `after speech.audio.done comes ${String(all.at(-1)?.['type'])}`)
    ensure(Object.keys(done).length === 1, `speech.audio.done has ${Object.keys(done).join(', ')}`)
  }),
  check('speech-events.disconnect', 'a disconnect does not affect the next client', survivesDisconnect),
]

function isBase64(value: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(value)
}
