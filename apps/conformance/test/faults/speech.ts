import { encodeWav } from '@svc-audio/core/audio'
import type { Body, Fault, Passed } from '../support/fault.ts'
import {
  accepts,
  asks,
  DIALOGUE,
  each,
  GENERATION,
  type Planted,
  rejects,
  sends,
  sendsHeader,
  sendsType,
  SPEECH,
  streamEvent,
  streams,
} from './plant.ts'

const FIRST = 'The morning train leaves at seven.'

/** Changes the samples of a WAV response, behind its header of 44 bytes. */
function samples(change: (data: Buffer) => Buffer): Fault {
  return sendsType(SPEECH, 'audio/wav', (response) => {
    response.body = Buffer.concat([response.body.subarray(0, 44), change(response.body.subarray(44))])
  })
}

const pcm = (change: (response: Passed) => void): Fault => sendsType(SPEECH, 'audio/pcm', change)
const isStream = (json: Body): boolean => json['stream'] === true

/** Shortens a long text. */
function cutText(json: Body): void {
  json['input'] = String(json['input']).slice(0, 500)
}

function swappedBytes({ body }: Passed): Buffer {
  return Buffer.from(body.subarray(0, body.byteLength - (body.byteLength % 2))).swap16()
}

/** Answers a request with the response to the one before. */
function lateResponses(): Fault {
  let before: Buffer | undefined
  return sendsType(SPEECH, 'audio/wav', (response) => {
    const own = response.body
    response.body = before ?? own
    before = own
  })
}

