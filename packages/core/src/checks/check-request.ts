import type { Outcome } from './common.ts'
import { checkDownload } from './download.ts'
import { checkDialogue } from './dialogue.ts'
import { checkFileCreation, checkFileList } from './stored-files.ts'
import { checkSpeech, checkSpeechStream } from './speech.ts'
import { checkTranscription, type TranscriptionSourceOptions } from './transcription.ts'
import { checkVoiceGeneration } from './voice-generation.ts'
import { checkVoiceCreation, checkVoiceList } from './voices.ts'

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
  outcome: Outcome | 'stream',
  options?: TranscriptionSourceOptions,
) => void

const audioOnly =
  (check: (body: object, outcome: Outcome) => void): Check =>
  (body, outcome) =>
    check(body, outcome === 'task' ? 'task' : 'answer')

type Check = (body: object, outcome: Outcome | 'stream', options?: TranscriptionSourceOptions) => void

const CHECKS: Readonly<Record<string, Check>> = {
  '/v1/audio/speech': (body, outcome) => (outcome === 'stream' ? checkSpeechStream(body) : checkSpeech(body, outcome)),
  '/v1/audio/speech/speakers': audioOnly(checkDialogue),
  '/v1/audio/transcriptions': checkTranscription,
  '/v1/audio/voice/generations': audioOnly(checkVoiceGeneration),
  '/v1/audio/voices': checkVoiceCreation,
  'GET /v1/audio/voices': checkVoiceList,
  '/v1/files': checkFileCreation,
  download: checkDownload,
  'GET /v1/files': checkFileList,
}

/** Checks a request by the rules of the interface. Pass it to a `PureAudioClient` as `checkRequest`. */
export const checkRequest: CheckRequest = (endpoint, ...request) => CHECKS[endpoint]?.(...request)
