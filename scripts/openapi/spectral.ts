import spectralCore from '@stoplight/spectral-core'
import { oas } from '@stoplight/spectral-rulesets'

// CommonJS, whose names Node does not find.
const { Ruleset, Spectral } = spectralCore

const RULES = {
  // The contact is each service's own operator, whom the program does not know.
  'info-contact': 'off',
} as const

/**
 * Lints an OpenAPI document with Spectral's recommended rules.
 * @returns One line for each finding: rule, place, message.
 */
export async function lintWithSpectral(text: string): Promise<string[]> {
  const spectral = new Spectral()
  spectral.setRuleset(new Ruleset({ extends: [[oas, 'recommended']], rules: RULES }))
  const results = await spectral.run(text)
  return results.map(({ code, path, message }) => `Spectral ${code} ${path.join('.')}: ${message}`)
}
