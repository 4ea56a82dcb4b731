import { engineKind } from '@svc-audio/engine-openai'
import { z } from 'zod'
import { BUNDLED } from './engines.ts'
import { EnginesFile, EntryKeys } from './read.ts'

/**
 * Returns the JSON Schema of the file of engines. `engines.schema.json` of the package has it. Entries of the driver
 * `openai` are described whole. The keys of other drivers are described by their packages.
 */
export function enginesSchema(): object {
  const common = z.toJSONSchema(EntryKeys, { io: 'input' })
  const own = Object.fromEntries(Object.entries(new Object(Reflect.get(engineKind.schema, 'properties'))))
  const required: unknown = Reflect.get(engineKind.schema, 'required')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Engines of svc-audio-service',
    type: 'object',
    properties: {
      $schema: { type: 'string' },
      bundled: {
        description: EnginesFile.shape.bundled.description,
        type: 'array',
        items: { enum: BUNDLED },
      },
      engines: {
        description: EnginesFile.shape.engines.description,
        type: 'object',
        propertyNames: { pattern: '^[a-z][a-z\\d-]{0,39}$' },
        additionalProperties: {
          type: 'object',
          required: ['driver'],
          properties: common.properties,
          if: { properties: { driver: { const: engineKind.driver } } },
          // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
          then: { properties: { ...common.properties, ...own }, required, additionalProperties: false },
        },
      },
    },
    required: ['engines'],
    additionalProperties: false,
  }
}
