import { ResultUnavailableError } from '../errors.ts'
import { FILES_LIMIT_MAX, FILES_OFFSET_MAX, VOICES_LIMIT_MAX } from '../wire/index.ts'
import { isPrivateHost } from './public-url.ts'
import { check, given, integer, optionalText, type Outcome, refused, type Rules } from './rules.ts'
import { checkDialogue, checkSpeech, checkSpeechStream, checkVoiceGeneration } from './speech.ts'
import { checkTranscription, type TranscriptionSourceOptions } from './transcription.ts'

/**
 * Checks one request by the rules of the interface. The endpoint is its path; `GET` marks a list, and
 * `download` the URL of a result.
 *
 * @param outcome How the service answers the call
 * @throws InvalidRequestError naming the field, before anything is sent
 * @throws ResultUnavailableError for the URL of a result on a private network, unless the service is on one too
 */
export type CheckRequest = (
  endpoint: string,
  body: object,
  outcome: Outcome,
  options?: TranscriptionSourceOptions,
) => void

/** Checks a request by the rules of the interface. Pass it to a `PureAudioClient` as `checkRequest`. */
export const checkRequest: CheckRequest = (endpoint, ...request) => CHECKS[endpoint]?.(...request)

type Check = (body: object, outcome: Outcome, options?: TranscriptionSourceOptions) => void

const noSource = refused('is not accepted: use audio_sample')

const CHECKS: Readonly<Record<string, Check>> = {
  '/v1/audio/speech': (body, outcome) => (outcome === 'stream' ? checkSpeechStream(body) : checkSpeech(body, outcome)),
  '/v1/audio/speech/speakers': checkDialogue,
  '/v1/audio/transcriptions': checkTranscription,
  '/v1/audio/voice/generations': checkVoiceGeneration,
  // One sample as a file, nothing else (interface: Create voice).
  '/v1/audio/voices': by({
    file: noSource,
    file_id: noSource,
    url: noSource,
    audio_url: noSource,
    audio_data: noSource,
    audio_sample: given,
    name: optionalText,
    description: optionalText,
  }),
  'GET /v1/audio/voices': by({
    limit: integer(1, VOICES_LIMIT_MAX),
    offset: integer(0, Number.MAX_SAFE_INTEGER),
    after: optionalText,
    status: optionalText,
  }),
  '/v1/files': by({ file: given, purpose: optionalText }),
  'GET /v1/files': by({
    limit: integer(1, FILES_LIMIT_MAX),
    offset: integer(0, FILES_OFFSET_MAX),
    purpose: optionalText,
  }),
  download: checkDownload,
}

/** A check by rules that are the same for every outcome. */
function by(rules: Rules): Check {
  return (body) => check(body, rules)
}

/** A download before its request. */
interface DownloadCheck {
  /** Id of the task. */
  readonly id?: string
  /** Absolute. */
  readonly url?: string
  /** Address of the service. */
  readonly baseUrl?: string
}

/** Refuses a URL that a public service chose on a private network: it must not make this machine fetch it. */
function checkDownload({ id, url = '', baseUrl = '' }: DownloadCheck): void {
  if (!isPrivateHost(new URL(url).hostname) || isPrivateHost(new URL(baseUrl).hostname)) return
  throw new ResultUnavailableError('There is nothing to download: the result names no URL that may be fetched', {
    taskId: id,
  })
}
