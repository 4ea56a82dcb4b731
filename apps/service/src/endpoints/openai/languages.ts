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

/** Returns the primary tag of a language that a recognizer of the service has. `undefined` for another one. */
export function recognizedLanguage(services: Services, language: string | undefined): string | undefined {
  const primary = primaryOf(language ?? '')
  return primary !== '' && languageCheck(services)(primary) ? primary : undefined
}
