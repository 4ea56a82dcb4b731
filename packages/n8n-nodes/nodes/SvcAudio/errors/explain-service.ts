import type { ApiError, ConnectionError } from '@svc-audio/core/pure'
import { displayNameOf, forPeople } from './display-names.ts'

/** An error in words for people: what happened, and what to do about it. */
export interface Explanation {
  /** One line without method, URL and names of the wire. */
  readonly headline: string
  /** What to do, then what identifies the failure. */
  readonly description?: string | undefined
  /** The code of the service, or of the client's own check. */
  readonly code?: string | undefined
  /** The HTTP status of the response. */
  readonly status?: number | undefined
  /** Display name of the field. */
  readonly field?: string | undefined
}

/** A headline and what to do, for a response of the service. */
interface Words {
  readonly headline: string
  readonly remedy: string
}

const CONVERT = 'Convert it to WAV, FLAC or Ogg Opus if it is another format.'

/** What to do about unreadable audio, by the field of the request that brings it. */
const UNREADABLE: Readonly<Record<string, string>> = {
  audio_sample: `Check that Input Data Field Name holds audio, not text or an image. ${CONVERT}`,
  audio_url: `Open the URL in a browser: it must lead to the audio itself, not to a page with a player. ${CONVERT}`,
  file: `Check that Input Data Field Name holds audio, not text or an image. ${CONVERT}`,
  file_id: `Check that File is audio, not text or an image. ${CONVERT}`,
  url: `Open the URL in a browser: it must lead to the audio itself, not to a page with a player. ${CONVERT}`,
}

/** Answers of the service by status. */
export const STATUS_WORDS: Readonly<Record<number, Words>> = {
  401: {
    headline: 'API Key: the service does not accept it',
    remedy: 'Copy the key into the credentials again, or make a new one.',
  },
  403: {
    headline: 'API Key: the service does not allow this to the account',
    remedy: 'Ask the operator of the service.',
  },
  404: {
    headline: 'The service does not have what was asked for',
    remedy: 'Check the ID, and the Base URL of the credentials.',
  },
  405: {
    headline: 'Base URL: the address does not belong to the audio service',
    remedy: 'Check the Base URL of the credentials.',
  },
  408: {
    headline: 'The request took too long to arrive at the service',
    remedy: 'Run the workflow again. Send large files over a faster connection.',
  },
  409: { headline: 'The service is still busy with the same request', remedy: 'Run the workflow again in a minute.' },
  413: {
    headline: 'The file is too large for the service',
    remedy: 'Send a smaller file, or split the recording. The service names its limit.',
  },
  415: {
    headline: 'The service cannot read the audio',
    remedy: `Check that the file is audio, not text or an image. ${CONVERT}`,
  },
  429: {
    headline: 'The service does not take more requests at the moment',
    remedy: 'Lower the option Items at Once, raise the option Retries, or run the workflow later.',
  },
  500: {
    headline: 'The service failed',
    remedy: 'Run the workflow again. If the service did the work already, it may bill it twice.',
  },
  503: {
    headline: 'The service is busy or starting',
    remedy: 'Run the workflow again in a minute, or raise the option Retries.',
  },
}

const REDIRECT: Words = {
  headline: 'Base URL: the address redirects to another one',
  remedy: 'Enter the final address in the credentials. Redirects are not followed, so that the key stays there.',
}

/** Remedies of codes whose status says too little. */
export const CODE_REMEDIES: Readonly<Record<string, string>> = {
  invalid_audio_sample: UNREADABLE['audio_sample'] ?? '',
  idempotency_conflict: 'Run the workflow again: a new run is a new request.',
  input_too_long: 'Split the text and speak the parts as items, or raise the limit of your service.',
  model_not_found: 'Choose a model from the list.',
  output_too_long: 'Split the text and speak the parts as items, or raise the limit of your service.',
  not_found: 'Check the Base URL of the credentials.',
  private_url: 'Choose Binary File and send the file itself, or list the host in --url-allow of your service.',
  task_not_found: 'Check Task ID. The service deletes tasks after some days: start a new one.',
  storage_quota_exceeded: 'Delete files with the operation Delete of File, or wait until results expire.',
  tenant_suspended: 'Ask the operator of the service.',
  too_many_tasks: 'Wait until tasks of the account have ended, or start fewer of them.',
  unspeakable_text: 'Write letters or digits of the language of the voice.',
  unsupported_markup: 'Remove the markup: send plain text.',
  url_unreachable: 'Open the address in a browser. It must be reachable from the service.',
  voice_not_found: 'Choose a voice from the list, or use the ID that Get Many of Voice outputs.',
}

/** Headlines of codes whose status says something else. */
const CODE_HEADLINES: Readonly<Record<string, string>> = {
  not_found: 'Base URL: the address does not belong to the audio service',
  storage_quota_exceeded: 'The storage of the account is full',
  tenant_suspended: 'The account is suspended',
  too_many_tasks: 'The account has too many open tasks',
}

/** A response of the service with an error status. */
export function explainResponse(error: ApiError): Explanation {
  const { status, code, param, serviceMessage } = error
  const { headline, remedy } = wordsFor(error)
  const said = serviceMessage === undefined ? undefined : forPeople(serviceMessage)
  const isSaid = said === undefined || headline.endsWith(param === undefined ? said : withoutField(said, param))
  const description = [remedy, ...(isSaid ? [] : [`The service says: ${said}`]), factsOf(error)].join(' ')
  return { headline, description, code, status, ...(param === undefined ? {} : { field: displayNameOf(param) }) }
}

