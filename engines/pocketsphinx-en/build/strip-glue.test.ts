import { expect, test } from 'vitest'
import { stripGlue } from './strip-glue.ts'

test('the script before the program is removed', () => {
  expect(stripGlue('load([115,51]);var moduleOverrides={};var key;')).toBe('var moduleOverrides={};var key;')
})

test.each(['var moduleOverrides={}', 'print(1)', ''])('the script “%s” embeds no model and is refused', (script) => {
  expect(() => stripGlue(script)).toThrow('embeds no model')
})
