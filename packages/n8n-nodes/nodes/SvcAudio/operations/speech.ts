import { pcmSeconds } from '@svc-audio/core/audio'
import { WAV_HEADER_BYTES } from '@svc-audio/core/adapter'
import type { AigcMetadata, SpeechRequest, SpeechStreamBody } from '@svc-audio/core/pure'
import type { INodeProperties } from 'n8n-workflow'
import { longTimeout, runAsTaskOption, runsAsTask } from '../long-task.ts'
import {
  aigcOption,
  fileNameOption,
  formatField,
  modelField,
  optionsField,
  outputFields,
  textField,
  voiceField,
} from './fields.ts'
import { bytesFile, fileTarget, outputOf, speak } from './item-files.ts'
import type { Item, ItemOutput, Operation } from './operation.ts'
import { startTaskOperation } from './start-task.ts'
import { voiceOf } from './voices.ts'

/** Texts with more characters are spoken by a task: about six minutes of speech. */
const LONG_TEXT = 5000

/** The model that streams (interface: streaming speech). */
const STREAMING_MODEL = 'svc-tts-1.5-flash'

/**
 * Options that only a stream knows (interface: streaming speech). It gives PCM, which is output as it is or as WAV. The
 * form shows the options there alone. Where an expression decides, {@link checkStreamed} refuses them.
 */
const STREAM_ONLY = ['options.speed', 'options.language', 'options.expectedDuration']

/** What is spoken, by whom and as what. */
const speechFields: readonly INodeProperties[] = [
  textField('The text to speak. With the model svc-tts-1.5-flash, [pause 1.5s] is 0.1 to 10 seconds of silence.'),
  voiceField('voice'),
  modelField('searchSpeechModels', 'svc-tts-1.5-flash', 'The model that speaks'),
  formatField,
]

/** Where the options of a stream work: n8n hides them elsewhere. A value by expression is checked at run time. */
const STREAMED: INodeProperties['displayOptions'] = {
  show: { '/responseFormat': ['wav', 'pcm'], '/output': ['file'], '/model': [STREAMING_MODEL] },
  hide: { '@tool': [true] },
}

const streamOptions: INodeProperties[] = [
  {
    displayName: 'Expected Duration (Seconds)',
    name: 'expectedDuration',
    type: 'number',
    typeOptions: { minValue: 0, numberPrecision: 1 },
    default: 10,
    description: 'How long the speech should last. For WAV and PCM files with svc-tts-1.5-flash.',
    displayOptions: STREAMED,
  },
  {
    displayName: 'Language',
    name: 'language',
    type: 'string',
    default: '',
    placeholder: 'e.g. en',
    description: 'Language of the text, as a hint. For WAV and PCM files with svc-tts-1.5-flash.',
    displayOptions: STREAMED,
  },
  {
    displayName: 'Speed',
    name: 'speed',
    type: 'number',
    typeOptions: { minValue: 0.25, maxValue: 4, numberPrecision: 2 },
    default: 1,
    description: 'Speaking rate from 0.25 to 4. For WAV and PCM files with svc-tts-1.5-flash.',
    displayOptions: STREAMED,
  },
]

/** Text to speech: the audio as a binary field, or its URL. */
export const speechCreate: Operation = {
  resource: 'speech',
  operation: 'create',
  name: 'Convert Text to Speech',
  action: 'Convert text to speech',
  description: 'Speak a text with a voice, and output the audio',
  fields: [
    ...speechFields,
    ...outputFields,
    optionsField([fileNameOption, aigcOption, runAsTaskOption, ...streamOptions]),
  ],

  async startLong(item) {
    const { form } = item
    const streamed = STREAM_ONLY.find((path) => form.has(path))
    const isLong = (): boolean => streamed === undefined && form.required('text').length > LONG_TEXT
    if (!(await runsAsTask(item, isLong))) return undefined
    if (streamed !== undefined) {
      throw form.error(
        streamed,
        'does not work in a task',
        'Remove the option, or set Wait in the Background to Never.',
      )
    }
    const body = await speechBody(item)
    const output = outputOf(item)
    const plan = { kind: 'audio', format: body.response_format ?? 'wav' } as const
    const target = output === 'file' ? { target: fileTarget(item) } : {}
    const audio = await item.audio()
    const { id } = await audio.speech.createTask(body, await item.billableCall())
    return { taskId: id, plan: { ...plan, ...target }, timeout: longTimeout(item) }
  },

  async run(item) {
    const body = await speechBody(item)
    if (STREAM_ONLY.some((path) => item.form.has(path))) {
      checkStreamed(item, outputOf(item))
      return [await streamedFile(item, body)]
    }
    const { speech } = await item.audio()
    return [await speak(item, speech, body)]
  },
}

