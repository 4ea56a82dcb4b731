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
