import { check, type Check } from '../check.ts'
import { ensure, type Fields, NotSupported, oneOf, positive, requireShape, string, text } from '../expect.ts'
import { type ApiResponse, eventLines, eventsOf, readEvents, theEvent } from '../http/response.ts'
import { unique, voiceId } from '../subject/fixtures.ts'
import { pcmDuration } from '../subject/listening.ts'
import { accept, plain, refuse, send } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'

/** Requests a stream of raw PCM. */
function pcm(subject: Subject, changes: object = {}): Promise<ApiResponse> {
  return accept(subject, 'stream', { stream_format: 'audio', ...changes })
}

async function isPcm(subject: Subject, changes: object): Promise<void> {
  const { mimeType, bytes } = await pcm(subject, changes)
  ensure(mimeType === 'audio/pcm', `${JSON.stringify(changes)} gives ${mimeType}`)
  ensure(bytes.byteLength > 1000, `${JSON.stringify(changes)} gives only ${bytes.byteLength} bytes`)
}

/** Streaming speech. */
export const streamChecks: readonly Check[] = [
  check('stream.endpoint', 'stream=true returns events; stream=false returns audio', async (subject) => {
    const { contentType } = await plain(subject, 'stream')
    ensure(contentType.startsWith('text/event-stream'), `stream=true gives ${contentType}`)
    const voice = await voiceId(subject)
    const { mimeType } = await accept(subject, 'speech', { stream: false, voice_id: voice })
    ensure(mimeType.startsWith('audio/'), `stream=false gives ${mimeType}`)
  }),
  check('stream.model-exact', 'another model and another letter case are refused', async (subject) => {
    const flash = subject.model('tts-1.5-flash')
    for (const model of [flash.toUpperCase(), flash.replace('flash', 'Flash'), subject.model('tts-1.0-pro')]) {
      await refuse(subject, 'stream', { model })
    }
  }),
  check('stream.input', 'a missing, empty or blank input is refused', async (subject) => {
    for (const input of [undefined, '', ' \n\t ']) await refuse(subject, 'stream', { input })
  }),
  check('stream.pauses', 'a pause of 2.0 s makes the audio 2 s longer', async (subject) => {
    const without = pcmDuration(await pcm(subject, { input: 'Good morning. Good night.' }))
    const longer = pcmDuration(await pcm(subject, { input: 'Good morning. [pause 2.0s] Good night.' })) - without
    ensure(Math.abs(longer - 2) < 1, `a pause of 2 s makes the stream ${longer.toFixed(2)} s longer`)
  }),
  check('stream.voice-optional', 'a voice id and no voice id are accepted', async (subject) => {
    await plain(subject, 'stream')
    await accept(subject, 'stream', { voice_id: await voiceId(subject) })
  }),
  check('stream.voice-optional', 'a voice that is not an id is refused', async (subject) => {
    for (const voice of [unique(), 'https://example.com/voice.wav'])
      await refuse(subject, 'stream', { voice_id: voice })
  }),
  check('stream.language', 'a language hint with surrounding spaces is accepted', async (subject) => {
    await accept(subject, 'stream', { language: 'en' })
    await accept(subject, 'stream', { language: '  en ' })
  }),
  check('stream.speed-range', 'speed ranges from 0.25 to 4', async (subject) => {
    const slow = pcmDuration(await pcm(subject, { speed: 0.25 }))
    const fast = pcmDuration(await pcm(subject, { speed: 4 }))
    const normal = pcmDuration(await pcm(subject))
    ensure(slow > normal && normal > fast, `${slow} s at 0.25, ${normal} s without speed, ${fast} s at 4`)
    for (const speed of [0.24, 4.01, 0, -1]) await refuse(subject, 'stream', { speed })
  }),
  check('stream.expected-duration', 'a duration above 0 is accepted; others are refused', async (subject) => {
    await accept(subject, 'stream', { expected_duration_sec: 2 })
    for (const expected of [0, -1]) await refuse(subject, 'stream', { expected_duration_sec: expected })
  }),
  check(
    'stream.response-format',
    'a missing response_format and every format except pcm are refused',
    async (subject) => {
      for (const format of [undefined, 'mp3', 'wav']) await refuse(subject, 'stream', { response_format: format })
    },
  ),
  check('stream.stream-format', 'audio and no stream_format return PCM; others are refused', async (subject) => {
    await isPcm(subject, { stream_format: 'audio' })
    await isPcm(subject, { stream_format: undefined })
    await refuse(subject, 'stream', { stream_format: 'xml' })
  }),
  check('stream.aigc', 'all three fields are accepted', async (subject) => {
    const metadata = { enabled: true, content_propagator: 'One', propagate_id: 'two' }
    await accept(subject, 'stream', { aigc_metadata: metadata })
  }),
  check('stream.aigc-file-only', 'the PCM has no marking', async (subject) => {
    const propagator = unique()
    const metadata = { enabled: true, content_propagator: propagator, propagate_id: propagator }
    const { bytes } = await pcm(subject, { aigc_metadata: metadata })
    ensure(!Buffer.from(bytes).includes(propagator), 'the content_propagator is in the PCM')
  }),
  check('stream.no-sample-rate', 'a sample_rate is refused; 0 counts as absent', async (subject) => {
    await accept(subject, 'stream', { sample_rate: 0 })
    await refuse(subject, 'stream', { sample_rate: 16_000 })
  }),
  check('stream.no-async', 'stream=true with async=true is refused', async (subject) => {
    await refuse(subject, 'stream', { async: true })
  }),
  check('stream.no-webhook', 'a webhook_url is refused; an empty one counts as absent', async (subject) => {
    await accept(subject, 'stream', { webhook_url: '' })
    await refuse(subject, 'stream', { webhook_url: 'https://example.com/hook' })
  }),
  check('stream.no-other-voices', 'voice_url, voice_data and file_id are refused', async (subject) => {
    for (const field of ['voice_url', 'voice_data', 'file_id']) await refuse(subject, 'stream', { [field]: 'x' })
  }),
  check('stream.no-delivery-method', 'delivery_method has no effect', async (subject) => {
    const { contentType } = await plain(subject, 'stream')
    const response = await send(subject, 'stream', { delivery_method: 'url' })
    const same = !response.accepted || response.contentType === contentType
    ensure(same, `with delivery_method=url the stream is ${response.contentType}`)
  }),
  check('stream.sse-answer', 'the response is an event stream of data lines', async (subject) => {
    const response = await plain(subject, 'stream')
    ensure(response.contentType === 'text/event-stream;charset=utf-8', `the content type is ${response.contentType}`)
    ensure(readEvents(response).length > 0, 'the stream has no event')
  }),
  check('stream.pcm-answer', 'the response is audio/pcm', async (subject) => isPcm(subject, {})),
  check('stream.pcm-format', 'the headers give the PCM format', async (subject) => {
    const { headers, bytes } = await pcm(subject)
    const format = {
      'X-Sample-Rate': Number(headers.get('x-sample-rate')),
      'X-Channels': Number(headers.get('x-channels')),
      'X-Bit-Depth': Number(headers.get('x-bit-depth')),
    }
    requireShape('the response', format, { 'X-Sample-Rate': positive, 'X-Channels': positive, 'X-Bit-Depth': positive })
    const frame = (format['X-Channels'] * format['X-Bit-Depth']) / 8
    ensure(bytes.byteLength % frame === 0, `${bytes.byteLength} bytes are not whole frames of ${frame}`)
  }),
]

async function events(subject: Subject): Promise<Fields[]> {
  return readEvents(await plain(subject, 'stream'))
}

/** Largest values in the header of a WAV file. */
const WAV_RANGE = { sample_rate: 0xffff_ffff, channels: 0xffff, bit_depth: 0xffff }

async function createdFormat(subject: Subject): Promise<Fields> {
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
    requireShape('speech.created', await createdFormat(subject), { format: oneOf('pcm') })
  }),
  check('speech-events.values', 'sample rate, channels and bit depth fit a WAV header', async (subject) => {
    const created = await createdFormat(subject)
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
    const created = await createdFormat(subject)
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
