import { type Check, check, unobservable, type Unobservable } from '../check.ts'
import { ensure } from '../expect.ts'
import { type ErrorBody, pathOf, plain, refuse, send } from '../subject/requests.ts'
import type { Subject } from '../subject/subject.ts'
import { callsWebhook, refusesPlainWebhook } from './spoken.ts'

/** Requires an error's code and the field that the interface names with it. */
function requireError({ code, text }: ErrorBody, wanted: string, field?: string): void {
  ensure(code === wanted, `the code is ${code}, not ${wanted}: ${text.slice(0, 200)}`)
  if (field !== undefined) ensure(text.includes(field), `the error does not name ${field}: ${text.slice(0, 200)}`)
}

/** Checks a streaming speech parameter error, by code and field. */
function streamError(rule: string, code: string, field: string | undefined, ...faults: readonly object[]): Check {
  return check(rule, `the error is ${[code, ...(field === undefined ? [] : [field])].join(' / ')}`, async (subject) => {
    for (const fault of faults) requireError(await refuse(subject, 'stream', { ...fault }), code, field)
  })
}

async function respondsWithJson(subject: Subject): Promise<void> {
  await plain(subject, 'stream')
  for (const fault of [
    { input: '' },
    { model: subject.model('tts-of-nobody') },
    { model: subject.model('tts-1.0-pro') },
  ]) {
    const response = await send(subject, 'stream', fault)
    ensure(
      !response.accepted && response.mimeType === 'application/json',
      `${JSON.stringify(fault)} gives ${response.mimeType}`,
    )
  }
}

/** Errors, and the callback. */
export const errorChecks: readonly Check[] = [
  ...(['speech', 'dialogue', 'generation', 'storedTranscription', 'stream'] as const).map((name) =>
    check('errors.json', `an error response is JSON with an error: POST ${pathOf(name)} (${name})`, async (subject) => {
      await refuse(subject, name, { model: undefined })
    }),
  ),
  check(
    'errors.before-response',
    'a wrong stream request is answered with an error before the stream begins',
    respondsWithJson,
  ),
  streamError(
    'errors.stream-input',
    'missing_required_field',
    undefined,
    { input: undefined },
    { input: '' },
    { input: ' ' },
  ),
  streamError(
    'errors.stream-response-format',
    'unsupported_response_format',
    'response_format',
    { response_format: undefined },
    { response_format: 'mp3' },
  ),
  streamError('errors.stream-unsupported', 'unsupported_stream', 'stream', { stream_format: 'xml' }),
  check('errors.stream-unsupported', 'a model without streaming is refused', async (subject) => {
    requireError(
      await refuse(subject, 'stream', { model: subject.model('tts-1.0-pro') }),
      'unsupported_stream',
      'stream',
    )
  }),
  streamError('errors.stream-sample-rate', 'unsupported_for_stream', 'sample_rate', { sample_rate: 16_000 }),
  streamError('errors.stream-speed', 'invalid_range', 'speed', { speed: 0.2 }, { speed: 4.1 }),
  streamError('errors.stream-async', 'unsupported_with_async', 'stream', { async: true }),
  streamError('errors.stream-webhook', 'unsupported_with_webhook', 'stream', {
    webhook_url: 'https://example.com/hook',
  }),
  check(
    'errors.stream-others',
    'a wrong duration, a wrong model and other voice sources are errors',
    async (subject) => {
      for (const fault of [
        { expected_duration_sec: 0 },
        { model: subject.model('TTS-1.5-FLASH') },
        { voice_url: 'https://example.com/voice.wav' },
        { voice_data: 'UklGRg==' },
        { file_id: 'file-1' },
      ]) {
        await refuse(subject, 'stream', fault)
      }
    },
  ),
  refusesPlainWebhook('webhook.https', 'speech'),
  callsWebhook('webhook.after-completion', 'transcription'),
]

const MID_STREAM = 'a failure during a stream cannot be caused from outside'

/** Errors that no request can cause. */
export const unobservableFailures: readonly Unobservable[] = [
  unobservable('speech-events.error', MID_STREAM),
  unobservable('speech-events.failure', MID_STREAM),
  unobservable('speech-events.pcm-failure', MID_STREAM),
  unobservable('errors.stream-fields', MID_STREAM),
]
