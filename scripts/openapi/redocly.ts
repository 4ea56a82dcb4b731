import { createConfig, lintFromString } from '@redocly/openapi-core'

const RULES = {
  // Health, preflight and the reference have no parameters and no key: they refuse nothing.
  'operation-4xx-response': 'off',
} as const

/**
 * Lints an OpenAPI document with Redocly's recommended rules.
 * @returns One line for each finding: rule, place, message.
 */
export async function lintWithRedocly(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'], rules: RULES })
  const problems = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return problems.map(
    ({ ruleId, message, location: [place] }) => `Redocly ${ruleId} ${place?.pointer ?? ''}: ${message}`,
  )
}
