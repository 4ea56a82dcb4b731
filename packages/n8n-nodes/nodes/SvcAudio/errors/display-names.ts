/** Display names of the fields of a request, as the node's forms spell them. */
const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  after: 'Limit',
  aigc_metadata: 'AIGC Marking',
  audio_sample: 'Input Data Field Name',
  description: 'Description',
  diarize: 'Diarize',
  expected_duration_sec: 'Expected Duration (Seconds)',
  file: 'Input Data Field Name',
  file_id: 'File',
  input: 'Text',
  instruction: 'Voice Description',
  keyterms: 'Key Terms',
  language: 'Language',
  limit: 'Limit',
  model: 'Model',
  name: 'Name',
  purpose: 'Purpose',
  response_format: 'Response Format',
  segments: 'Lines',
  speaker: 'Speaker',
  speakers: 'Speakers',
  speed: 'Speed',
  status: 'Status',
  stream: 'Model',
  task_id: 'Task ID',
  text: 'Text',
  url: 'URL',
  voice_id: 'Voice',
  webhook_url: 'Webhook URL',
}

/**
 * The display name of a request's field: `Voice` for `voice_id`, `Lines 2: Speaker` for `segments[1].speaker`. An unknown
 * field keeps its name.
 */
export function displayNameOf(param: string): string {
  const [, list = '', index = '', field = ''] = /^(\w+)\[(\d+)\]\.(\w+)$/.exec(param) ?? []
  if (list !== '') return `${displayNameOf(list)} ${Number(index) + 1}: ${displayNameOf(field)}`
  const [own = param] = param.split('.')
  return DISPLAY_NAMES[own] ?? param
}

/** Names of the wire in a message of the service. One word alone, such as `text`, may be a word of the sentence. */
const IN_MESSAGES = /`([\w.[\]]+)`|\b(speakers\[\]\.id|(?:speakers|segments)\[\d+\]\.\w+|[a-z]+(?:_[a-z]+)+)\b/g

/** A message of the service or the client with display names for the names of the wire. */
export function inDisplayNames(message: string): string {
  return message.replaceAll(IN_MESSAGES, (found, quoted?: string, bare?: string) => {
    const name = quoted ?? bare ?? ''
    if (name === 'speakers[].id') return 'the names of the speakers'
    const display = displayNameOf(name)
    return display === name ? found : display
  })
}
