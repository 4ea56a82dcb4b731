import { expect, test } from 'vitest'
import { inlineSchemas, nameSchemas } from './named-schemas.ts'

const voice = { title: 'Voice', type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } } }
const list = { title: 'VoiceList', type: 'object', properties: { data: { type: 'array', items: voice } } }

test('schemas with a title stand once, under their name, and a field may be called title', () => {
  const { paths, components } = nameSchemas({
    components: {},
    paths: { '/a': { schema: voice }, '/b': { schema: list } },
  })
  const reference = { $ref: '#/components/schemas/Voice' }
  expect(paths).toEqual({ '/a': { schema: reference }, '/b': { schema: { $ref: '#/components/schemas/VoiceList' } } })
  expect(components).toEqual({
    schemas: {
      Voice: { type: 'object', properties: { id: { type: 'string' }, title: { type: 'string' } } },
      VoiceList: { type: 'object', properties: { data: { type: 'array', items: reference } } },
    },
  })
})

test('two different schemas with one name are refused', () => {
  const paths = { '/a': { schema: voice }, '/b': { schema: { ...voice, type: 'string' } } }
  expect(() => nameSchemas({ paths })).toThrow('Two different schemas have the name Voice')
})

test('the title of an example is its content', () => {
  const document = { paths: { '/a': { schema: { type: 'object', examples: [{ title: 'A story' }] } } } }
  expect(nameSchemas(document).paths).toEqual(document.paths)
})

test('inlined schemas are those that were named', () => {
  const { title: _, ...plain } = voice
  const named = nameSchemas({ paths: { '/b': { schema: list } } })
  expect(inlineSchemas(named).paths).toEqual({
    '/b': { schema: { type: 'object', properties: { data: { type: 'array', items: plain } } } },
  })
})
