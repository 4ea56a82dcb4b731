/** The file of a form to send to an app. */
export interface UploadFormOptions {
  /** Name of the form field. @default 'file' */
  readonly field?: string
  /** @default 'speech.wav' */
  readonly name?: string
  /** @default 'audio/wav' */
  readonly type?: string
}

/** A form with one file, for `fetch`, in the form that browsers send. */
export function uploadForm(
  content: Uint8Array,
  { field = 'file', name = 'speech.wav', type = 'audio/wav' }: UploadFormOptions = {},
): FormData {
  const form = new FormData()
  form.set(field, new Blob([Uint8Array.from(content)], { type }), name)
  return form
}