/** Text to speech by a task, for long texts. */
export const speechStartTask: Operation = startTaskOperation({
  resource: 'speech',
  action: 'Start speech task',
  description: 'Speak a long text in the background, and output the ID of the task',
  fields: speechFields,
  options: [aigcOption],
  body: speechBody,
  create: (audio, body, call) => audio.speech.createTask(body, call),
})

/** The request that the form describes. */
async function speechBody(item: Item): Promise<Omit<SpeechRequest, 'async' | 'delivery_method' | 'webhook_url'>> {
  const { form } = item
  return {
    model: form.required('model'),
    input: form.required('text'),
    voice_id: await voiceOf(item),
    response_format: form.required('responseFormat'),
    ...aigcMetadata(form.read('options.aigc')),
  }
}

/** The marking, where the option was added. What is left empty is left out. */
export function aigcMetadata(option: unknown): { aigc_metadata?: AigcMetadata } {
  if (typeof option !== 'object' || option === null || !('marking' in option)) return {}
  const { marking } = option
  const text = (name: string): string => {
    const value: unknown = typeof marking === 'object' && marking !== null ? Reflect.get(marking, name) : ''
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const [propagator, id] = [text('contentPropagator'), text('propagateId')]
  return {
    aigc_metadata: {
      enabled: true,
      ...(propagator === '' ? {} : { content_propagator: propagator }),
      ...(id === '' ? {} : { propagate_id: id }),
    },
  }
}

/** @throws FormError when an option of streams is combined with what a stream does not give */
function checkStreamed({ form }: Item, output: string): void {
  const path = STREAM_ONLY.find((one) => form.has(one)) ?? ''
  if (output !== 'file') throw form.error(path, 'works with the output File only', 'Remove the option, or choose File.')
  if (!['wav', 'pcm'].includes(form.required('responseFormat'))) {
    throw form.error(path, 'works with the response formats WAV and PCM only', 'Remove the option, or choose WAV.')
  }
  if (form.required('model') !== STREAMING_MODEL) {
    throw form.error(path, `works with the model ${STREAMING_MODEL} only`, 'Remove the option, or choose that model.')
  }
  if (form.has('options.aigc')) {
    throw form.error(path, 'cannot be combined with Mark as AI-Generated', 'Remove one of the two options.')
  }
}

/** The audio is complete or it throws. It is held in memory: a WAV file begins with its length. */
async function streamedFile(
  item: Item,
  { model, input, voice_id }: Pick<SpeechRequest, 'model' | 'input' | 'voice_id'>,
): Promise<ItemOutput> {
  const { form } = item
  const language = form.optionalText('options.language')
  const speed = form.number('options.speed')
  const expected = form.number('options.expectedDuration')
  const body: SpeechStreamBody = {
    model,
    input,
    voice_id,
    ...(language === undefined ? {} : { language }),
    ...(speed === undefined ? {} : { speed }),
    ...(expected === undefined ? {} : { expected_duration_sec: expected }),
  }
  const audio = await item.audio()
  const stream = await audio.speech.stream(body, await item.billableCall())
  const wav = await stream.toWav()
  const pcm = wav.subarray(WAV_HEADER_BYTES)
  const isWav = form.required('responseFormat') === 'wav'
  const target = fileTarget(item)
  const output = isWav
    ? await bytesFile(item, wav, { format: 'wav', type: 'audio/wav', target })
    : await bytesFile(item, pcm, { format: 'pcm', type: 'audio/pcm', target })
  const { sampleRate, channels, bitDepth } = stream.format
  const format = isWav ? {} : { sampleRate, channels, bitDepth }
  return { ...output, json: { ...output.json, ...format, durationSeconds: pcmSeconds(stream.format, pcm.byteLength) } }
}
