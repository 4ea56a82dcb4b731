import { type Check, check } from '../check.ts'
import { ensure } from '../outcomes.ts'
import { type ApiResponse } from '../http/response.ts'
import { readEvents } from '../http/events.ts'
import { positive, requireShape } from '../shape.ts'
import { unique, voiceId } from '../subject/fixtures.ts'
import { accept, plain, refuse, send } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'

/** Requests a stream of raw PCM. */
function pcm(subject: Subject, changes: object = {}): Promise<ApiResponse> {
  return accept(subject, 'stream', { stream_format: 'audio', ...changes })
}

/** Returns the duration of raw PCM, in seconds. */
function pcmSeconds({ headers, bytes }: ApiResponse): number {
  const [rate, channels, bits] = ['x-sample-rate', 'x-channels', 'x-bit-depth'].map((name) => Number(headers.get(name)))
  return bytes.byteLength / ((rate ?? 0) * (channels ?? 0) * ((bits ?? 0) / 8))
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
    const without = pcmSeconds(await pcm(subject, { input: 'Good morning. Good night.' }))
    const longer = pcmSeconds(await pcm(subject, { input: 'Good morning. [pause 2.0s] Good night.' })) - without
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
    const slow = pcmSeconds(await pcm(subject, { speed: 0.25 }))
    const fast = pcmSeconds(await pcm(subject, { speed: 4 }))
    const normal = pcmSeconds(await pcm(subject))
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