/** Faults of speech and dialogue. */
export const speechFaults: readonly Planted[] = [
  [
    'every voice sounds the same',
    'speech.voice-id',
    asks(SPEECH, (json) => {
      if (['joe', 'slt', 'awb', 'kal16'].includes(String(json['voice_id']))) json['voice_id'] = 'rms'
    }),
  ],
  ['an unknown voice is the default voice', 'speech.voice-id', accepts(SPEECH)],
  ['a voice may be a URL', 'speech.voice-id-only', accepts(SPEECH)],
  ['a form is read as JSON', 'speech.endpoint', accepts(SPEECH)],
  ['invalid JSON is an empty request', 'endpoints.json', accepts(DIALOGUE)],
  [
    'names in camel case are read',
    'endpoints.exact-names',
    asks(SPEECH, (json) => void (json['voice_id'] ??= json['voiceId'] ?? json['voice_id'])),
  ],
  ['an unknown model is the default model', 'speech.model', accepts(SPEECH)],
  ['an empty text is spoken', 'speech.input', accepts(SPEECH)],
  [
    'a new voice sounds like another one',
    'voice.id-use',
    asks(SPEECH, (json) => {
      if (String(json['voice_id']).length > 8) json['voice_id'] = 'kal16'
    }),
  ],
  [
    'the speech says one sentence of two',
    'speech.input',
    asks(SPEECH, (json) => {
      if (String(json['input']).startsWith('The morning')) json['input'] = FIRST
    }),
  ],
  ['a long text is cut', 'speech.input', asks(SPEECH, cutText)],
  ['requests at once get the audio of each other', 'speech.input', lateResponses()],
  [
    'a pause is half as long',
    'speech.pause-range',
    asks(SPEECH, (json) => {
      json['input'] = String(json['input']).replace(
        /\[pause ([\d.]+)s\]/,
        (_, length) => `[pause ${(Number(length) / 2).toFixed(1)}s]`,
      )
    }),
  ],
  [
    'a pause marker is dropped',
    'speech.pause-range',
    asks(SPEECH, (json) => void (json['input'] = String(json['input']).replace(/\[pause [\d.]+s\]/, ''))),
  ],
  [
    'every model makes pauses',
    'speech.pause-flash-only',
    asks(SPEECH, (json) => {
      if (json['model'] === 'svc-tts-1.0-pro') json['model'] = 'svc-tts-1.5-flash'
    }),
  ],
  [
    'response_format is ignored',
    'speech.response-format',
    asks(SPEECH, (json) => {
      if (!isStream(json)) json['response_format'] = 'mp3'
    }),
  ],
  [
    'a WAV response is sent as MP3',
    'speech.audio-answer',
    sendsType(SPEECH, 'audio/wav', ({ headers }) => headers.set('content-type', 'audio/mpeg')),
  ],
  ['a response has no content type', 'speech.audio-answer', sendsHeader(SPEECH, 'content-type', null)],
  [
    'an MP3 answer ends early',
    'speech.response-format',
    sendsType(
      SPEECH,
      'audio/mpeg',
      (response) => void (response.body = response.body.subarray(0, response.body.byteLength / 2)),
    ),
  ],
  ['a WAV file ends early', 'speech.input', samples((data) => data.subarray(0, Math.floor(data.byteLength / 4) * 2))],
  [
    'a response breaks off',
    'speech.audio-answer',
    sendsType(SPEECH, 'audio', (response) => void (response.cutAfter = 500)),
  ],
  ['the speech is silent', 'speech.audio-answer', samples((data) => Buffer.alloc(data.byteLength))],
  [
    'the header of a WAV file has half its rate',
    'speech.response-format',
    sendsType(SPEECH, 'audio/wav', ({ body }) => void body.writeUInt32LE(body.readUInt32LE(24) / 2, 24)),
  ],
  [
    'audio comes for delivery_method url',
    'speech.url-answer',
    asks(SPEECH, (json) => void delete json['delivery_method']),
  ],
  [
    'JSON comes by default',
    'speech.audio-answer',
    asks(SPEECH, (json) => {
      if (!isStream(json) && json['async'] !== true) json['delivery_method'] ??= 'url'
    }),
  ],
  [
    'delivery_method audio is refused',
    'speech.delivery-method',
    rejects(SPEECH, ({ json }) => json['delivery_method'] === 'audio'),
  ],
  [
    'the marking is written by default',
    'speech.aigc-default',
    asks(SPEECH, ({ aigc_metadata: fields }) => void Object.assign(Object(fields), { enabled: true })),
  ],
  ['the marking is never written', 'speech.aigc-written', asks(SPEECH, (json) => void delete json['aigc_metadata'])],
  [
    'the marking is missing in MP3 files',
    'speech.aigc-written',
    asks(SPEECH, (json) => {
      if (json['response_format'] === 'mp3') delete json['aigc_metadata']
    }),
  ],
  [
    'the marking needs all its fields',
    'speech.aigc-fields',
    rejects(SPEECH, ({ json }) => Object.keys(Object(json['aigc_metadata'])).length === 1),
  ],
  [
    'the marking changes the voice',
    'speech.aigc-file-only',
    asks(SPEECH, (json) => {
      if ('aigc_metadata' in json) json['voice_id'] = 'awb'
    }),
  ],
  [
    'a dialogue is spoken in one voice',
    'dialogue.speaker-fields',
    asks(DIALOGUE, (json) => {
      if (Array.isArray(json['speakers']))
        json['speakers'] = each(json['speakers'], (speaker) => ({ ...speaker, voice_id: 'rms' }))
    }),
  ],
  [
    'a dialogue loses its last line',
    'dialogue.segment-text',
    asks(DIALOGUE, (json) => {
      if (Array.isArray(json['segments']) && json['segments'].length > 1)
        json['segments'] = json['segments'].slice(0, -1)
    }),
  ],
  [
    'the lines of a dialogue are in reverse',
    'dialogue.segment-text',
    asks(DIALOGUE, (json) => {
      if (Array.isArray(json['segments'])) json['segments'] = json['segments'].toReversed()
    }),
  ],
  [
    'the voices of a dialogue are swapped',
    'dialogue.segment-speaker',
    asks(DIALOGUE, (json) => {
      const speakers = each(json['speakers'], (speaker) => speaker)
      const voices = speakers.map((speaker) => Reflect.get(Object(speaker), 'voice_id'))
      if (speakers.length === 2)
        json['speakers'] = speakers.map((speaker, at) => Object.assign({}, speaker, { voice_id: voices[1 - at] }))
    }),
  ],
  ['a dialogue without speakers is accepted', 'dialogue.speakers', accepts(DIALOGUE)],
  ['a dialogue without segments is accepted', 'dialogue.segments', accepts(DIALOGUE)],
  ['an undeclared speaker is accepted', 'dialogue.segment-speaker', accepts(DIALOGUE)],
  [
    'a dialogue is always MP3',
    'dialogue.response-format',
    asks(DIALOGUE, (json) => void (json['response_format'] = 'mp3')),
  ],
  ['a dialogue has no marking', 'dialogue.aigc', asks(DIALOGUE, (json) => void delete json['aigc_metadata'])],
  [
    'the pinned model of dialogues is refused',
    'dialogue.model',
    rejects(DIALOGUE, ({ json }) => String(json['model']).endsWith('2026-03-20')),
  ],
  [
    'the instruction of a generated voice is ignored',
    'voice-generation.instruction',
    asks(GENERATION, (json) => {
      if (typeof json['instruction'] === 'string' && json['instruction'] !== '') json['instruction'] = 'A man'
    }),
  ],
  [
    'a generated voice says other words',
    'voice-generation.input',
    asks(GENERATION, (json) => {
      if (String(json['input']).startsWith('The morning'))
        json['input'] = 'Nobody knows why penguins dislike orange umbrellas.'
    }),
  ],
  ['a generated voice needs no instruction', 'voice-generation.instruction', accepts(GENERATION)],
  ['an unknown model generates voices', 'voice-generation.model', accepts(GENERATION)],
  [
    'the type of a generated voice is another format',
    'voice-generation.audio-answer',
    sends(GENERATION, ({ headers }) => headers.set('content-type', 'audio/wav')),
  ],
]

