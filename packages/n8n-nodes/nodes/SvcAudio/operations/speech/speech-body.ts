import type { AigcMetadata, SpeechRequest } from '@svc-audio/core/pure'
import type { Item } from '../item.ts'

/** The request that the form describes. */
export function speechBody({ form }: Item): Omit<SpeechRequest, 'async' | 'delivery_method' | 'webhook_url'> {
  return {
    model: form.required('model'),
    input: form.required('text'),
    voice_id: form.required('voice'),
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
