/** Code of an upload that is refused. */
export type UploadErrorCode =
  | 'empty_body'
  | 'empty_file'
  | 'invalid_fields'
  | 'malformed_part'
  | 'missing_boundary'
  | 'missing_file'
  | 'too_many_files'
  | 'truncated_form'
  | 'unexpected_file'
  | 'upload_timeout'
  | 'field_too_large'
  | 'file_too_large'
  | 'form_too_large'
  | 'too_many_fields'
  | 'not_multipart'
  | 'unsupported_content'
  | 'unsupported_encoding'
  | 'body_already_read'
  | 'tee_failed'

/** What a code means. */
export interface UploadErrorEntry {
  /** HTTP status. */
  readonly status: number
  /** Why it happens, as Markdown. */
  readonly cause: string
  /** What to do, as Markdown. */
  readonly remedy: string
}

/** Every fault of an upload. `docs/errors.md` is made from it. */
export const UPLOAD_ERRORS: Readonly<Record<UploadErrorCode, UploadErrorEntry>> = {
  empty_body: { status: 400, cause: 'the request has no body', remedy: 'Send the form as the body of the request.' },
  empty_file: {
    status: 400,
    cause: 'the file has no bytes',
    remedy: 'Choose another file. An input that was read before it was sent is empty too.',
  },
  invalid_fields: {
    status: 400,
    cause: 'the schema of the server refuses fields of the form',
    remedy: 'Correct the fields of `issues`. The server reads the fields that stand before the file.',
  },
  malformed_part: {
    status: 400,
    cause: 'the headers of a part cannot be read',
    remedy: 'Let `FormData` or your HTTP client write the form.',
  },
  missing_boundary: {
    status: 400,
    cause: '`content-type` has no boundary',
    remedy: 'Do not set `content-type` yourself: `fetch` sets it with the boundary of its `FormData`.',
  },
  missing_file: {
    status: 400,
    cause: 'the form has no file in the field that the server expects',
    remedy: 'Name the field of the file as `fileField` of the server, `file` by default.',
  },
  too_many_files: { status: 400, cause: 'the form has more than one file', remedy: 'Send a form for each file.' },
  truncated_form: {
    status: 400,
    cause: 'the form ended before its last boundary',
    remedy: 'Send it again: the connection or a proxy cut it.',
  },
  unexpected_file: {
    status: 400,
    cause: 'a file is in another field than the server expects',
    remedy: 'Name the field of the file as `fileField` of the server, `file` by default.',
  },
  upload_timeout: {
    status: 408,
    cause: 'the client was too slow for `timeout`',
    remedy: 'Send it again. The server raises `timeout` for slow networks.',
  },
  field_too_large: {
    status: 413,
    cause: 'a text field is larger than the server allows',
    remedy: 'Shorten the field, or send its content as the file.',
  },
  file_too_large: {
    status: 413,
    cause: 'the file is larger than `maxFileSize` of the server',
    remedy: 'Send a shorter recording, or one that is encoded, such as MP3. The server raises `maxFileSize`.',
  },
  form_too_large: {
    status: 413,
    cause: 'the form around the file is larger than the server allows',
    remedy: 'Send fewer and shorter fields.',
  },
  too_many_fields: {
    status: 413,
    cause: 'the form has more fields than the server allows',
    remedy: 'Send fewer fields.',
  },
  not_multipart: {
    status: 415,
    cause: 'the body is no form',
    remedy: 'Send the file as `multipart/form-data`.',
  },
  unsupported_content: {
    status: 415,
    cause: 'the bytes of the file are none of the accepted kinds of audio or video',
    remedy: 'Send a recording, for example WAV, MP3, WebM or MP4.',
  },
  unsupported_encoding: {
    status: 415,
    cause: 'the form is compressed',
    remedy: 'Send it without `content-encoding`.',
  },
  body_already_read: {
    status: 500,
    cause: 'a body parser in front has read the upload',
    remedy: 'Move body parsers of the application behind the upload.',
  },
  tee_failed: {
    status: 500,
    cause: 'the copy that the application stores could not be written',
    remedy: 'Look at the `cause`: it is the error of your storage.',
  },
}