/** Faults of streaming speech. */
export const streamFaults: readonly Planted[] = [
  [
    'stream is ignored',
    'stream.endpoint',
    asks(SPEECH, (json) => {
      if (isStream(json)) Object.assign(json, { stream: false, voice_id: 'rms', response_format: 'wav' })
      delete json['stream_format']
    }),
  ],
  [
    'the letter case of a model is ignored',
    'stream.model-exact',
    asks(SPEECH, (json) => void (json['model'] = String(json['model']).toLowerCase())),
  ],
  ['a blank text is streamed', 'stream.input', accepts(SPEECH)],
  [
    'a long stream is cut',
    'stream.input',
    asks(SPEECH, (json) => {
      if (isStream(json)) cutText(json)
    }),
  ],
  [
    'streams make no pauses',
    'stream.pauses',
    asks(SPEECH, (json) => void (json['input'] = String(json['input']).replace(/\[pause [\d.]+s\]/, ''))),
  ],
  [
    'a stream ignores its voice',
    'stream.voice-optional',
    asks(SPEECH, (json) => {
      if (isStream(json) && 'voice_id' in json) json['voice_id'] = 'rms'
    }),
  ],
  [
    'a language with spaces is refused',
    'stream.language',
    rejects(SPEECH, ({ json }) => String(json['language']).startsWith(' ')),
  ],
  [
    'the speed is limited to half and double',
    'stream.speed-range',
    asks(SPEECH, (json) => {
      const { speed } = json
      if (typeof speed === 'number' && speed >= 0.25 && speed <= 4) json['speed'] = Math.min(2, Math.max(0.5, speed))
    }),
  ],
  [
    'a speed out of range is clamped',
    'errors.stream-speed',
    asks(SPEECH, (json) => {
      if (typeof json['speed'] === 'number') json['speed'] = Math.min(4, Math.max(0.25, json['speed']))
    }),
  ],
  ['a duration of zero is accepted', 'stream.expected-duration', accepts(SPEECH)],
  [
    'a stream without response_format is PCM',
    'stream.response-format',
    asks(SPEECH, (json) => {
      if (isStream(json)) json['response_format'] = 'pcm'
    }),
  ],
  [
    'a stream is events by default',
    'stream.stream-format',
    asks(SPEECH, (json) => {
      if (isStream(json)) json['stream_format'] ??= 'sse'
    }),
  ],
  [
    'an unknown stream_format is PCM',
    'errors.stream-unsupported',
    asks(SPEECH, (json) => {
      if (json['stream_format'] === 'xml') json['stream_format'] = 'audio'
    }),
  ],
  [
    'the PCM is marked',
    'stream.aigc-file-only',
    sendsType(SPEECH, 'audio/pcm', (response, { json }) => {
      const { propagate_id: id } = Object(json['aigc_metadata'])
      if (id !== undefined) response.body = Buffer.concat([response.body, Buffer.from(String(id))])
    }),
  ],
  ['a sample rate is ignored', 'stream.no-sample-rate', asks(SPEECH, (json) => void delete json['sample_rate'])],
  [
    'a stream may be asynchronous',
    'stream.no-async',
    asks(SPEECH, (json) => {
      if (isStream(json)) delete json['async']
    }),
  ],
  [
    'a stream ignores its webhook',
    'stream.no-webhook',
    asks(SPEECH, (json) => {
      if (isStream(json)) delete json['webhook_url']
    }),
  ],
  ['a stream ignores voice_url', 'stream.no-other-voices', asks(SPEECH, (json) => void delete json['voice_url'])],
  ['events have no character set', 'stream.sse-answer', sendsHeader(SPEECH, 'content-type', 'text/event-stream')],
  [
    'raw PCM begins with a WAV header',
    'stream.pcm-answer',
    pcm(
      (response) =>
        void (response.body = Buffer.from(
          encodeWav({ sampleRate: 16_000, channels: 1, bitDepth: 16 }, [response.body]),
        )),
    ),
  ],
  [
    'raw PCM has the type audio/L16',
    'stream.pcm-answer',
    pcm(({ headers }) => headers.set('content-type', 'audio/L16')),
  ],
  ['a PCM stream has no sample rate', 'stream.pcm-format', pcm(({ headers }) => headers.delete('x-sample-rate'))],
  [
    'the header of raw PCM has twice its sample rate',
    'stream.pcm-format',
    pcm(({ headers }) => headers.set('x-sample-rate', String(2 * Number(headers.get('x-sample-rate'))))),
  ],
  ['the header of raw PCM has two channels', 'stream.pcm-format', pcm(({ headers }) => headers.set('x-channels', '2'))],
  ['the bytes of PCM are swapped', 'stream.input', pcm((response) => void (response.body = swappedBytes(response)))],
  [
    'raw PCM ends within a sample',
    'stream.pcm-format',
    pcm((response) => void (response.body = response.body.subarray(1))),
  ],
  ['a stream breaks off', 'stream.pcm-answer', pcm((response) => void (response.cutAfter = 3000))],
  [
    'events have names',
    'speech-events.frames',
    sendsType(
      SPEECH,
      'text/event-stream',
      (response) => void (response.body = Buffer.from(response.body.toString().replaceAll('data:', 'event: x\ndata:'))),
    ),
  ],
  [
    'task.created has another model',
    'speech-events.task-created',
    streamEvent(SPEECH, 'task.created', (event) => void (event['model'] = 'tts')),
  ],
  [
    'the task of a stream is pending',
    'states.stream-processing',
    streamEvent(SPEECH, 'task.created', (event) => void (event['status'] = 'PENDING')),
  ],
  [
    'the format of a stream is wav',
    'speech-events.format',
    streamEvent(SPEECH, 'speech.created', (event) => void (event['format'] = 'wav')),
  ],
  [
    'the sample rate is a text',
    'speech-events.values',
    streamEvent(SPEECH, 'speech.created', (event) => void (event['sample_rate'] = String(event['sample_rate']))),
  ],
  [
    'the bit depth is twelve',
    'speech-events.values',
    streamEvent(SPEECH, 'speech.created', (event) => void (event['bit_depth'] = 12)),
  ],
  [
    'speech.created comes after the audio',
    'speech-events.values',
    streams(SPEECH, (events) => [
      ...events.filter(({ type }) => type !== 'speech.created' && type !== 'speech.audio.done'),
      ...events.filter(({ type }) => type === 'speech.created' || type === 'speech.audio.done'),
    ]),
  ],
  [
    'deltas are Base64 for URLs',
    'speech-events.delta',
    streamEvent(
      SPEECH,
      'speech.audio.delta',
      (event) => void (event['audio'] = Buffer.from(String(event['audio']), 'base64').toString('base64url')),
    ),
  ],
  [
    'deltas are in reverse',
    'speech-events.delta',
    streams(SPEECH, (events) => {
      const deltas = events.filter(({ type }) => type === 'speech.audio.delta')
      return events.map((event) => (event['type'] === 'speech.audio.delta' ? (deltas.pop() ?? event) : event))
    }),
  ],
  [
    'one delta of a stream is lost',
    'speech-events.delta',
    streams(SPEECH, (events) => {
      const at = events.findIndex(({ type }) => type === 'speech.audio.delta')
      return events.filter((_, index) => index !== at + 1)
    }),
  ],
  [
    'an empty delta is null',
    'speech-events.empty-delta',
    streamEvent(SPEECH, 'speech.audio.delta', (event) => void (event['audio'] = null)),
  ],
  [
    'a stream ends without speech.audio.done',
    'speech-events.done',
    streams(SPEECH, (events) => events.filter(({ type }) => type !== 'speech.audio.done')),
  ],
  [
    'speech.audio.done comes before the last delta',
    'speech-events.done',
    streams(SPEECH, (events) => [...events.slice(0, -2), ...events.slice(-2).toReversed()]),
  ],
  [
    'speech.audio.done has a usage',
    'speech-events.done',
    streamEvent(SPEECH, 'speech.audio.done', (event) => void (event['usage'] = {})),
  ],
]
