/** Display names of the fields of a request, as the node's forms spell them. */
const DISPLAY_NAMES: Readonly<Record<string, string>> = {
  after: 'Limit',
  aigc_metadata: 'Mark as AI-Generated',
  audio_url: 'URL',
  audio_sample: 'Input Data Field Name',
  description: 'Description',
  diarize: 'Tell Speakers Apart',
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

/** A request of the interface in a message: people have no use for it. */
const REQUEST = /\b(?:GET|POST|PUT|DELETE) \//

/** What the codes of failed connections and of the system mean. n8n replaces messages that hold one of them. */
const SYSTEM_CODES: readonly (readonly [codes: string, words: string])[] = [
  ['ECONNREFUSED', 'the connection was refused'],
  ['ECONNRESET|ECONNABORTED|EPIPE|UND_ERR_SOCKET', 'the connection was cut'],
  ['ENOTFOUND|GETADDRINFO|EAI_AGAIN', 'its host has no address'],
  [String.raw`ETIMEDOUT|UND_ERR_\w*TIMEOUT`, 'it does not answer in time'],
  ['EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ERRADDRINUSE|EADDRINUSE', 'its host cannot be reached'],
  ['EACCES|EPERM', 'access is denied'],
  ['ENOENT|EISDIR|ENOTDIR|EEXIST', 'there is no such file'],
  [String.raw`UND_ERR_\w+`, 'the response cannot be read'],
]

/** A code as a word of the sentence: in quotes or in a path it is a name. */
const CODES_IN_MESSAGES = SYSTEM_CODES.map(
  ([codes, words]) => [new RegExp(String.raw`(?<![\w"\u0060/.-])(?:${codes})(?![\w"\u0060/-])`, 'g'), words] as const,
)

/**
 * A message of the service for people who use the editor: display names for names of the wire, words for codes of the
 * system, and no advice to send a request of the interface.
 */
export function forPeople(message: string): string {
  const [first = ''] = /^[a-z_]+(?= )/.exec(message) ?? []
  const named = first in DISPLAY_NAMES ? displayNameOf(first) + message.slice(first.length) : message
  const clauses = inDisplayNames(named).split(/(?<=[:;]) /)
  const advice = clauses.findIndex((clause) => REQUEST.test(clause))
  const kept = (advice < 1 ? clauses : clauses.slice(0, advice)).join(' ')
  const own = advice < 1 ? kept : kept.replace(/[:;]$/, '')
  return CODES_IN_MESSAGES.reduce((text, [codes, words]) => text.replaceAll(codes, words), own)
}
