import { expect, test } from 'vitest'
import { compareMap, readMap } from './map.ts'

test('the folders of a map are the code with a slash in the first cells', () => {
  const page =
    '| `packages/core/` | holds `src/` |\n| `packages/fastify/`, `packages/hono/` | two |\n| a retry | `packages/core` |\n'
  expect(readMap(page)).toEqual(['packages/core', 'packages/fastify', 'packages/hono'])
})

test('a folder without a row, a row without a folder and a second row are faults', () => {
  expect(compareMap(['a', 'b', 'b', 'c'], ['a', 'b', 'd'])).toEqual([
    'd/ is not in the map',
    'the map lists c/, which is not there',
    'the map lists b/ twice',
  ])
})
