import { expect, test } from 'vitest'
import { lintWithRedocly } from './openapi/redocly.ts'
import { lintWithSpectral } from './openapi/spectral.ts'

const operation = {
  operationId: 'listThings',
  summary: 'All things',
  description: 'In any order.',
  tags: ['things'],
  security: [],
  responses: { 200: { description: 'Done' } },
}
const document = {
  openapi: '3.1.0',
  info: { title: 'T', version: '1', description: 'Things.', license: { name: 'MIT', identifier: 'MIT' } },
  servers: [{ url: '/' }],
  tags: [{ name: 'things', description: 'Things' }],
  paths: { '/things': { get: operation } },
}

test.each([
  ['Redocly', lintWithRedocly],
  ['Spectral', lintWithSpectral],
])('%s finds nothing in a good document, and names rule and place of a fault', async (name, lint) => {
  expect(await lint(JSON.stringify(document))).toEqual([])
  const twice = { ...document, paths: { ...document.paths, '/others': { get: operation } } }
  const found = await lint(JSON.stringify(twice))
  expect(found).toHaveLength(1)
  expect(found[0]).toMatch(new RegExp(String.raw`^${name} operation-operationId\S* .*others.*get`))
})
