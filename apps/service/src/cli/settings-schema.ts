import { configName } from './config-file.ts'
import { shapeOf } from './setting-values.ts'
import { listSettings, Settings } from './settings.ts'

/** Returns the JSON schema of the configuration file. `settings.schema.json` of the package has it. */
export function settingsSchema(): object {
  const shape = new Map<string, unknown>(Object.entries(Settings.shape))
  const properties = listSettings().map((line) => {
    const description = `${line.meaning} (default: ${line.fallback})`
    return [configName(line), { description, ...shapeOf(shape.get(line.name)) }] as const
  })
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Settings of svc-audio-service',
    type: 'object',
    properties: { $schema: { type: 'string' }, ...Object.fromEntries(properties) },
    additionalProperties: false,
  }
}
