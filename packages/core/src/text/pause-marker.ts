import { PAUSE_MAX_SECONDS, PAUSE_MIN_SECONDS } from '@svc-audio/text/sentences'
import { InvalidRequestError } from '../errors.ts'
import { isKnownModel, type Open, type SpeechModel } from '../wire/index.ts'

const PAUSING_MODEL = 'svc-tts-1.5-flash'

/**
 * Makes a pause marker for `input`: `[pause X.Ys]` (interface: Limits). An unknown model passes: the service decides.
 * An invalid length always throws.
 *
 * @param seconds 0.1 to 10, rounded to tenths
 * @param model Model of the request
 * @throws InvalidRequestError `invalid_range` or `unsupported_for_model`, both of `input`
 */
export function pauseMarker(seconds: number, model: Open<SpeechModel>): string {
  if (isKnownModel(model) && model !== PAUSING_MODEL) {
    throw new InvalidRequestError(
      'unsupported_for_model',
      'input',
      `${model} has no pause markers: use ${PAUSING_MODEL}`,
    )
  }
  // not `<` and `>`, which NaN would pass
  if (!(seconds >= PAUSE_MIN_SECONDS && seconds <= PAUSE_MAX_SECONDS)) {
    throw new InvalidRequestError('invalid_range', 'input', `a pause of ${seconds} is outside 0.1 to 10.0 seconds`)
  }
  return `[pause ${seconds.toFixed(1)}s]`
}
