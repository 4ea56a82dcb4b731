import { expect, test } from 'vitest'
import { excerptOf, integrations, readExcerpt } from './index.ts'

test('an empty line joins the regions, and each region loses its indentation', () => {
  const source = [
    '// #region shown',
    "import a from 'a'",
    '// #endregion',
    'hidden()',
    'function run() {',
    '  // #region shown',
    '  if (a) {',
    '    a()',
    '',
    '  }',
    '  // #endregion',
    '}',
  ].join('\n')
  expect(excerptOf(source)).toBe("import a from 'a'\n\nif (a) {\n  a()\n\n}")
})

test('an unclosed region, an end without a region and a missing region are errors', () => {
  expect(() => excerptOf('// #region shown\na()')).toThrow('regions')
  expect(() => excerptOf('// #region shown\na()\n// #region shown\nb()\n// #endregion')).toThrow('regions')
  expect(() => excerptOf('// #region shown\na()\n// #endregion\n// #endregion')).toThrow('regions')
  expect(() => excerptOf('a()')).toThrow('regions')
})

test.each(integrations)('$id has an excerpt that fits a page', async ({ id, package: name }) => {
  const code = await readExcerpt(id)
  expect(code.split('\n').length).toBeLessThanOrEqual(25)
  expect(code).not.toContain('#region')
  expect(name).toMatch(/svc-audio/)
})
