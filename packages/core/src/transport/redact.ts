/** Takes the key out of a text. */
export type Redact = (text: string) => string

/** A shorter key is one for trials at home: no secret, and perhaps an everyday word. */
const MIN_SECRET_LENGTH = 8

/** For texts of the service that become part of an error: some services repeat the key that they refuse. */
export function redactor(apiKey: string): Redact {
  return (text) => (apiKey.length < MIN_SECRET_LENGTH ? text : text.replaceAll(apiKey, '[API key]'))
}
