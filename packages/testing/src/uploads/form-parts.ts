const BOUNDARY = '----svc-audio-testing'

/** Headers of a request with a body of these parts. */
export const FORM_HEADERS: Readonly<Record<string, string>> = {
  'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
}

/** The bytes before a file of the field `file`. */
export function filePart(filename: string): string {
  return (
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\n` +
    'Content-Type: audio/wav\r\n\r\n'
  )
}

/** The end of a form. */
export const FORM_END: string = `--${BOUNDARY}--\r\n`