function wordsFor({ status, code = '', param, serviceMessage }: ApiError): Words {
  const remedyOfCode = CODE_REMEDIES[code]
  if (param !== undefined && status >= 400 && status < 500 && ![401, 403, 413, 415, 429].includes(status)) {
    const field = displayNameOf(param)
    const fault = withoutField(forPeople(serviceMessage ?? 'the service does not accept it'), param)
    const remedy = status === 404 ? `Choose another ${field}.` : `Change ${field}, or check its expression.`
    return { headline: `${field}: ${fault}`, remedy: remedyOfCode ?? remedy }
  }
  const found = status < 400 ? REDIRECT : (STATUS_WORDS[status] ?? (status >= 500 ? STATUS_WORDS[500] : undefined))
  const headline =
    CODE_HEADLINES[code] ?? found?.headline ?? forPeople(serviceMessage ?? 'The service does not accept the request')
  const remedyOfField = status === 415 ? UNREADABLE[param ?? ''] : undefined
  return { headline, remedy: remedyOfCode ?? remedyOfField ?? found?.remedy ?? 'Change what the message names.' }
}

/** The service often begins its message with the field. */
function withoutField(message: string, param: string): string {
  const name = displayNameOf(param)
  const start = [param, name].find((one) => message.startsWith(`${one} `) || message.startsWith(`${one}: `))
  return start === undefined ? message : message.slice(start.length).replace(/^:? /, '')
}

/** What identifies the failure for the operator of the service. */
function factsOf({ status, code, requestId, retryAfter }: ApiError): string {
  const facts = [
    `status ${status}`,
    ...(code === undefined ? [] : [`code ${code}`]),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
    ...(retryAfter === undefined ? [] : [`retry after ${retryAfter} seconds`]),
  ]
  return `(${facts.join(', ')})`
}

const UNREACHABLE = 'Check the Base URL of the credentials, the network of n8n, and its proxy settings.'
const TRUST =
  'Give n8n the certificate authority with NODE_EXTRA_CA_CERTS, or turn on Ignore SSL Issues in the credentials for your own network.'

/** Headline and remedy by code of the system or of OpenSSL. */
export const CONNECTION_WORDS: Readonly<Record<string, readonly [headline: string, remedy: string]>> = {
  ECONNREFUSED: [
    'Base URL: no service runs at this address',
    'Start the service, and check host and port of the Base URL. In Docker, 127.0.0.1 is the container of n8n itself.',
  ],
  ENOTFOUND: ['Base URL: there is no host of this name', 'Check the spelling of the Base URL in the credentials.'],
  EAI_AGAIN: ['Base URL: the name of the host cannot be looked up', UNREACHABLE],
  EHOSTUNREACH: ['Base URL: the host cannot be reached', UNREACHABLE],
  ENETUNREACH: ['Base URL: the network of the host cannot be reached', UNREACHABLE],
  ETIMEDOUT: ['Base URL: the host does not answer', UNREACHABLE],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['The certificate of the service is self-signed', TRUST],
  SELF_SIGNED_CERT_IN_CHAIN: ['The certificate of the service is from an unknown authority', TRUST],
  UNABLE_TO_GET_ISSUER_CERT: ['The certificate of the service is from an unknown authority', TRUST],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['The certificate of the service is from an unknown authority', TRUST],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['The certificate of the service is from an unknown authority', TRUST],
  CERT_HAS_EXPIRED: [
    'The certificate of the service has expired',
    'Renew the certificate of the service, and check the clock of n8n.',
  ],
  CERT_NOT_YET_VALID: ['The certificate of the service is not valid yet', 'Check the clock of n8n.'],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'The certificate of the service is for another host',
    'Use the host name of the certificate in the Base URL.',
  ],
  EPROTO: [
    'Base URL: the service does not speak HTTPS at this address',
    'Begin the Base URL with http://, or use the HTTPS port of the service.',
  ],
}

/** The connection to the service failed. */
export function explainConnection({ cause, maybeSent }: ConnectionError): Explanation {
  const codes = systemCodes(cause)
  const code = codes.find((one) => one in CONNECTION_WORDS) ?? (codes.some(isTls) ? 'EPROTO' : undefined)
  const [headline, remedy] = CONNECTION_WORDS[code ?? ''] ?? [
    'The connection to the service was lost',
    LOST[Number(maybeSent)],
  ]
  const known = code ?? codes[0]
  return { headline, description: known === undefined ? remedy : `${remedy} (code ${known})`, code: known }
}

const LOST = [
  'Run the workflow again.',
  'Run the workflow again, or turn on the option Retry Even If the Work May Be Done Already. The service may have done the work.',
]

/** OpenSSL's codes, such as ERR_SSL_WRONG_VERSION_NUMBER. */
function isTls(code: string): boolean {
  return code.startsWith('ERR_SSL_')
}

/** The codes of an error and of what it wraps. n8n keeps the code of a system error in `httpCode`. */
export function systemCodes(error: unknown, depth = 0): string[] {
  if (typeof error !== 'object' || error === null || depth > 4) return []
  const own = ['code', 'httpCode'].map((field): unknown => Reflect.get(error, field))
  const named = own.filter((code): code is string => typeof code === 'string' && /^[A-Z][A-Z0-9_]+$/.test(code))
  return [...named, ...systemCodes(Reflect.get(error, 'cause'), depth + 1)]
}
