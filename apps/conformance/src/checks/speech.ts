import { type Check, check } from '../check.ts'
import { ensure } from '../expect.ts'
import { unique, voiceId } from '../subject/fixtures.ts'
import { accept, finishedTask, plain, refuse, send } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'
import { requireFormat, wholeWav } from '../audio.ts'
import {
  givesAudio,
  givesUrl,
  callsWebhook,
  createsTask,
  holdsText,
  refusesPlainWebhook,
  requiresText,
  samples,
  speaksFormats,
  takesJson,
} from './spoken.ts'

const PIECES = ['Good morning.', 'Good night.'] as const

/** Duration of two sentences with the given text between them, in seconds. */
export async function secondsWith(subject: Subject, between: string): Promise<number> {
  const { bytes } = await accept(subject, 'speech', { input: PIECES.join(` ${between} `) })
  return wholeWav(bytes).seconds
}

/** Requires pauses of the requested length. The tolerance covers silence that the server trims around them. */
async function keepsPauses(subject: Subject): Promise<void> {
  const without = await secondsWith(subject, '')
  for (const pause of [0.1, 2, 10]) {
    const longer = (await secondsWith(subject, `[pause ${pause.toFixed(1)}s]`)) - without
    ensure(Math.abs(longer - pause) < 1, `a pause of ${pause} s makes the audio ${longer.toFixed(2)} s longer`)
  }
}

/** Requires audio without the pause. The interface does not say whether the request is refused. */
async function hasNoPause(subject: Subject, marker: string, seconds: number, changes: object): Promise<void> {
  const plainText = await accept(subject, 'speech', { ...changes, input: PIECES.join(' ') })
  const response = await send(subject, 'speech', { ...changes, input: PIECES.join(` ${marker} `) })
  if (!response.accepted) return
  const longer = wholeWav(response.bytes).seconds - wholeWav(plainText.bytes).seconds
  ensure(longer < seconds, `${marker} makes the audio ${longer.toFixed(1)} s longer`)
}

const marking = (propagator: string): object => ({
  aigc_metadata: { enabled: true, content_propagator: propagator, propagate_id: `${propagator}-id` },
})

/** Speech in one piece. */
export const speechChecks: readonly Check[] = [
  takesJson('speech.endpoint', 'speech'),
  requiresText('speech.model', 'speech', 'model'),
  check('speech.model', 'both single-speaker models are accepted; an unknown one is refused', async (subject) => {
    for (const model of ['tts-1.5-flash', 'tts-1.0-pro'])
      await accept(subject, 'speech', { model: subject.model(model) })
    await refuse(subject, 'speech', { model: subject.model('tts-of-nobody') })
  }),
  requiresText('speech.input', 'speech', 'input'),
  check('speech.input', 'a longer text gives longer audio', async (subject) => {
    const short = await accept(subject, 'speech', { input: 'Good morning.' })
    const long = await accept(subject, 'speech', { input: 'Good morning. '.repeat(4) })
    ensure(wholeWav(long.bytes).seconds > wholeWav(short.bytes).seconds, 'four sentences are not longer than one')
  }),
  check('speech.pause-range', 'pauses of 0.1, 2.0 and 10.0 s have that length', keepsPauses),
  check('speech.pause-range', 'a pause out of range makes no pause', async (subject) => {
    await hasNoPause(subject, '[pause 60.0s]', 20, {})
  }),
  check('speech.pause-flash-only', 'another model makes no pause', async (subject) => {
    await hasNoPause(subject, '[pause 9.0s]', 8, { model: subject.model('tts-1.0-pro') })
  }),
  check('speech.voice-id', 'a missing or unknown voice_id is refused', async (subject) => {
    await refuse(subject, 'speech', { voice_id: undefined })
    await refuse(subject, 'speech', { voice_id: unique() })
  }),
  check('speech.voice-id-only', 'a voice from a URL, data or file is refused', async (subject) => {
    for (const voice of ['https://example.com/voice.wav', 'data:audio/wav;base64,UklGRg==']) {
      await refuse(subject, 'speech', { voice_id: voice })
    }
    for (const field of ['voice_url', 'voice_data', 'voice_file', 'reference_audio']) {
      await refuse(subject, 'speech', { voice_id: undefined, [field]: 'https://example.com/voice.wav' })
    }
  }),
  speaksFormats('speech.response-format', 'speech'),
  check('speech.delivery-method', 'audio, url and no delivery_method are accepted', async (subject) => {
    for (const delivery of [undefined, 'audio', 'url']) await accept(subject, 'speech', { delivery_method: delivery })
  }),
  givesAudio('speech.audio-answer', 'speech'),
  check('speech.audio-answer', 'the content type matches the format', async (subject) => {
    const { mimeType, bytes } = await plain(subject, 'speech')
    requireFormat('the response', 'wav', mimeType, bytes)
  }),
  givesUrl('speech.url-answer', 'speech'),
  createsTask('speech.async', 'speech', 'audio.speech'),
  check('speech.task-result', 'the finished task shows its result', async (subject) => {
    const { creation, last } = await finishedTask(subject, 'speech')
    const more = Object.keys(last).filter((name) => !(name in creation) && name !== 'updated_at')
    ensure(more.length > 0, `the task has only ${Object.keys(last).join(', ')}`)
  }),
  refusesPlainWebhook('speech.webhook-url', 'speech'),
  callsWebhook('speech.webhook-url', 'speech'),
  check('speech.aigc-default', 'without enabled=true the file has no marking', async (subject) => {
    const propagator = unique()
    const { bytes } = await accept(subject, 'speech', {
      aigc_metadata: { content_propagator: propagator, propagate_id: propagator },
    })
    ensure(!holdsText(bytes, propagator), 'the marking is written without enabled')
    const off = await accept(subject, 'speech', { aigc_metadata: { enabled: false, content_propagator: propagator } })
    ensure(!holdsText(off.bytes, propagator), 'the marking is written with enabled=false')
  }),
  check('speech.aigc-fields', 'the three fields are accepted together and alone', async (subject) => {
    for (const fields of [
      { enabled: true, content_propagator: 'One', propagate_id: 'two' },
      { enabled: true },
      { content_propagator: 'One' },
      { propagate_id: 'two' },
      {},
    ]) {
      await accept(subject, 'speech', { aigc_metadata: fields })
    }
  }),
  check('speech.aigc-written', 'the file carries the propagator and its id', async (subject) => {
    const propagator = unique()
    const { bytes } = await accept(subject, 'speech', { ...marking(propagator) })
    ensure(holdsText(bytes, propagator), 'the content_propagator is not in the file')
    ensure(holdsText(bytes, `${propagator}-id`), 'the propagate_id is not in the file')
  }),
  check('speech.aigc-written', 'an mp3 file carries the propagator and its id', async (subject) => {
    const propagator = unique()
    const { bytes } = await accept(subject, 'speech', { ...marking(propagator), response_format: 'mp3' })
    ensure(holdsText(bytes, `${propagator}-id`), 'the propagate_id is not in the mp3 file')
  }),
  check('speech.aigc-file-only', 'the marking does not change the samples', async (subject) => {
    const [unmarked, marked] = [await samples(subject), await samples(subject, marking(unique()))]
    ensure(Buffer.compare(unmarked, marked) === 0, 'the marking changes the samples')
  }),
  check('models.known', 'the first listed voice speaks with every single-speaker model', async (subject) => {
    const voice = await voiceId(subject)
    for (const model of ['tts-1.5-flash', 'tts-1.0-pro']) {
      await accept(subject, 'speech', { model: subject.model(model), voice_id: voice })
    }
  }),
]
