/** Error codes of status 400: something in the request is wrong. */
export const REQUEST_ERROR_CODES = {
  missing_required_field: {
    status: 400,
    param: 'the field',
    cause: 'is absent or empty',
    remedy: 'Send the field.',
  },
  invalid_type: {
    status: 400,
    param: 'the field',
    cause: 'has the wrong type',
    remedy: 'Send the type that the message names.',
  },
  invalid_value: {
    status: 400,
    param: 'the field',
    cause: 'is not an allowed value',
    remedy: 'Send one of the values that the message lists.',
  },
  invalid_range: {
    status: 400,
    param: 'the field',
    cause: 'is too small, too large or has too many entries',
    remedy: 'Stay within the bounds of the message.',
  },
  field_too_long: {
    status: 400,
    param: 'the field',
    cause: 'is a form field, a name or a description that is too long',
    remedy: 'Shorten the field to the length that the message names.',
  },
  input_too_long: {
    status: 400,
    param: '`input`, `segments`, `instruction`',
    cause: 'has too many characters',
    remedy: 'Send the text in parts, or raise `--max-input-characters` of your service.',
  },
  output_too_long: {
    status: 400,
    param: '`input`, `segments`',
    cause: 'becomes longer speech than the service allows',
    remedy: 'Send the text in parts.',
  },
  unspeakable_text: {
    status: 400,
    param: '`input`',
    cause: 'contains nothing that the engine can speak',
    remedy: 'Send English letters, digits or common symbols. `@svc-audio/core/text` makes text speakable.',
  },
  unsupported_markup: {
    status: 400,
    param: '`input`, `segments[n].text`',
    cause: 'contains SSML',
    remedy: 'Send plain text. `[pause 1s]` is a pause.',
  },
  unsupported_field: {
    status: 400,
    param: 'the field',
    cause: 'is not accepted by the interface',
    remedy: 'Remove the field.',
  },
  unsupported_for_model: {
    status: 400,
    param: 'the field',
    cause: 'does not work with this model',
    remedy: 'Remove the field, or choose the model that the message names.',
  },
  unsupported_stream: {
    status: 400,
    param: '`stream`',
    cause: 'the model does not stream, or `stream_format` is neither `audio` nor `sse`',
    remedy: 'Stream with a model that streams, and with `stream_format` `audio` or `sse`.',
  },
  unsupported_for_stream: {
    status: 400,
    param: '`sample_rate`',
    cause: 'is set by the service',
    remedy: 'Remove the field, and read the value from the response.',
  },
  unsupported_without_stream: {
    status: 400,
    param: 'the field',
    cause: 'has no effect without `stream=true`',
    remedy: 'Remove the field, or set `stream=true`.',
  },
  unsupported_without_async: {
    status: 400,
    param: '`webhook_url`',
    cause: 'has no effect without `async=true`',
    remedy: 'Remove the field, or set `async=true`.',
  },
  unsupported_with_async: {
    status: 400,
    param: '`stream`',
    cause: 'a request cannot be both a stream and a task',
    remedy: 'Remove `stream` or `async`.',
  },
  unsupported_with_webhook: {
    status: 400,
    param: '`stream`',
    cause: 'streams do not call webhooks',
    remedy: 'Remove `webhook_url`, or make a task.',
  },
  unsupported_with_stream: {
    status: 400,
    param: 'the field',
    cause: 'cannot be combined with `stream=true`',
    remedy: 'Remove the field, or do not stream.',
  },
  unsupported_response_format: {
    status: 400,
    param: '`response_format`',
    cause: 'is not a format of the endpoint; a stream has only `pcm`',
    remedy: 'Choose a format that the message lists. A stream has only `pcm`.',
  },
  unsupported_language: {
    status: 400,
    param: '`language`',
    cause: 'the engine does not speak it',
    remedy: 'Choose a language that the message lists, or omit it.',
  },
  unsupported_translation: {
    status: 400,
    cause: 'the service does not translate',
    remedy: 'Transcribe, and translate the text elsewhere.',
  },
  duplicate_speaker: {
    status: 400,
    param: '`speakers[n].id`',
    cause: 'two speakers have the same id',
    remedy: 'Give each speaker an id of its own.',
  },
  unknown_speaker: {
    status: 400,
    param: '`segments[n].speaker`',
    cause: 'is not one of `speakers[].id`',
    remedy: 'Add the speaker to `speakers`, or correct the id.',
  },
  ambiguous_source: {
    status: 400,
    param: 'the second source',
    cause: 'a transcription has only one source',
    remedy: 'Send one of `file`, `file_id`, `url` and `audio_url`.',
  },
  ambiguous_paging: {
    status: 400,
    param: '`offset`',
    cause: 'cannot be combined with `after`',
    remedy: 'Send `offset` or `after`, not both.',
  },
  invalid_cursor: {
    status: 400,
    param: '`after`',
    cause: 'is not the id of a listed voice',
    remedy: 'Start the list again without `after`.',
  },
  invalid_url: {
    status: 400,
    param: '`url`, `audio_url`',
    cause: 'is not an absolute http or https URL',
    remedy: 'Send an absolute http or https URL.',
  },
  private_url: {
    status: 400,
    param: '`url`, `audio_url`',
    cause: 'is in a private network',
    remedy: 'Upload the file, or list the host in `--url-allow` of your service.',
  },
  url_unreachable: {
    status: 400,
    param: '`url`, `audio_url`',
    cause: 'could not be fetched',
    remedy: 'Open the URL where the service runs. The message has the reason.',
  },
  invalid_webhook_url: {
    status: 400,
    param: '`webhook_url`',
    cause: 'is not https, or is in a private network',
    remedy: 'Send a public https URL, or list the host in `--webhook-allow` of your service.',
  },
  invalid_idempotency_key: {
    status: 400,
    param: '`Idempotency-Key`',
    cause: 'the header is empty, has more than 255 characters, or characters other than visible ASCII',
    remedy: 'Send 1 to 255 visible ASCII characters.',
  },
  invalid_audio_sample: {
    status: 400,
    param: '`audio_sample`',
    cause: 'cannot be decoded, is too short, too long or too large, or contains no voice',
    remedy: 'Send 1 second to 5 minutes of a voice, at most 20 MB.',
  },
  invalid_form: {
    status: 400,
    cause: 'the multipart body is malformed, incomplete or has too many parts',
    remedy: 'Build the form with `FormData`, and do not set its `content-type` by hand.',
  },
  invalid_utf8: {
    status: 400,
    param: 'the field of a form',
    cause: 'contains bytes that are not UTF-8',
    remedy: 'Encode the field as UTF-8.',
  },
  invalid_json: {
    status: 400,
    cause: 'the body is not JSON, or is nested deeper than 100 levels with an `Idempotency-Key`',
    remedy: 'Send valid JSON, at most 100 levels deep.',
  },
  invalid_request: {
    status: 400,
    cause: 'the request cannot be read',
    remedy: 'Send the request with an HTTP client. A hand-written one has a wrong header or line.',
  },
  too_many_files: {
    status: 400,
    param: 'the field',
    cause: 'a form has only one file',
    remedy: 'Send one file for each request.',
  },
  unexpected_file: {
    status: 400,
    param: 'the right field',
    cause: 'the file is in the wrong field',
    remedy: 'Put the file into the field that `param` names.',
  },
} as const satisfies Readonly<Record<string, ErrorCodeEntry>>

/** What an error code means, for its page and for the programs that show it. */
export interface ErrorCodeEntry {
  /** The status of the response, or `task` for a code that only tasks have. */
  readonly status: number | 'task'
  /** What `param` names, as Markdown. Absent for an error without a field. */
  readonly param?: string
  /** Why it happens, as Markdown. */
  readonly cause: string
  /** What to do, as Markdown. */
  readonly remedy: string
}
