import type { ObservedCall } from '../transport/observe.ts'

/** The resource at each path, as the client names it. */
const RESOURCES: Readonly<Record<string, string>> = {
  '/v1/audio/speech': 'speech',
  '/v1/audio/speech/speakers': 'dialogue',
  '/v1/audio/transcriptions': 'transcriptions',
  '/v1/audio/voices': 'voices',
  '/v1/audio/voice/generations': 'voiceGenerations',
  '/v1/audio/tasks': 'tasks',
  '/v1/files': 'files',
  '/v1/models': 'models',
}

/** The client method of a call: `speech.create`, `files.list`, `download`. */
export function operationOf({ method, path, fields }: Pick<ObservedCall, 'method' | 'path' | 'fields'>): string {
  const whole = RESOURCES[path]
  if (whole !== undefined) return `${whole}.${method === 'GET' ? 'list' : outcomeOf(fields ?? {})}`
  const one = RESOURCES[path.slice(0, path.lastIndexOf('/'))]
  return one === undefined ? 'download' : `${one}.${method === 'GET' ? 'retrieve' : 'delete'}`
}

/** The client method that sends such a body. */
function outcomeOf(fields: object): string {
  if ('stream' in fields && fields.stream === true) return 'stream'
  if ('async' in fields && fields.async === true) return 'createTask'
  return 'delivery_method' in fields && fields.delivery_method === 'url' ? 'createUrl' : 'create'
}
