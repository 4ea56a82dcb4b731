import { speakable } from '@svc-audio/text'
import { SpeechToolError } from '../errors/speech-tool-error.ts'
import type { ResolvedOptions } from '../options/speech-tools-options.ts'

/**
 * The text as it is spoken.
 * @param characters Length of everything that the call speaks.
 * @throws SpeechToolError `text_too_long` or `invalid_text`
 */
export function spokenText(
  text: string,
  { maxCharacters, speakable: strips }: ResolvedOptions,
  characters: number,
): string {
  // The length first: nothing else looks at a text of ten million characters.
  if (characters > maxCharacters) {
    const message = `The text has ${characters} characters; at most ${maxCharacters} are spoken in one call. Split it.`
    throw new SpeechToolError('text_too_long', message)
  }
  const spoken = strips ? speakable(text) : text
  if (/[\p{L}\p{N}]/u.test(spoken) || /\[pause /.test(spoken)) return spoken
  const message = 'The text has no words that can be spoken, only markup, code, emoji or signs. Write words.'
  throw new SpeechToolError('invalid_text', message)
}
