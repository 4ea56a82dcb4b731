import { describe, expect, test } from 'vitest'
import { findWrongSnippets, readSnippets, sourceRegion, type SnippetContext } from './snippets.ts'

const CONTEXT: SnippetContext = {
  readFile: (path) => (path === 'a.ts' ? 'const a = 1\n' : undefined),
  scripts: new Set(['test']),
}

const faults = (markdown: string): string[] => findWrongSnippets(readSnippets('a.md', markdown), CONTEXT)

describe('readSnippets', () => {
  test('a block has its line, language and code without the indentation of its fence', () => {
    const [snippet] = readSnippets('a.md', 'text\n\n- item\n\n  ```ts\n  const a = 1\n    .b\n  ```\n')
    expect(snippet).toMatchObject({ page: 'a.md', line: 5, language: 'ts', code: 'const a = 1\n  .b\n' })
  })

  test('a marker applies to the next block only', () => {
    const markdown =
      '<!-- snippet: a.ts#b -->\n\n```ts\n1\n```\n\n```ts\n2\n```\n\n<!-- continues -->\n\n```ts\n3\n```\n'
    const read = readSnippets('a.md', markdown).map(({ source, continues }) => [source, continues])
    expect(read).toEqual([
      ['a.ts#b', false],
      [undefined, false],
      [undefined, true],
    ])
  })
})

describe('findWrongSnippets', () => {
  test('a block must equal its file', () => {
    expect(faults('<!-- snippet: a.ts -->\n\n```ts\nconst a = 1\n```\n')).toEqual([])
    expect(faults('<!-- snippet: a.ts -->\n\n```ts\nconst a = 2\n```\n')).toEqual([
      'a.md:3: the block differs from a.ts: copy it again',
    ])
  })

  test('an excerpt has lines of its source in their order', () => {
    const page = '```ts\nconst a = 1\n{\n  b()\n  c()\n}\n```\n'
    const context = { ...CONTEXT, readFile: () => page }
    const excerpt = (code: string): string[] =>
      findWrongSnippets(readSnippets('a.md', `<!-- lines of: b.md#ts -->\n\n\`\`\`ts\n${code}\`\`\`\n`), context)
    expect(excerpt('const a = 1\n\nc()\n')).toEqual([])
    expect(excerpt('c()\nb()\n')).toEqual(['a.md:3: b.md#ts has no line "b()" behind the one before'])
    expect(excerpt('d()\n')[0]).toContain('no line "d()"')
  })

  test('a missing file or region is reported', () => {
    expect(faults('<!-- snippet: b.ts -->\n```ts\n```\n')).toEqual(['a.md:2: b.ts does not exist'])
    expect(faults('<!-- snippet: a.ts#c -->\n```ts\n```\n')[0]).toContain('"// #region c"')
  })

  test('invalid JSON is reported', () => {
    expect(faults('```json\n{ "a": 1, }\n```\n')[0]).toContain('the JSON does not parse')
    expect(faults('```json\n{ "a": 1 }\n```\n')).toEqual([])
  })

  test('an unknown script is reported', () => {
    expect(faults('```sh\nnpx -y pnpm@12 tset\nnpx -y pnpm@12 test\n```\n')).toEqual([
      'a.md:1: package.json has no script "tset"',
    ])
  })
})

describe('sourceRegion', () => {
  test('a region loses its markers and its indentation', () => {
    expect(sourceRegion('a\n  // #region b\n  c\n    d\n  // #endregion\ne\n', 'b')).toBe('c\n  d\n')
  })
})
