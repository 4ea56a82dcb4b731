import type { INodeParameterResourceLocator, INodeParameters } from 'n8n-workflow'

/** A resource locator whose id was typed in. */
export function byId(value: string): INodeParameterResourceLocator {
  return { __rl: true, mode: 'id', value }
}

/** Fields of Speech as a form holds them that was filled in by hand. */
export function speech(fields: INodeParameters): INodeParameters {
  return {
    resource: 'speech',
    operation: 'create',
    voice: byId('rms'),
    model: byId('svc-tts-1.5-flash'),
    responseFormat: 'wav',
    binaryPropertyName: 'data',
    options: {},
    ...fields,
  }
}

/** Fields of Transcription as a form holds them that was left as it was. */
export function transcription(fields: INodeParameters = {}): INodeParameters {
  return {
    resource: 'transcription',
    operation: 'create',
    source: 'binary',
    binaryPropertyName: 'data',
    model: byId('svc-transcribe-1.0'),
    responseFormat: 'json',
    options: {},
    ...fields,
  }
}

const DIARIZED = byId('svc-transcribe-diarize-pro')

const task = (fields: INodeParameters): INodeParameters => ({
  ...speech({ text: 'Hi', ...fields }),
  operation: 'startTask',
})
const dialogue = (fields: INodeParameters): INodeParameters => ({
  resource: 'dialogue',
  operation: 'create',
  speakers: { speaker: [{ name: 'Ann', voiceId: 'voice-1' }] },
  lines: { line: [{ speaker: 'Ann', text: 'Hi.' }] },
  ...fields,
})

/** Mistakes in the form of the node, each found before a request. */
export const FORM_MISTAKES: readonly (readonly [what: string, parameters: INodeParameters])[] = [
  ['an empty field', speech({ text: ' ' })],
  ['no number', speech({ text: 'Hi', options: { timeout: '={{ "soon" }}' } })],
  ['a number that is too small', speech({ text: 'Hi', options: { timeout: '={{ -1 }}' } })],
  ['no whole number', speech({ text: 'Hi', options: { retries: '={{ 1.5 }}' } })],
  ['no switch', speech({ text: 'Hi', options: { retryAmbiguous: '={{ "maybe" }}' } })],
  [
    'no list',
    transcription({
      source: 'url',
      url: 'https://x.example/a.wav',
      model: DIARIZED,
      options: { keyterms: '={{ [{}] }}' },
    }),
  ],
  ['an item without the file', transcription({})],
  ['an unknown choice', speech({ text: 'Hi', output: '={{ "tape" }}' })],
  ['an unknown operation', { ...speech({}), operation: 'sing' }],
  ['too many items at once', speech({ text: 'Hi', options: { itemsAtOnce: '={{ 100 }}' } })],
  ['lines that are no array', dialogue({ linesFrom: 'json', linesJson: '={{ "{}" }}' })],
  ['an unknown speaker', dialogue({ lines: { line: [{ speaker: 'Ben', text: 'Hi.' }] } })],
  ['no speaker', dialogue({ speakers: { speaker: [] } })],
  ['no line', dialogue({ lines: { line: [] } })],
  ['a pause that is too long', speech({ text: '[pause 11s]' })],
  ['a Webhook URL without HTTPS', task({ webhookUrl: 'http://example.com/hook' })],
  [
    'Diarize with the plain model',
    transcription({ source: 'url', url: 'https://x.example/a.wav', options: { diarize: '={{ true }}' } }),
  ],
  ['Speed in a task', speech({ text: 'Hi', options: { speed: '={{ 2 }}', runAsTask: 'always' } })],
]
