import { invalid } from '../../domain/service-error.ts'
import type { Services } from '../../services.ts'

/** Returns the primary tag of a language: `en` of `en-GB`. */
export function primaryOf(language: string): string {
  return language.toLowerCase().split(/[-_]/, 1)[0] ?? ''
}

/** Returns whether a recognizer of the service has a language, a primary tag. */
export function languageCheck({ engines: { recognition, named } }: Services): (primary: string) => boolean {
  const { language, languages } = recognition
  // Without a list, an engine of the operator's file may know any language.
  const isAny = named.length > 0 && languages === undefined && language === undefined
  const known = languages ?? [language]
  return (primary) => isAny || known.includes(primary)
}

/**
 * Returns the first of the given languages that a recognizer of the service has. `undefined` if none is given, and for
 * recognizers that name no language.
 * @param param Name of the field.
 * @throws ServiceError 400 `unsupported_language` if it has none of them
 */
export function requireLanguage(services: Services, given: readonly string[], param: string): string | undefined {
  const recognizes = languageCheck(services)
  const languages = given.filter((language) => primaryOf(language) !== '')
  const known = languages.find((language) => recognizes(primaryOf(language)))
  if (known !== undefined || languages.length === 0) return known
  const { language, languages: all = [language] } = services.engines.recognition
  const named = all.filter((one) => one !== undefined)
  if (named.length === 0) return undefined
  const got = JSON.stringify(languages.join(', ').slice(0, 40))
  throw invalid(
    'unsupported_language',
    param,
    `${param} must be one of ${named.join(', ')}, got ${got}: omit it, or use another`,
  )
}
