import type { SpeechToolErrorCode } from './speech-tool-error.ts'

/** What a code means. */
interface SpeechToolErrorEntry {
  /** Why it happens, as Markdown. */
  readonly cause: string
  /** What the application can do, as Markdown. */
  readonly remedy: string
}

/** Every reason of a failed tool call. `docs/errors.md` is made from it. */
export const SPEECH_TOOL_ERRORS: Readonly<Record<SpeechToolErrorCode, SpeechToolErrorEntry>> = {
  invalid_arguments: {
    cause: 'an argument is missing, empty or of the wrong type',
    remedy: 'The model corrects the call. Describe the tool better if it happens often.',
  },
  text_too_long: { cause: 'the text is longer than one call may speak', remedy: 'The model splits the text.' },
  invalid_text: {
    cause: 'the text breaks a rule, for example by a pause that is too long, or has nothing to speak',
    remedy: 'The model writes it in words of the language that the voice speaks.',
  },
  invalid_url: {
    cause: 'the address is no public https URL, or URLs are not accepted',
    remedy: 'Give a reference or a file, or set `allowUrls`.',
  },
  private_url: {
    cause: 'the address leads to localhost or to a loopback, link-local or private network',
    remedy: 'Give a public address, or a reference.',
  },
  url_not_allowed: {
    cause: 'the options `allowUrls` or `urlHosts` of the application exclude this URL',
    remedy: 'Give a URL of an allowed host, or one that the user wrote, or change the options.',
  },
  url_rejected: {
    cause: 'the service did not take the URL, or found no audio there',
    remedy: 'Check the address, or upload the audio.',
  },
  path_not_allowed: {
    cause: 'the path is outside `allowedRoot`',
    remedy: 'Store the file in the shared folder, or set `allowedRoot`.',
  },
  audio_not_found: {
    cause: 'there is no such reference or file, or it belongs to another user',
    remedy: 'Use a reference that a tool has returned, or a path that exists.',
  },
  audio_unreadable: { cause: 'the service cannot read this as audio', remedy: 'Use another recording.' },
  audio_too_large: { cause: 'the file is larger than the service allows', remedy: 'Use a shorter recording.' },
  audio_too_long: {
    cause: 'the recording is longer than `maxAudioSeconds`',
    remedy: 'Use a shorter recording, or raise `maxAudioSeconds`.',
  },
  transcript_not_found: {
    cause: 'no transcript of this user is stored under this reference',
    remedy: 'Transcribe the audio first.',
  },
  task_not_found: {
    cause: 'no transcription of this user has this task id',
    remedy: 'Start a new transcription.',
  },
  task_failed: { cause: 'the service could not transcribe this audio', remedy: 'Use another recording.' },
  budget_exceeded: {
    cause: 'the run has used up a budget that the application set',
    remedy: 'Raise the budget, or end the run.',
  },
  unauthorized: { cause: 'the service refused the key', remedy: 'Check `SVC_AUDIO_API_KEY` of the application.' },
  payment_required: { cause: 'the account of the service has no credit', remedy: 'Add credit to the account.' },
  rate_limited: {
    cause: 'the service takes no more requests for now',
    remedy: 'Try again after `retryAfterSeconds`.',
  },
  rejected: {
    cause: 'the service refused the request for another reason',
    remedy: 'Read the `cause`: it has the code of the service.',
  },
  unavailable: { cause: 'the service cannot be reached or is not ready', remedy: 'Try again later.' },
  service_failed: {
    cause: 'the service had an internal error',
    remedy: 'Give the `requestId` to the operator of the service.',
  },
  timeout: { cause: 'the service took longer than `timeout`', remedy: 'Try again, or raise `timeout`.' },
  interrupted: {
    cause: 'the answer ended early and was dropped',
    remedy: 'Try again. The first call may have been billed.',
  },
  invalid_answer: {
    cause: 'the answer breaks the interface',
    remedy: 'Check the address of the service, and its version.',
  },
  misconfigured: {
    cause: 'a voice, a model or an option that the application set does not work',
    remedy: 'Read the `cause`: it names the option.',
  },
  store_failed: { cause: 'the `AudioStore` failed', remedy: 'Read the `cause`: it is the error of your store.' },
  playback_failed: {
    cause: 'the audio cannot be played on this machine',
    remedy: 'Play the file yourself. The `cause` says why the player did not.',
  },
}
