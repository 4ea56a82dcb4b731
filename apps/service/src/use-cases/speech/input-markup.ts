import { hasPauses } from '@svc-audio/core/text'
import { invalid } from '../../domain/service-error.ts'

/** Elements of SSML that no other text has. */
const SSML = /<\/?(?<name>speak|break|prosody|emphasis|say-as|phoneme|amazon:[\w-]+|mstts:[\w-]+)(?=[\s/>])[^<>]*>/i

/** One word in brackets behind `pause`, with a unit or without. */
const PAUSE_LIKE = /\[\s*pause[\s:=]+(?<length>[^\s\]]{1,40})(?:\s*(?:s|sec|seconds|ms))?\s*\]/gi
const PAUSE = /^\[pause \d+(?:\.\d+)?s\]$/
/** A number, or what a program writes in place of one. */
const NUMBER_LIKE = /\d|^[+-]?(?:nan|infinity|inf|undefined|null)s?$/i

/**
 * Refuses SSML: an engine would read its tags aloud.
 * @param param The field of the text, for errors.
 * @throws ServiceError 400 `unsupported_markup`
 */
export function refuseSsml(text: string, param: string): void {
  const { name } = SSML.exec(text)?.groups ?? {}
  if (name === undefined) return
  const message = `${param} contains the SSML tag <${name.slice(0, 40)}>, which is not supported: send plain text`
  throw invalid('unsupported_markup', param, message)
}

/** The first text in brackets that is meant as a pause marker and is none, as `[pause NaNs]` and `[pause 500ms]`. */
export function malformedPause(text: string): string | undefined {
  for (const { 0: marker, groups } of text.matchAll(PAUSE_LIKE)) {
    if (!PAUSE.test(marker) && NUMBER_LIKE.test(groups?.['length'] ?? '')) return marker
  }
  return undefined
}

/** Whether a text has pause markers, well-formed or not. */
export function hasPauseMarkers(text: string): boolean {
  return hasPauses(text) || malformedPause(text) !== undefined
}
