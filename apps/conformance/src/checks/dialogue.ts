import { type Check, check } from '../check.ts'
import { ensure, isFields } from '../expect.ts'
import { unique, voiceId } from '../subject/fixtures.ts'
import { accept, bodyOf, refuse } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'
import { wholeWav } from '../audio.ts'
import {
  givesAudio,
  givesUrl,
  callsWebhook,
  createsTask,
  refusesPlainWebhook,
  requiresText,
  speaksFormats,
  holdsText,
  takesJson,
} from './spoken.ts'

/** Returns a list of the request with each entry changed. */
async function changed(subject: Subject, field: 'speakers' | 'segments', change: object): Promise<object> {
  const { [field]: entries } = await bodyOf(subject, 'dialogue')
  const all: readonly unknown[] = Array.isArray(entries) ? entries : []
  return { [field]: all.map((entry) => Object.assign({}, isFields(entry) ? entry : {}, change)) }
}

/** Dialogue. */
export const dialogueChecks: readonly Check[] = [
  takesJson('dialogue.endpoint', 'dialogue'),
  check('dialogue.model', 'both model ids are accepted; a missing or unknown one is refused', async (subject) => {
    for (const model of ['ttsd-1.0', 'ttsd-1.0-2026-03-20']) {
      await accept(subject, 'dialogue', { model: subject.model(model) })
    }
    await refuse(subject, 'dialogue', { model: undefined })
    await refuse(subject, 'dialogue', { model: subject.model('ttsd-of-nobody') })
  }),
  check('dialogue.speakers', 'missing or empty speakers are refused', async (subject) => {
    await refuse(subject, 'dialogue', { speakers: undefined })
    await refuse(subject, 'dialogue', { speakers: [] })
  }),
  check('dialogue.speaker-fields', 'a speaker without id or known voice_id is refused', async (subject) => {
    for (const change of [{ id: undefined }, { voice_id: undefined }, { voice_id: unique() }]) {
      await refuse(subject, 'dialogue', { ...(await changed(subject, 'speakers', change)) })
    }
  }),
  check('dialogue.segments', 'missing or empty segments are refused', async (subject) => {
    await refuse(subject, 'dialogue', { segments: undefined })
    await refuse(subject, 'dialogue', { segments: [] })
  }),
  check('dialogue.segment-speaker', 'a segment of an undeclared speaker is refused', async (subject) => {
    for (const change of [{ speaker: 'three' }, { speaker: undefined }]) {
      await refuse(subject, 'dialogue', { ...(await changed(subject, 'segments', change)) })
    }
  }),
  check('dialogue.segment-text', 'a segment without text is refused', async (subject) => {
    for (const text of [undefined, '']) {
      await refuse(subject, 'dialogue', { ...(await changed(subject, 'segments', { text })) })
    }
  }),
  check('dialogue.segment-text', 'every segment is spoken', async (subject) => {
    const segments = Array.from({ length: 4 }, (_, at) => ({
      speaker: at % 2 === 0 ? 'one' : 'two',
      text: 'Good morning.',
    }))
    const all = wholeWav((await accept(subject, 'dialogue', { segments })).bytes)
    const first = wholeWav((await accept(subject, 'dialogue', { segments: segments.slice(0, 1) })).bytes)
    ensure(all.seconds > 2 * first.seconds, `four segments take ${all.seconds} s, one takes ${first.seconds} s`)
  }),
  speaksFormats('dialogue.response-format', 'dialogue'),
  givesAudio('dialogue.delivery-method', 'dialogue'),
  givesUrl('dialogue.delivery-method', 'dialogue'),
  createsTask('dialogue.async', 'dialogue', 'audio.speech'),
  refusesPlainWebhook('dialogue.webhook-url', 'dialogue'),
  callsWebhook('dialogue.webhook-url', 'dialogue'),
  check('dialogue.aigc', 'the file carries the propagator and its id', async (subject) => {
    const propagator = unique()
    const metadata = { enabled: true, content_propagator: propagator, propagate_id: `${propagator}-id` }
    const { bytes } = await accept(subject, 'dialogue', { aigc_metadata: metadata })
    ensure(Buffer.from(bytes).includes(`${propagator}-id`), 'the propagate_id is not in the file')
    const { bytes: mp3 } = await accept(subject, 'dialogue', { aigc_metadata: metadata, response_format: 'mp3' })
    ensure(holdsText(mp3, `${propagator}-id`), 'the propagate_id is not in the mp3 file')
    const { bytes: unmarked } = await accept(subject, 'dialogue', { aigc_metadata: { ...metadata, enabled: false } })
    ensure(!Buffer.from(unmarked).includes(propagator), 'the marking is written with enabled=false')
  }),
  check('dialogue.speaker-fields', 'one voice can be two speakers', async (subject) => {
    await accept(subject, 'dialogue', { ...(await changed(subject, 'speakers', { voice_id: await voiceId(subject) })) })
  }),
]

/** Voice generation. */
export const generationChecks: readonly Check[] = [
  takesJson('voice-generation.endpoint', 'generation'),
  requiresText('voice-generation.model', 'generation', 'model'),
  check('voice-generation.model', 'an unknown model is refused', async (subject) => {
    await refuse(subject, 'generation', { model: subject.model('voice-generator-of-nobody') })
  }),
  requiresText('voice-generation.input', 'generation', 'input'),
  requiresText('voice-generation.instruction', 'generation', 'instruction'),
  check('voice-generation.delivery-method', 'audio, url and no delivery_method are accepted', async (subject) => {
    for (const delivery of [undefined, 'audio', 'url'])
      await accept(subject, 'generation', { delivery_method: delivery })
  }),
  givesAudio('voice-generation.audio-answer', 'generation'),
  givesUrl('voice-generation.url-answer', 'generation'),
  createsTask('voice-generation.async', 'generation', 'audio.voice_generation'),
  refusesPlainWebhook('voice-generation.webhook-url', 'generation'),
  callsWebhook('voice-generation.webhook-url', 'generation'),
]
