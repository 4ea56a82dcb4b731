import { InvalidRequestError } from '../errors/invalid-request-error.ts'
import { isKnownModel } from '../wire/models.ts'
import { requireText } from './fields.ts'

/**
 * The model of a request. An unknown id goes to the service, which may spell its own; a known one of another endpoint
 * cannot be meant.
 *
 * @param prefix How the ids of this endpoint's models begin.
 * @throws InvalidRequestError `missing_required_field` or `unsupported_for_model`
 */
export function requireModel(body: object, prefix: string, what: string): string {
  const model = requireText(body, 'model')
  if (isKnownModel(model) && !model.startsWith(prefix)) {
    throw new InvalidRequestError('unsupported_for_model', 'model', `${model} is no model of ${what}`)
  }
  return model
}
